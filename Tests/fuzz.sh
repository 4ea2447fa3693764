#!/usr/bin/env bash
# Fuzzes what reads strangers' bytes: JSON and the requests made of it, tokens, cursors, router.yaml.
# usage: Tests/fuzz.sh [SECONDS each, 20] [json|token|cursor|yaml ...]
# First the committed corpus is run, which must reach the line coverage below; then libFuzzer looks
# for more. FUZZ_KEEP=1 puts what it finds into the corpus. FUZZ_RUNS=N makes N runs from a fixed seed
# instead: the same ones each time, so that a change is judged by what it changed.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-20}
shift || true
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(json token cursor yaml)

# Lines of the files named that the corpus must reach, in percent.
floor() {
  case "$1" in
  json) echo "85 JSON/JSONParser.swift JSON/JSONValue+Serialization.swift" ;;
  token) echo "85 Identity/Token.swift Identity/TokenClaims.swift Identity/Base64URL.swift" ;;
  cursor) echo "90 REST/PageCursor.swift" ;;
  yaml) echo "80 Configuration/YAMLReader.swift Configuration/ConfigurationSection.swift" ;;
  esac
}

build=.build/fuzz
mkdir -p "$build"
# The toolchain's own clang has the library that swiftc links, and llvm-cov reads its profiles.
tools=$(dirname "$(readlink -f "$(command -v swiftc)")")
flags=(-swift-version 6 -O -parse-as-library -enable-upcoming-feature InternalImportsByDefault
  -enable-upcoming-feature ExistentialAny -enable-upcoming-feature NonisolatedNonsendingByDefault
  -I "$build" -L "$build" -profile-generate -profile-coverage-mapping -sanitize=fuzzer,address
  -use-ld=lld)
for system in Sources/System/*/; do flags+=(-I "$system"); done

# Builds a module of the product as a static library, once for all targets.
module() {
  local name=$1
  shift
  find "Sources/$name" -name '*.swift' -newer "$build/lib$name.a" 2>/dev/null | grep -q . ||
    [ ! -f "$build/lib$name.a" ] || return 0
  "$tools/swiftc" "${flags[@]}" -wmo -emit-module -emit-module-path "$build/$name.swiftmodule" \
    -enable-testing -emit-library -static -module-name "$name" -o "$build/lib$name.a" \
    $(find "Sources/$name" -name '*.swift')
}

program() {
  local target=$1 upper
  upper=$(printf %s "$target" | tr a-z A-Z)
  local files=(Tests/Fuzz/Main.swift)
  case "$target" in
  json | token)
    # One module with the sources, because what is fuzzed is internal.
    files+=(Tests/Fuzz/FuzzSessionsModel.swift)
    libraries=(-lSessionsModel -lcrypto -lswiftSynchronization)
    ;;
  *)
    files+=(Tests/Fuzz/FuzzRouter.swift Sources/AgentRouter/REST/PageCursor.swift
      Sources/AgentRouter/REST/APIError.swift Sources/AgentRouter/REST/APIErrorCode.swift)
    files+=($(find Sources/AgentRouter/Configuration -name '*.swift'))
    libraries=(-lStores -lNetworking -lSessionsModel -lcrypto -lssl -lswiftSynchronization -lsqlite3
      -lyaml -lwebsockets -luv -lcurl)
    ;;
  esac
  "$tools/swiftc" "${flags[@]}" -wmo -D "FUZZ_$upper" -module-name "Fuzz$upper" "${files[@]}" \
    "${libraries[@]}" -o "$build/fuzz-$target"
}

check_coverage() {
  local target=$1 least files
  read -r least files <<<"$(floor "$target")"
  LLVM_PROFILE_FILE="$build/$target.profraw" "$build/fuzz-$target" -runs=0 \
    "Tests/Fuzz/corpus/$target" >"$build/$target.log" 2>&1 ||
    { tail -40 "$build/$target.log"; return 1; }
  "$tools/llvm-profdata" merge -o "$build/$target.profdata" "$build/$target.profraw"
  local paths=()
  for file in $files; do
    local found_path
    found_path=$(find Sources -path "*/$file")
    # A file that moved would drop out of the floor unseen.
    [ -n "$found_path" ] || { echo "$target: there is no $file under Sources any more"; return 1; }
    paths+=($found_path)
  done
  local reached
  reached=$("$tools/llvm-cov" export -summary-only -instr-profile "$build/$target.profdata" \
    "$build/fuzz-$target" "${paths[@]}" |
    python3 -c 'import json, sys
lines = json.load(sys.stdin)["data"][0]["totals"]["lines"]
print(int(lines["percent"]))')
  echo "$target: the corpus reaches $reached % of the lines of $files (at least $least)"
  [ "$reached" -ge "$least" ]
}

module SessionsModel
case " ${targets[*]} " in *cursor* | *yaml*)
  module Networking
  module Stores
  ;;
esac
extent=("-max_total_time=$seconds")
[ -z "${FUZZ_RUNS:-}" ] || extent=("-runs=$FUZZ_RUNS" -seed=1)
for target in "${targets[@]}"; do
  program "$target"
  check_coverage "$target"
  found=$build/found-$target
  # What earlier runs found would make others of these.
  [ -z "${FUZZ_RUNS:-}" ] || rm -rf "$found"
  [ "${FUZZ_KEEP:-0}" = 1 ] && found=Tests/Fuzz/corpus/$target
  mkdir -p "$found"
  LLVM_PROFILE_FILE=/dev/null "$build/fuzz-$target" "${extent[@]}" -max_len=4096 \
    -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 -artifact_prefix="$build/crash-$target-" \
    "$found" "Tests/Fuzz/corpus/$target" >"$build/$target.log" 2>&1 ||
    { tail -60 "$build/$target.log"; echo "$target: see $build/crash-$target-*"; exit 1; }
  runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$build/$target.log")
  echo "{\"name\":\"fuzz_executions\",\"target\":\"$target\",\"value\":$runs}"
  echo "{\"name\":\"fuzz_crashes\",\"target\":\"$target\",\"value\":0}"
done
