#!/bin/sh
# Puts schemathesis, which tries the router's REST interface against its own description, into the
# cache, for the tests only.
set -eu
version=4.32.5
cache=${VOICE_CACHE:-${XDG_CACHE_HOME:+$XDG_CACHE_HOME/voice}}
cache=${cache:-$HOME/.cache/voice}
place=$cache/test-tools
[ -d "$place/schemathesis-$version.dist-info" ] && exit 0
echo "Installing schemathesis $version into $place (once): it tests the REST interface."
rm -rf "$place" "$place.new"
python3 -m pip install --quiet --disable-pip-version-check --root-user-action=ignore \
  --target "$place.new" "schemathesis==$version"
mv "$place.new" "$place"
