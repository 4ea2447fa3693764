#!/usr/bin/env bash
# Runs the checks of Tests/CoreChecks over the C parts of the realtime core under the sanitizers of
# the Swift toolchain's clang, after a compile check with gcc. Last line: "N passed, N failed".
#
# Usage: Tests/sanitize-core.sh [address] [thread] [realtime]    (all without arguments)
set -uo pipefail
cd "$(dirname "$0")/.."

toolchain=$(dirname "$(readlink -f "$(command -v swiftc)")")
clang=$toolchain/clang
runtime=$(readlink -f "$toolchain/../lib/swift/linux")
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT

targets=(CVoiceDSP CMediaTransport CVoiceCore CAudioDevice)
includes=(-ITests/CoreChecks -ISources/SimulatedRoom/include)
sources=()
shopt -s nullglob
for target in "${targets[@]}"; do
  includes+=("-ISources/$target/include" "-ISources/$target")
  sources+=(Sources/"$target"/*.c Sources/"$target"/*.cc Sources/"$target"/*.cpp)
done
checks=(Tests/CoreChecks/*.c)
packages=(alsa opus samplerate webrtc-audio-processing)
read -ra package_flags <<<"$(pkg-config --cflags "${packages[@]}")"
read -ra libraries <<<"$(pkg-config --libs "${packages[@]}")"
common=(-g -O1 -fno-omit-frame-pointer -Wall -Wextra -Werror -D_GNU_SOURCE)
wraps=(-Wl,--wrap=malloc -Wl,--wrap=calloc -Wl,--wrap=aligned_alloc
  -Wl,--wrap=opus_decoder_create -Wl,--wrap=opus_encoder_create -Wl,--wrap=src_new)

passed=0
failed=0

# The card of the device's checks: the simulated room, without sanitizers, as a driver would be.
make_room() {
  "$clang" -std=c17 -O2 -fPIC -DPIC -D_GNU_SOURCE -fvisibility=hidden -shared \
    -ISources/SimulatedRoom/include Sources/SimulatedRoom/*.c -o "$build/libSimulatedRoom.so" \
    -lasound -lm -lpthread || return 1
  printf '%s\n' '</usr/share/alsa/alsa.conf>' \
    "pcm_type.simroom { lib \"$build/libSimulatedRoom.so\" }" \
    'pcm.simroom { type simroom room "default" }' >"$build/alsa.conf"
  export SIMROOM_LIBRARY=$build/libSimulatedRoom.so ALSA_CONFIG_PATH=$build/alsa.conf
}

# compile COMPILER OUTPUT_DIR FLAGS...: compiles all sources and checks but the control.
compile() {
  local compiler=$1 out=$2
  shift 2
  mkdir -p "$out"
  local source language
  for source in "${sources[@]}" "${checks[@]}"; do
    [[ $source == */control.c ]] && continue
    language=(-std=c17)
    local program=$compiler
    if [[ $source != *.c ]]; then
      language=(-std=c++17 -DWEBRTC_POSIX -DWEBRTC_AUDIO_PROCESSING_ONLY_BUILD -Wno-unused-parameter)
      program=${compiler/%clang/clang++}
      program=${program/%gcc/g++}
    fi
    "$program" "${language[@]}" "${common[@]}" "$@" "${includes[@]}" "${package_flags[@]}" \
      -c "$source" -o "$out/$(echo "$source" | tr '/.' '__').o" || return 1
  done
}

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

# sanitize NAME FLAGS...: the control must be caught, the checks must run clean.
sanitize() {
  local name=$1
  shift
  local out=$build/$name
  echo "== $name"
  "$clang" -std=c17 -g -O0 -Wno-function-effects -ISources/CVoiceDSP/include "$@" \
    Tests/CoreChecks/control.c -o "$build/control" "${link[@]}" \
    2> >(grep -v 'Cannot export local symbol' >&2)
  if "$build/control" "$name" >"$build/control.log" 2>&1; then
    report "$name: its own control is caught" 1
  else
    grep -q "Sanitizer" "$build/control.log"
    report "$name: its own control is caught" $?
  fi
  if ! compile "$clang" "$out" -Wfunction-effects "$@" ||
    ! "$toolchain/clang++" "$@" "$out"/*.o -o "$out/checks" "${wraps[@]}" "${libraries[@]}" \
      -lm -lpthread "${link[@]}" 2> >(grep -v 'Cannot export local symbol' >&2); then
    report "$name: builds" 1
    return
  fi
  "$out/checks" >"$out/log" 2>&1
  local status=$?
  cat "$out/log"
  local line
  line=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$out/log" | tail -1)
  if [[ $line =~ ^([0-9]+)\ passed,\ ([0-9]+) ]]; then
    passed=$((passed + BASH_REMATCH[1]))
    failed=$((failed + BASH_REMATCH[2]))
  fi
  report "$name: runs clean" $status
}

echo "== gcc"
compile gcc "$build/gcc"
report "gcc: compiles with -Wall -Wextra and no warning" $?

make_room
report "the simulated room builds" $?

wanted=("$@")
[[ ${#wanted[@]} == 0 ]] && wanted=(address thread realtime)
for name in "${wanted[@]}"; do
  link=()
  case $name in
  address)
    sanitize address -fsanitize=address,undefined -fno-sanitize-recover=all
    ;;
  thread)
    # The toolchain's runtime for threads wants libdispatch.
    link=(-L"$runtime" -ldispatch -lBlocksRuntime -Wl,-rpath,"$runtime")
    sanitize thread -fsanitize=thread
    ;;
  realtime)
    sanitize realtime -fsanitize=realtime
    ;;
  *)
    echo "unknown sanitizer '$name': choose address, thread or realtime" >&2
    exit 64
    ;;
  esac
done

echo "$passed passed, $failed failed"
[[ $failed == 0 ]]
