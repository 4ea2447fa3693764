#!/bin/sh
# Installs the Debian packages of packages.txt that are missing, or those of another list beside it:
# packages.sh [LIST]. Says which and why; silent when none is. VOICE_SKIP_PACKAGES=1 leaves the
# system alone.
set -eu
list="$(cd "$(dirname "$0")" && pwd)/${1:-packages.txt}"
[ "${VOICE_SKIP_PACKAGES:-0}" = 1 ] && exit 0

if ! command -v dpkg-query >/dev/null 2>&1; then
  echo "This is no Debian system. Install the counterparts of the packages in $list yourself," >&2
  echo "then run again with VOICE_SKIP_PACKAGES=1." >&2
  exit 1
fi

wanted=$(sed -e 's/#.*//' "$list" | awk 'NF { print $1 }')
# shellcheck disable=SC2086  # one word a package
installed=$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' $wanted 2>/dev/null |
  awk '$2 == "installed" { print $1 }') || true
missing=""
for package in $wanted; do
  printf '%s\n' "$installed" | grep -qx "$package" || missing="$missing $package"
done
[ -z "$missing" ] && exit 0

echo "Installing Debian packages (once):"
for package in $missing; do
  grep "^$package " "$list" | sed 's/^/  /'
done
if [ "$(id -u)" = 0 ]; then
  as_root=""
elif command -v sudo >/dev/null 2>&1; then
  as_root="sudo"
else
  echo "This needs root, and there is no sudo. As root, run:" >&2
  echo "  apt-get install$missing" >&2
  exit 1
fi

log=$(mktemp)
trap 'rm -f "$log"' EXIT
install_packages() {
  # shellcheck disable=SC2086  # one word a package
  $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
    $missing >"$log" 2>&1
}
# The lists may be older than the mirror: refresh them only if that is what it takes.
if ! install_packages; then
  $as_root apt-get update >"$log" 2>&1 || true
  if ! install_packages; then
    tail -n 5 "$log" >&2
    echo "apt-get could not install:$missing. Check the network and /etc/apt/sources.list." >&2
    exit 1
  fi
fi
