#!/usr/bin/env bash
# Every bench in its quick form, held against the ratchet, and with each of its negative controls,
# with which it must fail. Last line: "N passed, N failed".
#
# Usage: Benchmarks/quick.sh [NAME...]    (without arguments all but those that need minutes of real time)
# BENCH_SECONDS bounds each run (default 240).
set -uo pipefail
cd "$(dirname "$0")/.."

bench=.build/${CONFIGURATION:-release}/bench
[[ -x $bench ]] || { echo "There is no $bench: run 'make build' first." >&2; exit 1; }
log=$(mktemp)
trap 'rm -f "$log"' EXIT
passed=0
failed=0

# report NAME RESULT
report() {
  if [[ $2 == 0 ]]; then
    echo "passed $1"
    passed=$((passed + 1))
  else
    echo "FAILED $1"
    failed=$((failed + 1))
  fi
}

# From the program's own list: "    NAME: SUMMARY; must fail with SWITCH=off; ..."
list=$("$bench" --help | sed -n 's/^    \([a-z0-9]*: .*\)/\1/p')
names=("$@")
[[ ${#names[@]} -gt 0 ]] || mapfile -t names < <(echo "$list" | cut -d: -f1 | grep -vxE 'v2v|busy')

for name in "${names[@]}"; do
  echo "== bench $name --quick"
  begun=$SECONDS
  timeout "${BENCH_SECONDS:-240}" "$bench" "$name" --quick >"$log"
  report "bench $name ends well ($((SECONDS - begun)) s)" $?
  python3 -B Benchmarks/ratchet.py "$name" <"$log"
  report "bench $name is no worse than the last good run" $?
  for control in $(echo "$list" | grep "^$name:" | grep -oE 'must fail with [^ ;]+' |
    sed 's/must fail with //'); do
    timeout "${BENCH_SECONDS:-240}" "$bench" "$name" --quick "$control" >"$log" 2>&1
    # Ended by itself, and not well.
    [[ $? == 1 ]]
    report "bench $name fails with $control" $?
  done
done
echo "$passed passed, $failed failed"
[[ $failed == 0 ]]
