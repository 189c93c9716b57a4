#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 OR BSD-3-Clause
# expect-sigill.sh COMMAND...: succeeds only if the command dies by SIGILL (128 + 4); an ordinary failure does not count.
ulimit -c 0
"$@"
status=$?
if [ "$status" -eq 132 ]; then
  echo "died by SIGILL, as it must"
  exit 0
fi
echo "expected death by SIGILL, got exit status $status" >&2
exit 1
