"""Makes the recorded questions, when the checkout has the script for them."""

import hashlib
import os
import subprocess
import sys

from places import CHECKOUT
from trouble import SetupError

SCRIPT = CHECKOUT / "fixtures" / "make-questions.py"


class Questions:
    def __init__(self, places, engines):
        self.places = places
        self.engines = engines
        self.stamp = places.fixtures / ".made-by"

    def are_made(self):
        if not SCRIPT.is_file():
            return True
        made = self.stamp.read_text(encoding="utf-8") if self.stamp.is_file() else ""
        return made == self._key() and (self.places.fixtures / "questions.json").is_file()

    def make(self):
        print("Making the recorded questions.", file=sys.stderr, flush=True)
        environment = {**os.environ, "VOICE_CACHE": str(self.places.cache)}
        command = [sys.executable, SCRIPT]
        run = subprocess.run(command, env=environment, capture_output=True, text=True)
        if run.returncode != 0:
            raise SetupError(f"{SCRIPT} failed:\n{run.stderr.strip()[-800:]}")
        self.places.fixtures.mkdir(parents=True, exist_ok=True)
        self.stamp.write_text(self._key(), encoding="utf-8")

    def _key(self):
        """The questions change with whatever lies beside their script, and with the voices."""
        digest = hashlib.sha256(b"all voices" if self.engines.are_built() else b"espeak-ng alone")
        for file in sorted(f for f in SCRIPT.parent.rglob("*") if f.suffix in (".py", ".json")):
            digest.update(file.read_bytes())
        return digest.hexdigest()
