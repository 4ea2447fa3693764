"""Is a file the one that was pinned?"""

import hashlib
import json
import os


def sha256(path):
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def matches(path, pin):
    """Compares size and SHA-256 with a pin (`bytes`, `sha256`)."""
    return path.is_file() and path.stat().st_size == pin.bytes and sha256(path) == pin.sha256


class VerifiedOnce:
    """Remembers which files were verified, so that a second run need not read them again.

    A file counts as unchanged while size, modification time and inode are what they were.
    """

    def __init__(self, path):
        self.path = path
        try:
            self.known = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            self.known = {}  # no memory yet, or a damaged one: everything is read again

    def matches(self, path, pin):
        try:
            status = path.stat()
        except FileNotFoundError:
            return False
        mark = [status.st_size, status.st_mtime_ns, status.st_ino, pin.sha256]
        if self.known.get(pin.name) == mark:
            return True
        if not matches(path, pin):
            self.known.pop(pin.name, None)
            return False
        self.known[pin.name] = mark
        self._store()
        return True

    def _store(self):
        temporary = self.path.with_name(self.path.name + ".new")
        temporary.write_text(json.dumps(self.known, indent=1), encoding="utf-8")
        os.replace(temporary, self.path)
