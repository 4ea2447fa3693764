#!/bin/sh
# Everything a fresh machine needs before `make build`: Debian packages, model files, engines.
# Exit code 3: all is well but for model files that could not be had.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
sh "$here/packages.sh"
exec python3 -B "$here/main.py" "$@"
