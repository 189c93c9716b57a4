#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# check_workflow.sh ROOT: the workflow's jobs are the builds that dev.sh test has, and those it has when named.
set -eu
cd "$1"
builds=$(sed -n 's/^\(all\|named\)_builds=(\([^)]*\)).*$/\2/p' toolchains/dev.sh | tr '\n' ' ' | sed 's/ $//')
jobs=$(sed -n 's/^ *build: \[\(.*\)\]$/\1/p' .github/workflows/test.yml | tr -d ,)
if [ -z "$builds" ] || [ "$builds" != "$jobs" ]; then
  echo "dev.sh test has: $builds" >&2
  echo "the workflow has: $jobs" >&2
  exit 1
fi
