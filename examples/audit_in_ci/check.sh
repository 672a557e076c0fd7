#!/bin/sh
# Tool definitions in CI. What was known when the baseline was written does not count; what is new fails the run.
#
#   ./check.sh            the check
#   ./check.sh accept     accept what is found now
set -eu
cd "$(dirname "$0")"
if [ "${1:-}" = accept ]; then
  utp audit tools --baseline known.json --write-baseline
  exit
fi
# One line for each finding where GitHub shows them; a report for what reads JUnit beside it.
utp audit tools --baseline known.json --fail-on warning -f junit -o audit.xml || true
utp audit tools --baseline known.json --fail-on warning -f github
