"""The Python packages of the speaking worker: plain unzipped wheels on its path, no environment."""

import os
import shutil
import subprocess
import sys
import zipfile

from trouble import NotToBeHad

CANDIDATES = ("/usr/bin/python3", "python3")


class Wheels:
    def __init__(self, manifest, places, supply):
        self.manifest = manifest
        self.places = places
        self.supply = supply
        self._interpreter = None

    def interpreter(self):
        """A Python of the version the pinned wheels are for. Raises NotToBeHad."""
        if self._interpreter is None:
            self._interpreter = self._find_interpreter()
        return self._interpreter

    def _find_interpreter(self):
        version = self.manifest.python_version
        own = ".".join(map(str, sys.version_info[:2]))
        if own == version:
            return sys.executable
        for name in (*CANDIDATES, f"python{version}"):
            path = shutil.which(name)
            if path and _version_of(path) == version:
                return path
        raise NotToBeHad(
            f"the speaking worker needs Python {version}, which Debian 12 has; here python3 is "
            f"{own}. Install python{version}"
        )

    def directory(self, key):
        pin = self.manifest.archives[key]
        return self.places.python / f"{pin.package}-{pin.version}"

    def missing(self):
        return [k for k in self.manifest.python_archives if not self.directory(k).is_dir()]

    def ensure(self, key):
        """Unzips a verified wheel beside its place and renames it there."""
        self.interpreter()
        archive = self.supply.archive(key)
        target = self.directory(key)
        temporary = target.with_name(f".{target.name}.new")
        shutil.rmtree(temporary, ignore_errors=True)
        temporary.mkdir(parents=True)
        with zipfile.ZipFile(archive) as wheel:
            wheel.extractall(temporary)
        os.replace(temporary, target)


def _version_of(path):
    program = "import sys; print('%d.%d' % sys.version_info[:2])"
    run = subprocess.run([path, "-c", program], capture_output=True, text=True)
    return run.stdout.strip()
