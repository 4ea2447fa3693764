#!/bin/sh
# The wake word's detector. Its packages are unzipped wheels on its path; nothing of the user's
# Python is looked at.
here=$(dirname "$(readlink -f "$0")")
cache="${VOICE_CACHE:-$here/../../..}"
python="@PYTHON@"
[ -x "$python" ] || python=python3 # replaced or removed since set-up
exec "$python" -I -X pycache_prefix="$cache/python/bytecode" \
  "$here/../share/wake-word/main.py" --python "$cache/python" --pins "$here/../share/models.json" "$@"
