"""Asks pip where the archives of packages are. Which index, which certificates, which proxy: that
is pip's own configuration, and nothing here adds to it."""

import json
import os
import subprocess
import sys

from trouble import NotToBeHad

CAPTURED = {"capture_output": True, "text": True, "timeout": 600}
# What pip says when it could not even ask.
NO_NETWORK = ("connection broken", "Failed to establish", "NewConnectionError", "ProxyError")


def locate(archives, python=sys.executable):
    """URL per package, for archives of one form. Archives pip does not know are missing in it."""
    found, said = _report(archives, python)
    # One package the index lacks fails the whole question; no network fails every one.
    if found is None and len(archives) > 1 and not any(sign in said for sign in NO_NETWORK):
        found = {}
        for archive in archives:
            found.update(_report([archive], python)[0] or {})
    return found or {}


def _report(archives, python):
    wheels = archives[0].form == "wheel"
    names = [a.package for a in archives]
    form = ["--only-binary=:all:"] if wheels else ["--no-binary", ",".join(names)]
    command = [python, "-m", "pip", "install", "--dry-run", "--ignore-installed", "--no-deps"]
    command += ["--no-input", "--disable-pip-version-check", "--quiet", *form, "--report", "-"]
    command += [f"{a.package}=={a.version}" for a in archives]
    # pip asks six times by default, which without a network is a long silence.
    environment = {"PIP_RETRIES": "1", **os.environ}
    try:
        run = subprocess.run(command, env=environment, **CAPTURED)
    except (OSError, subprocess.TimeoutExpired) as trouble:
        raise NotToBeHad(f"pip cannot be run ({trouble})") from trouble
    if run.returncode != 0:
        return None, run.stderr
    entries = json.loads(run.stdout)["install"]
    return {_plain(e["metadata"]["name"]): e["download_info"]["url"] for e in entries}, ""


def _plain(name):
    return name.lower().replace("_", "-").replace(".", "-")


def certificates(python=sys.executable):
    """A certificate file that pip was told to trust, or nothing for the system's own."""
    if os.environ.get("PIP_CERT"):
        return os.environ["PIP_CERT"]
    command = [python, "-m", "pip", "config", "get", "global.cert"]
    run = subprocess.run(command, capture_output=True, text=True)
    return run.stdout.strip() or None if run.returncode == 0 else None
