#!/usr/bin/env bash
# The realtime core on the kernel's own ALSA: a small machine under QEMU with a loopback card, a
# dummy card and an emulated HDA card runs the checks of Tests/KernelChecks. It proves what the
# cards mean, never how fast they are: the machine is emulated. Last line: "N passed, N failed", or
# one that says why it was skipped.
#
# The kernel is Debian's, unpacked under .build/kernel and never installed. FETCH=no uses what is
# there; KERNEL_SECONDS bounds the run (default 150); CHECKS="part of a name ..." runs some cases.
set -uo pipefail
cd "$(dirname "$0")/.."
source Tests/CoreChecks/core.sh

place=$PWD/.build/kernel
tree=$place/tree
root=$place/root
build=$place/build
modules=(snd-aloop snd-dummy snd-hda-codec-generic snd-hda-intel)

skip() {
  echo "skipped: $1"
  exit 0
}

for program in qemu-system-x86_64 depmod modprobe cpio busybox; do
  command -v "$program" >/dev/null ||
    skip "there is no $program (Debian: qemu-system-x86 kmod cpio busybox-static)"
done
[[ $(uname -m) == x86_64 ]] || skip "the machine to emulate is an x86_64 one"

# fetch: the kernel's package, unpacked without the parts that no sound card needs.
fetch() {
  local package
  package=$(apt-cache depends linux-image-amd64 | awk '/Depends: linux-image/ {print $2; exit}')
  [[ -n $package ]] || return 1
  mkdir -p "$place"
  (cd "$place" && apt-get -o Acquire::Retries=2 download "$package") &&
    dpkg-deb -x "$place"/linux-image-*.deb "$tree" && rm "$place"/linux-image-*.deb &&
    touch "$tree/complete"
}
if [[ ! -e $tree/complete && ${FETCH:-yes} == yes ]]; then
  fetch >"$place.log" 2>&1 || { apt-get update -qq >>"$place.log" 2>&1 && fetch >>"$place.log" 2>&1; } ||
    tail -n 5 "$place.log"
fi
[[ -e $tree/complete ]] || skip "Debian's kernel package linux-image-amd64 could not be fetched"
version=$(basename "$(echo "$tree"/lib/modules/*)")

read -ra package_flags <<<"$(pkg-config --cflags "${core_packages[@]}")"
read -ra libraries <<<"$(pkg-config --libs "${core_packages[@]}")"
core_checks=(Tests/CoreChecks/main.c Tests/CoreChecks/failing_creation.c
  Tests/CoreChecks/failing_creation.cpp Tests/KernelChecks/*.c)
core_includes+=(-ITests/KernelChecks)
rm -rf "$build" "$root"
core_compile gcc g++ "$build" &&
  g++ "$build"/*.o -o "$build/checks" "${core_wraps[@]}" "${libraries[@]}" -lm -lpthread
built=$?
report "the checks build" $built
[[ $built == 0 ]] || { echo "$passed passed, $failed failed"; exit 1; }

# The machine's files: the program, its libraries, ALSA's configuration, the drivers.
mkdir -p "$root"/{bin,dev,proc,sys,tmp,modules,usr/share}
cp "$build/checks" "$root/bin/"
cp "$(command -v busybox)" "$root/bin/busybox"
cp -rL /usr/share/alsa "$root/usr/share/"
ldd "$build/checks" | grep -oE '/[^ ]+' | while read -r library; do
  mkdir -p "$root$(dirname "$library")"
  cp -L "$library" "$root$library"
done
depmod -b "$tree" "$version" 2>/dev/null
order=()
for module in "${modules[@]}"; do
  while read -r _ file _; do
    [[ $file == *.ko* && " ${order[*]} " != *" $(basename "$file") "* ]] || continue
    cp "$file" "$root/modules/"
    order+=("$(basename "$file")")
  done < <(modprobe -d "$tree" -S "$version" --show-depends "$module")
done
# boot LOG SECONDS DRIVERS CASES: starts the machine, runs the cases, switches it off.
boot() {
  local log=$1 seconds=$2 drivers=$3 cases=$4 module
  {
    echo '#!/bin/busybox sh'
    echo '/bin/busybox --install -s /bin'
    echo 'mount -t proc none /proc; mount -t sysfs none /sys; mount -t devtmpfs none /dev'
    echo 'export PATH=/bin'
    for module in $drivers; do
      echo "insmod /modules/$module $([[ $module == snd-dummy.ko ]] && echo hrtimer=1)"
    done
    # The codec of the HDA card is found in the background.
    [[ -z $drivers ]] ||
      echo 'n=0; until [ -e /proc/asound/Intel/pcm0c ] || [ $n = 50 ]; do sleep 0.1; n=$((n+1)); done
        cat /proc/asound/cards'
    echo "timeout -s KILL $((seconds - 15)) /bin/checks $cases; echo checks ended with \$?"
    echo 'poweroff -f'
  } >"$root/init"
  chmod +x "$root/init"
  (cd "$root" && find . | cpio -o -H newc --quiet | gzip -1) >"$build/files.gz"
  timeout -k 5 "$seconds" qemu-system-x86_64 -accel tcg -cpu max -smp 1 -m 256 -M q35 \
    -nodefaults -no-reboot -display none -serial stdio -monitor none \
    -kernel "$tree/boot/vmlinuz-$version" -initrd "$build/files.gz" \
    -append "console=ttyS0 quiet panic=-1 no_console_suspend" \
    -audiodev none,id=sound,timer-period=1000 -device intel-hda,id=hda,addr=05.0 \
    -device hda-duplex,bus=hda.0,audiodev=sound </dev/null 2>&1 | tr -d '\r' >"$log"
}

echo "== the kernel's ALSA ($version, emulated)"
# The control: a kernel without drivers for them must be seen to have no cards.
boot "$build/control.log" 60 "" cards_are_listed_by_id
grep -qx 'checks ended with 1' "$build/control.log"
report "the kernel's ALSA: the control without drivers fails" $?
boot "$build/log" "${KERNEL_SECONDS:-150}" "${order[*]}" "${CHECKS:-}"
grep -vE '^\[ *[0-9.]+\]' "$build/log"
tally "$build/log"
grep -qx 'checks ended with 0' "$build/log"
report "the kernel's ALSA: all checks ran" $?
echo "$passed passed, $failed failed"
[[ $failed == 0 ]]
