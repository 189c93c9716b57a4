#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# Prints the version that include/tessera/config.hpp spells.
awk '$1 == "#define" && $2 ~ /^TESSERA_VERSION_(MAJOR|MINOR|PATCH)$/ { printf "%s%s", dot, $3; dot = "." }
     END { print "" }' "$(dirname "$0")/../include/tessera/config.hpp"
