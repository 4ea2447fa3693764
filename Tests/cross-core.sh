#!/usr/bin/env bash
# The realtime core on aarch64, the machine most voice devices are: cross-built with gcc, its checks
# run under qemu-user. Last line: "N passed, N failed", or one that says why it was skipped.
#
# The libraries for aarch64 are fetched with a package list of their own and unpacked under
# .build/aarch64: nothing foreign is installed on this machine, so its own pkg-config, which SwiftPM
# asks, is as it was. FETCH=no uses what is there.
set -uo pipefail
cd "$(dirname "$0")/.."
source Tests/CoreChecks/core.sh

triple=aarch64-linux-gnu
place=$PWD/.build/aarch64
root=$place/root
build=$place/build
native_before=$(pkg-config --libs --cflags "${core_packages[@]}")
foreign_before=$(dpkg --print-foreign-architectures)

skip() {
  echo "skipped: $1"
  exit 0
}

# fetch: the libraries and what they need, as Debian packages of the other architecture.
fetch() {
  mkdir -p "$place"/apt/{lists/partial,cache/archives/partial,state} "$root"
  : >"$place/apt/state/status"
  cat >"$place/apt/apt.conf" <<CONFIGURATION
APT::Architecture "arm64";
APT::Architectures { "arm64"; };
Dir::State "$place/apt/state";
Dir::State::lists "$place/apt/lists";
Dir::State::status "$place/apt/state/status";
Dir::Cache "$place/apt/cache";
APT::Keep-Downloaded-Packages "true";
Acquire::Retries "2";
CONFIGURATION
  APT_CONFIG=$place/apt/apt.conf apt-get update -qq &&
    APT_CONFIG=$place/apt/apt.conf apt-get install -qq -y --download-only --no-install-recommends \
      libasound2-dev libopus-dev libsamplerate0-dev libwebrtc-audio-processing-dev libstdc++6 ||
    return 1
  local package
  for package in "$place"/apt/cache/archives/*.deb; do
    dpkg-deb -x "$package" "$root" || return 1
  done
  touch "$root/complete"
}

for program in "$triple-gcc" "$triple-g++" qemu-aarch64; do
  command -v "$program" >/dev/null ||
    skip "there is no $program (Debian: gcc-$triple g++-$triple qemu-user)"
done
if [[ ! -e $root/complete && ${FETCH:-yes} == yes ]]; then
  mkdir -p "$place"
  fetch >"$place/fetch.log" 2>&1 || { tail -n 5 "$place/fetch.log"; rm -f "$root/complete"; }
fi
[[ -e $root/complete ]] || skip "the libraries for aarch64 could not be fetched as Debian packages"

cross_pkg_config() {
  PKG_CONFIG_SYSROOT_DIR=$root PKG_CONFIG_PATH='' \
    PKG_CONFIG_LIBDIR=$root/usr/lib/$triple/pkgconfig:$root/usr/share/pkgconfig pkg-config "$@"
}
read -ra package_flags <<<"$(cross_pkg_config --cflags "${core_packages[@]}")"
read -ra libraries <<<"$(cross_pkg_config --libs "${core_packages[@]}")"
package_flags+=("-I$root/usr/include")
search=("-L$root/usr/lib/$triple" "-Wl,-rpath-link,$root/usr/lib/$triple:$root/lib/$triple")

rm -rf "$build"
echo "== aarch64"
core_compile "$triple-gcc" "$triple-g++" "$build" &&
  "$triple-g++" "$build"/*.o -o "$build/checks" "${core_wraps[@]}" "${search[@]}" "${libraries[@]}" \
    -lm -lpthread
report "aarch64: compiles with -Wall -Wextra and no warning" $?
# The machine in the header of the program: 0xB7 is aarch64.
[[ $(od -An -tx1 -j18 -N2 "$build/checks") == " b7 00" ]]
report "aarch64: the program is one for aarch64" $?

# The card of the device's checks, too, is one for aarch64.
core_room "$triple-gcc" "$build" "${package_flags[@]}" "${search[@]}"
report "aarch64: the simulated room builds" $?

# Under emulation five simulated minutes of the same arithmetic take three real ones, and tell
# nothing more of the processor.
read -ra cases <<<"${CHECKS:--nothing_is_corrected_where_nothing_is_hidden}"
qemu-aarch64 -L "$root" "$build/checks" "${cases[@]}" >"$build/log" 2>&1
status=$?
cat "$build/log"
tally "$build/log"
report "aarch64: runs clean under qemu-user" $status

[[ $(pkg-config --libs --cflags "${core_packages[@]}") == "$native_before" &&
  $native_before != *"$triple"* && $(dpkg --print-foreign-architectures) == "$foreign_before" ]]
report "this machine's own libraries are found as before" $?

echo "$passed passed, $failed failed"
[[ $failed == 0 ]]
