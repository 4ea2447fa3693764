#!/usr/bin/env bash
# Runs the checks of Tests/CoreChecks over the C parts of the realtime core under the sanitizers of
# the Swift toolchain's clang, after a compile check with gcc and a look at what may be exempt from
# them. Last line: "N passed, N failed".
#
# Usage: Tests/sanitize-core.sh [address] [thread] [realtime]    (all without arguments)
# CHECKS="part of a name ..." runs some cases only.
set -uo pipefail
cd "$(dirname "$0")/.."
source Tests/CoreChecks/core.sh

toolchain=$(dirname "$(readlink -f "$(command -v swiftc)")")
clang=$toolchain/clang
runtime=$(readlink -f "$toolchain/../lib/swift/linux")
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
read -ra package_flags <<<"$(pkg-config --cflags "${core_packages[@]}")"
read -ra libraries <<<"$(pkg-config --libs "${core_packages[@]}")"
read -ra cases <<<"${CHECKS:-}"

# Flags of each sanitizer, and the crimes of Tests/CoreChecks/control.c that it must catch.
declare -A flags=(
  [address]="-fsanitize=address,undefined -fno-sanitize-recover=all"
  [thread]="-fsanitize=thread"
  [realtime]="-fsanitize=realtime"
)
declare -A crimes=([address]="overrun leak overflow" [thread]="race" [realtime]="block")

# sanitize NAME: builds the checks and runs them; what it prints is kept for later.
sanitize() {
  local name=$1 out=$build/$1 sanitizer link=()
  read -ra sanitizer <<<"${flags[$name]}"
  # The toolchain's runtime for threads wants libdispatch.
  [[ $name == thread ]] &&
    link=(-L"$runtime" -ldispatch -lBlocksRuntime "-Wl,-rpath,$runtime")
  mkdir -p "$out"
  "$clang" -std=c17 -g -O0 -Wno-function-effects -ISources/CVoiceDSP/include "${sanitizer[@]}" \
    Tests/CoreChecks/control.c -o "$out/control" "${link[@]}" 2>"$out/control-build"
  local crime
  for crime in ${crimes[$name]}; do
    if "$out/control" "$crime" >"$out/control.log" 2>&1; then
      echo "$crime" >>"$out/missed"
    else
      grep -qE "Sanitizer|runtime error" "$out/control.log" || echo "$crime" >>"$out/missed"
    fi
  done
  core_compile "$clang" "$toolchain/clang++" "$out" -Wfunction-effects "${sanitizer[@]}" &&
    "$toolchain/clang++" "${sanitizer[@]}" "$out"/*.o -o "$out/checks" "${core_wraps[@]}" \
      "${libraries[@]}" -lm -lpthread "${link[@]}" 2> >(grep -v 'Cannot export local symbol' >&2)
}

# verdict NAME
verdict() {
  local name=$1 out=$build/$1 crime
  echo "== $name"
  for crime in ${crimes[$name]}; do
    ! grep -qx "$crime" "$out/missed" 2>/dev/null
    report "$name: its control is caught ($crime)" $?
  done
  cat "$out/log"
  tally "$out/log"
  report "$name: runs clean" "$(cat "$out/status" 2>/dev/null || echo 1)"
}

wanted=("$@")
[[ ${#wanted[@]} == 0 ]] && wanted=(address thread realtime)
for name in "${wanted[@]}"; do
  [[ -v "flags[$name]" ]] ||
    { echo "unknown sanitizer '$name': choose address, thread or realtime" >&2; exit 64; }
done

echo "== exemptions and injection"
found=$(grep -rlE 'rtsan|function-effects|no_sanitize' "${core_targets[@]/#/Sources/}" |
  grep -v 'voice_realtime.h$' | sort)
[[ $found == "$(printf '%s\n' "${exempt_files[@]}" | sort)" ]]
report "only these switch the realtime checks off: ${found//$'\n'/ }" $?
! "$clang" -std=c17 -Wfunction-effects -Werror -ISources/CVoiceDSP/include -fsyntax-only \
  Tests/CoreChecks/control.c 2>"$build/effects" && grep -q function-effects "$build/effects"
report "clang: a blocking call on a nonblocking path is a compile error" $?

echo "== gcc"
core_compile gcc g++ "$build/gcc"
report "gcc: compiles with -Wall -Wextra and no warning" $?
escapes=$(core_escapes "$build/gcc")
[[ -z $escapes ]] || echo "$escapes"
report "no allocation of the core escapes the injected failures" "$([[ -z $escapes ]]; echo $?)"

core_room "$clang" "$build"
report "the simulated room builds" $?

# The checks of one sanitizer run while the next one's are built.
waiting=()
for name in "${wanted[@]}"; do
  if sanitize "$name"; then
    ("$build/$name/checks" "${cases[@]}" >"$build/$name/log" 2>&1
      echo $? >"$build/$name/status") &
    waiting+=($!)
  else
    echo "it does not build" >"$build/$name/log"
  fi
done
wait "${waiting[@]}"
for name in "${wanted[@]}"; do
  verdict "$name"
done

# Every public function that makes or starts something must have had each of its allocations fail.
if [[ ${#cases[@]} == 0 ]]; then
  echo "== creations"
  creations=$(for target in "${core_targets[@]}"; do
    grep -rhoE '^[a-z].*\b[a-z]{2}_[a-z_]*(create|open|load|start|start_recording)\(' \
      "Sources/$target/include"
  done | grep -oE '[a-z_]+\($' | tr -d '(' | sort -u)
  for creation in $creations; do
    grep -q "^ *$creation: each of its [0-9]* allocations failed once" "$build/${wanted[0]}/log"
    report "$creation fails cleanly at each of its allocations" $?
  done
  [[ -n $creations ]] || report "the public creations are found" 1
fi

echo "$passed passed, $failed failed"
[[ $failed == 0 ]]
