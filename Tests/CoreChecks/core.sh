# The realtime core in C, and how its checks are built: read by the scripts that run them
# (Tests/sanitize-core.sh, Tests/cross-core.sh, Tests/kernel/run.sh). Every C target of the package
# and every file in it is found here by itself; a new one needs no entry.
# shellcheck shell=bash disable=SC2034

# Files whose calls into libraries are exempt from the realtime checks; alone they may switch them off.
exempt_files=(Sources/CAudioDevice/alsa_calls.c Sources/CVoiceCore/residual.cpp)

core_targets=()
core_includes=(-ITests/CoreChecks -ISources/SimulatedRoom/include)
core_sources=()
for core_folder in Sources/C[A-Z]*/; do
  core_folder=${core_folder%/}
  core_targets+=("${core_folder#Sources/}")
  # Also the folders of the internal headers, for the checks look inside.
  while read -r folder; do
    core_includes+=("-I$folder")
  done < <(find "$core_folder" -type d | sort)
  while read -r file; do
    core_sources+=("$file")
  done < <(find "$core_folder" -name '*.c' -o -name '*.cc' -o -name '*.cpp' | sort)
done
# The control is a program of its own, built to be caught.
core_checks=()
for file in Tests/CoreChecks/*.c Tests/CoreChecks/*.cpp; do
  [[ $file == */control.c ]] || core_checks+=("$file")
done

core_packages=(alsa opus samplerate webrtc-audio-processing)
core_flags=(-g -O1 -fno-omit-frame-pointer -Wall -Wextra -Werror -D_GNU_SOURCE)
core_flags_cxx=(-std=c++17 -DWEBRTC_POSIX -DWEBRTC_AUDIO_PROCESSING_ONLY_BUILD -Wno-unused-parameter)

# What the core may ask for memory or a thread, each of which Tests/CoreChecks/failing_creation.* lets
# fail on demand; and what would escape that, which no file of the core may call.
core_injected=(malloc calloc realloc aligned_alloc posix_memalign strdup _Znwm _ZnwmRKSt9nothrow_t
  opus_decoder_create opus_encoder_create src_new snd_pcm_open pthread_create eventfd)
core_escaping=(memalign valloc pvalloc reallocarray strndup asprintf vasprintf open_memstream
  getdelim getline mmap sbrk _Znam _ZnamRKSt9nothrow_t _ZnwmSt11align_val_t thrd_create)
core_wraps=("${core_injected[@]/#/-Wl,--wrap=}")

# core_compile C_COMPILER CXX_COMPILER FOLDER FLAGS...: all sources and checks into object files, two
# at a time. The caller has put `package_flags` in place.
core_compile() {
  local c=$1 cxx=$2 folder=$3
  shift 3
  mkdir -p "$folder"
  local file running=0 failed=0
  for file in "${core_sources[@]}" "${core_checks[@]}"; do
    local program=("$c" -std=c17)
    [[ $file == *.c ]] || program=("$cxx" "${core_flags_cxx[@]}")
    if ((running == 2)); then
      wait -n || failed=1
      running=1
    fi
    "${program[@]}" "${core_flags[@]}" "$@" "${core_includes[@]}" "${package_flags[@]}" \
      -c "$file" -o "$folder/${file//[\/.]/_}.o" &
    running=$((running + 1))
  done
  while ((running-- > 0)); do
    wait -n || failed=1
  done
  return "$failed"
}

# core_room C_COMPILER FOLDER FLAGS...: builds the simulated room, the card of the device's checks, into
# FOLDER without sanitizers, as a driver would be, and tells ALSA and the checks where it is.
core_room() {
  local c=$1 folder=$2
  shift 2
  local files
  mapfile -t files < <(find Sources/SimulatedRoom -name '*.c')
  "$c" -std=c17 -O2 -fPIC -DPIC -D_GNU_SOURCE -fvisibility=hidden -shared \
    -ISources/SimulatedRoom/include "${files[@]}" -o "$folder/libSimulatedRoom.so" "$@" \
    -lasound -lm -lpthread || return 1
  printf '%s\n' '</usr/share/alsa/alsa.conf>' \
    "pcm_type.simroom { lib \"$folder/libSimulatedRoom.so\" }" \
    'pcm.simroom { type simroom room "default" }' \
    "ctl_type.simroom { lib \"$folder/libSimulatedRoom.so\" }" \
    'ctl.simroom { type simroom room "default" }' \
    'pcm.shaped { @args [ RATE FORMAT CHANNELS ACCESS MICROPHONE ]' \
    '  @args.RATE { type integer default 48000 } @args.FORMAT { type string default "any" }' \
    '  @args.CHANNELS { type integer default 0 } @args.ACCESS { type string default "any" }' \
    '  @args.MICROPHONE { type integer default 0 }' \
    '  type simroom room "shaped" rate $RATE format $FORMAT channels $CHANNELS access $ACCESS' \
    '  microphone_channel $MICROPHONE }' >"$folder/alsa.conf"
  export SIMROOM_LIBRARY=$folder/libSimulatedRoom.so ALSA_CONFIG_PATH=$folder/alsa.conf
}

# core_escapes FOLDER: names the calls of the core's own object files that no injection reaches.
core_escapes() {
  local pattern
  pattern=$(printf '%s\n' "${core_escaping[@]}")
  nm -A --undefined-only "$1"/Sources_*.o | awk '{print $1, $NF}' |
    grep -wFf <(echo "$pattern") || true
}

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

# tally LOG: adds the closing line of a run of the checks.
tally() {
  local line
  line=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$1" | tail -1)
  if [[ $line =~ ^([0-9]+)\ passed,\ ([0-9]+) ]]; then
    passed=$((passed + BASH_REMATCH[1]))
    failed=$((failed + BASH_REMATCH[2]))
  fi
}
