"""Holds the bench's conversation with pipecat and prints one JSON object.

    run.py QUESTIONS.json FOLDER COUNT

QUESTIONS.json and FOLDER are set-up's recorded questions, COUNT how many of those that need no tool
are asked. The packages are installed into the cache once; the model answers from the server named
`chat` in VOICE_REAL_SERVERS (see Tests/RealServers/run.py, which starts it). What cannot be had is
said as {"why": SENTENCE}, with exit code 0: a reference that is not there is no failure.
"""

import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent


def cache():
    given = os.environ.get("VOICE_CACHE")
    if given:
        return pathlib.Path(given).absolute()
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(base) / "voice"


def not_measured(reason):
    print(json.dumps({"why": reason}), flush=True)
    sys.exit(0)


def packages():
    """The folder of the installed packages; installs them once."""
    pins = HERE / "requirements.txt"
    place = cache() / "pipecat" / hashlib.sha256(pins.read_bytes()).hexdigest()[:16]
    if place.exists():
        return place
    print(f"Installing pipecat into {place} (once)", file=sys.stderr, flush=True)
    new = place.with_suffix(".new")
    shutil.rmtree(new, ignore_errors=True)
    # docopt is published as source only; no code of it runs here.
    done = subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
         "--root-user-action=ignore", "--no-deps", "--only-binary=:all:", "--no-binary=docopt",
         "--target", str(new), "-r", str(pins)], check=False, capture_output=True, text=True)
    if done.returncode:
        not_measured("pipecat could not be had: " + done.stderr.strip()[-300:])
    new.rename(place)
    return place


def main():
    questions, folder, count = sys.argv[1], sys.argv[2], sys.argv[3]
    servers = json.loads(os.environ.get("VOICE_REAL_SERVERS", "{}"))
    if "chat" not in servers:
        not_measured("no model server runs: start this through Tests/RealServers/run.py")
    paths = [str(packages()), str(cache() / "models")]
    return subprocess.run(
        [sys.executable, str(HERE / "conversation.py"), questions, folder, count,
         f"http://127.0.0.1:{servers['chat']}/v1"],
        check=False,
        # One thread for each model, as the workers of the product have.
        env=os.environ | {"PYTHONPATH": os.pathsep.join(paths), "OMP_NUM_THREADS": "1",
                          "HF_HUB_OFFLINE": "1", "PYTHONDONTWRITEBYTECODE": "1"}).returncode


if __name__ == "__main__":
    sys.exit(main())
