#!/usr/bin/env bash
# What the audio thread asks of the C library and of the kernel, period by period: no allocation, no
# lock of ours, no system call but poll, the card's and one wake. Each crime must be seen, too.
# Last line: "N passed, N failed".
set -uo pipefail
cd "$(dirname "$0")/.."
source Tests/CoreChecks/core.sh

clang=$(dirname "$(readlink -f "$(command -v swiftc)")")/clang
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
read -ra package_flags <<<"$(pkg-config --cflags "${core_packages[@]}")"
read -ra libraries <<<"$(pkg-config --libs "${core_packages[@]}")"
core_checks=(Tests/RealtimeCalls/*.c Benchmarks/native/call_counter.c
  Benchmarks/native/thread_watch.c)
core_includes+=(-IBenchmarks/native/include)

echo "== calls of the audio thread"
core_compile "$clang" "$clang++" "$build/objects" -O2 &&
  "$clang++" "$build"/objects/*.o -o "$build/calls" -Wl,--wrap=snd_pcm_readi "${libraries[@]}" \
    -lm -lpthread &&
  core_room "$clang" "$build"
built=$?
report "the program builds" $built
if [[ $built == 0 ]]; then
  "$build/calls"
  status=$?
  if [[ $status == 77 ]]; then
    echo "skipped: one thread may not trace another here"
  else
    report "the audio thread asks for nothing but its card and one wake" $status
    for crime in allocates locks calls; do
      "$build/calls" $crime >"$build/log"
      [[ $? == 1 ]] && grep -q FAILED "$build/log"
      report "the counters see an audio thread that $crime" $?
    done
  fi
fi
echo "$passed passed, $failed failed"
[[ $failed == 0 ]]
