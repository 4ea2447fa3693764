"""Where set-up keeps things, and where this checkout is."""

import os
from dataclasses import dataclass
from pathlib import Path

WORKERS = Path(__file__).resolve().parent.parent
CHECKOUT = WORKERS.parent.parent


@dataclass(frozen=True)
class Places:
    """The cache outside the checkout: `VOICE_CACHE`, else `voice` in the user's cache directory."""

    cache: Path

    @classmethod
    def of_environment(cls):
        given = os.environ.get("VOICE_CACHE")
        if given:
            return cls(Path(given).absolute())
        base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
        return cls(Path(base) / "voice")

    @property
    def models(self):
        return self.cache / "models"

    @property
    def downloads(self):
        return self.cache / "downloads"

    @property
    def python(self):
        return self.cache / "python"

    @property
    def engines(self):
        return self.cache / "engines"

    @property
    def build(self):
        return self.cache / "build"

    @property
    def fixtures(self):
        return self.cache / "fixtures"
