#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# check_format.sh ROOT [CLANG-FORMAT]: every C++ source looks as .clang-format says. A planted bad line must fail.
set -eu
root=$1
formatter=${2:-clang-format-19}
cd "$root"
if printf 'int   f( ) {return 1 ;}\n' | "$formatter" --style=file:"$root/.clang-format" --dry-run -Werror 2>/dev/null; then
  echo "the check does not see a badly formatted line" >&2
  exit 1
fi
find include emu tests bench examples \( -name '*.hpp' -o -name '*.h' -o -name '*.cpp' \) -print0 2>/dev/null |
  xargs -0 -r -n 20 -P 2 "$formatter" --style=file:"$root/.clang-format" --dry-run -Werror
