#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# list-sources.sh FOLDER...: the .cpp files of these folders under tests/, for Meson, which cannot glob.
cd "$(dirname "$0")/../tests" && for folder in "$@"; do
  for source in "$folder"/*.cpp; do
    if [ -f "$source" ]; then
      echo "$source"
    fi
  done
done
