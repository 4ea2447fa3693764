#!/bin/sh
# Installs the built program, or takes it away again: install.sh install|uninstall
# PREFIX where to (/usr/local), DESTDIR a folder that stands for /, BUILD the build's folder, CACHE
# where set-up put models, engines and questions.
set -eu
cd "$(dirname "$0")/../.."
action=${1:?install or uninstall}
prefix=${PREFIX:-/usr/local}
root=${DESTDIR:-}
build=${BUILD:-.build/release}
cache=${CACHE:-${VOICE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/voice}}
list=$root$prefix/share/voice/installed-files

case $prefix in
/*) ;;
*)
  echo "install: PREFIX must begin with / but is \"$prefix\"." >&2
  exit 64
  ;;
esac

uninstall() {
  [ -f "$list" ] || return 0
  while read -r file; do
    case $file in
    "$prefix"/*) rm -f "$root$file" ;;
    *) echo "uninstall: $file is not below $prefix and stays." >&2 ;;
    esac
  done <"$list"
  # The folders that are ours alone, and then those that are empty.
  rm -rf "$root$prefix/share/voice"
  rmdir -p "$root$prefix/lib/voice" "$root$prefix/share/doc/voice" "$root$prefix/lib/systemd/system" \
    "$root$prefix/bin" 2>/dev/null || true
}

# put MODE FILE TARGET: TARGET is below the prefix.
put() {
  install -D -m "$1" "$2" "$root$prefix/$3"
  echo "$prefix/$3" >>"$list"
}

if [ "$action" = uninstall ]; then
  [ -f "$list" ] || {
    echo "uninstall: nothing is installed below $root$prefix ($list is missing)." >&2
    exit 1
  }
  uninstall
  echo "Uninstalled from $root$prefix. Sessions and recordings stay where they are."
  exit 0
fi

[ -x "$build/voice" ] || {
  echo "install: $build/voice is missing; run \`make build\` first." >&2
  exit 1
}
uninstall
mkdir -p "$(dirname "$list")"
: >"$list"

echo "program         $prefix/lib/voice/voice, as $prefix/bin/voice"
put 755 "$build/voice" lib/voice/voice
mkdir -p "$root$prefix/bin"
ln -sf ../lib/voice/voice "$root$prefix/bin/voice"
echo "$prefix/bin/voice" >>"$list"

echo "simulated room  $prefix/lib/voice/libSimulatedRoom.so"
put 755 "$build/libSimulatedRoom.so" lib/voice/libSimulatedRoom.so

# What the toolchain brings and Debian does not; the program looks beside itself.
toolchain=$(dirname "$(readlink -f "$(ldd "$build/voice" | awk '$1 == "libswiftCore.so" { print $3 }')")")
count=0
for library in $(ldd "$build/voice" | awk -v folder="$toolchain/" 'index($3, folder) == 1 { print $3 }'); do
  put 755 "$library" "lib/voice/$(basename "$library")"
  count=$((count + 1))
done
echo "Swift runtime   $count libraries in $prefix/lib/voice"

if [ -d "$cache/models" ]; then
  echo "models          $prefix/share/voice (from $cache)"
  for folder in models fixtures python; do
    [ -d "$cache/$folder" ] && cp -RL "$cache/$folder" "$root$prefix/share/voice/"
  done
  rm -rf "$root$prefix/share/voice/python/bytecode"
  mkdir -p "$root$prefix/share/voice/engines"
  if [ -d "$cache/engines/current" ]; then
    cp -RL "$cache/engines/current" "$root$prefix/share/voice/engines/"
  fi
  cp "$cache/models.json" "$root$prefix/share/voice/"
  # A service may not write here: without this its voice would start slowly for ever. The compiled
  # files stand by the path of their source, so they can only be made in place.
  speech=$prefix/share/voice/engines/current/bin/voice-tts
  if [ -z "$root" ] && [ -f "$speech" ]; then
    python=$(sed -n 's/^python="\(.*\)"$/\1/p' "$speech")
    [ -x "$python" ] || python=python3
    "$python" -I -X pycache_prefix="$prefix/share/voice/python/bytecode" -m compileall -q \
      "$prefix/share/voice/python" "$prefix/share/voice/models/hibari" \
      "$prefix/share/voice/engines/current/share" >/dev/null || true
  fi
  chmod -R a+rX "$root$prefix/share/voice"
else
  echo "models          none: $cache/models is missing (make setup); \`voice talk\` needs none."
fi

put 644 README.md share/doc/voice/README.md
unit=$(mktemp)
sed "s|@PREFIX@|$prefix|g" Sources/Install/voice.service >"$unit"
put 644 "$unit" lib/systemd/system/voice.service
rm -f "$unit"
echo "service         $prefix/lib/systemd/system/voice.service"

if [ -n "$root" ]; then
  :
elif ! command -v systemd-analyze >/dev/null; then
  echo "                (not verified: this machine has no systemd-analyze)"
else
  systemd-analyze verify "$prefix/lib/systemd/system/voice.service" && echo "                (verified)"
fi
cat <<END

Try it:             $prefix/bin/voice devices; $prefix/bin/voice doctor
Start with the box: systemctl enable --now voice
Take it away:       make uninstall PREFIX=$prefix
END
