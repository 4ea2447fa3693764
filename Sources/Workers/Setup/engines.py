"""Builds the engines and the worker programs, once per state of their sources and flags."""

import hashlib
import os
import platform
import re
import shutil
import stat
import subprocess
import tarfile
from pathlib import Path

from places import WORKERS
from progress import Progress, duration
from trouble import NotToBeHad, SetupError

# The step that matters is AVX2, then AVX-512; the nine other variants ggml has win at most 3 %.
X86_VARIANTS = ("x64", "sse42", "ivybridge", "haswell", "icelake")
SOURCES = (
    "CMakeLists.txt",
    "models.json",
    "Protocol",
    "SpeechToText",
    "LanguageModel",
    "EndOfTurn",
)
PROGRAMS = ("voice-stt", "voice-llm", "voice-turn")
# Workers in Python: their folder here, where it goes, and their launcher.
SCRIPTS = (
    ("TextToSpeech", "text-to-speech", "voice-tts"),
    ("WakeWord", "wake-word", "voice-wake"),
)
KEEP_OLD = 2


class Engines:
    def __init__(self, manifest, places, supply, wheels):
        self.manifest = manifest
        self.places = places
        self.supply = supply
        self.wheels = wheels
        self.pins = [manifest.archives[e["archive"]] for e in manifest.engines.values()]
        self._key = None

    def flags(self):
        variants = X86_VARIANTS if platform.machine() in ("x86_64", "AMD64") else ()
        return ["-DCMAKE_BUILD_TYPE=Release", f"-DCPU_VARIANTS={';'.join(variants)}"]

    def key(self):
        """Changes with whatever the result depends on."""
        if self._key is None:
            digest = hashlib.sha256()
            compiler = subprocess.run(["c++", "--version"], capture_output=True).stdout
            parts = [compiler, *(f.encode() for f in self.flags())]
            parts += [p.sha256.encode() for p in self.pins]
            parts.append(Path(__file__).read_bytes())
            for name in (*SOURCES, *(folder for folder, _, _ in SCRIPTS)):
                parts += [file.read_bytes() for file in _files(WORKERS / name)]
            for part in parts:
                digest.update(len(part).to_bytes(8, "little") + part)
            self._key = digest.hexdigest()[:16]
        return self._key

    def directory(self):
        return self.places.engines / self.key()

    def are_built(self):
        return self.directory().is_dir()

    def select(self):
        """Makes `current` point to the engines of this checkout, in one step."""
        link = self.places.engines / "current"
        if link.is_symlink() and os.readlink(link) == self.key():
            return
        temporary = link.with_name(".current.new")
        temporary.unlink(missing_ok=True)
        temporary.symlink_to(self.key())
        os.replace(temporary, link)

    def archives(self):
        """Those still to be fetched before a build."""
        engines = self.manifest.engines.values()
        return [e["archive"] for e in engines if not self._source(e).is_dir()]

    def build(self):
        sources = {name: self._unpacked(engine) for name, engine in self.manifest.engines.items()}
        build = self.places.build / "workers"
        build.mkdir(parents=True, exist_ok=True)
        _forget_other_checkout(build)
        log = self.places.build / "engines.log"
        definitions = [f"-D{name.upper()}_SOURCE={path}" for name, path in sources.items()]
        configure = ["cmake", "-G", "Ninja", "-S", WORKERS, "-B", build, *self.flags()]
        with open(log, "w", encoding="utf-8") as output:
            _run([*configure, *definitions], output, log)
            _follow(["ninja", "-C", build, *PROGRAMS], output, log)
        self._install(build / "bin")
        self._forget_old()

    def _source(self, engine):
        pin = self.manifest.archives[engine["archive"]]
        return self.places.build / "sources" / f"{pin.package}-{pin.version}"

    def _unpacked(self, engine):
        """The part of a source archive that is needed; unpacked beside its place, then renamed."""
        target = self._source(engine)
        if not target.is_dir():
            archive = self.supply.archive(engine["archive"])
            temporary = target.with_name(f".{target.name}.new")
            shutil.rmtree(temporary, ignore_errors=True)
            temporary.mkdir(parents=True)
            kept = tuple(f"{engine['root']}/{name}" for name in engine["keep"])
            with tarfile.open(archive) as whole:
                for member in whole:
                    inner = member.name.partition("/")[2]
                    if member.isfile() and (inner in kept or inner.startswith(_below(kept))):
                        member.name = inner
                        whole.extract(member, temporary, set_attrs=False)
            os.replace(temporary, target)
            archive.unlink()
        return target / engine["root"]

    def _install(self, built):
        target = self.directory()
        temporary = target.with_name(f".{target.name}.new")
        shutil.rmtree(temporary, ignore_errors=True)
        for name in ("bin", "lib", "share"):
            (temporary / name).mkdir(parents=True)
        for library in built.glob("*.so*"):
            shutil.copy2(library, temporary / "lib" / library.name, follow_symlinks=False)
        for program in PROGRAMS:
            shutil.copy2(built / program, temporary / "bin" / program)
        shutil.copy2(WORKERS / "models.json", temporary / "share" / "models.json")
        for folder, place, launcher in SCRIPTS:
            shutil.copytree(WORKERS / folder, temporary / "share" / place)
            self._install_launcher(temporary, folder, launcher)
        shutil.rmtree(target, ignore_errors=True)
        os.replace(temporary, target)

    def _install_launcher(self, target, folder, name):
        """A script: it needs to know which Python the wheels were unpacked for."""
        try:
            python = self.wheels.interpreter()
        except NotToBeHad:
            python = ""  # said by the step that unpacks the wheels; the other workers need none
        text = (WORKERS / folder / f"{name}.sh").read_text(encoding="utf-8")
        launcher = target / "bin" / name
        launcher.write_text(text.replace("@PYTHON@", python), encoding="utf-8")
        launcher.chmod(launcher.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)

    def _forget_old(self):
        """Keeps the newest ones: a worker of an older checkout may still run from them."""
        current = os.path.basename(os.path.realpath(self.places.engines / "current"))
        keep = {current, self.key()}
        others = [p for p in self.places.engines.iterdir() if p.is_dir() and not p.is_symlink()]
        others.sort(key=lambda p: p.stat().st_mtime, reverse=True)
        for old in [p for p in others if p.name not in keep][KEEP_OLD:]:
            shutil.rmtree(old)


def _forget_other_checkout(build):
    """CMake refuses a cache made from another source directory; what was compiled can stay."""
    cache = build / "CMakeCache.txt"
    if cache.is_file() and f"CMAKE_HOME_DIRECTORY:INTERNAL={WORKERS}\n" not in cache.read_text():
        cache.unlink()


def _files(path):
    if path.is_file():
        return [path]
    files = (f for f in path.rglob("*") if f.is_file() and "__pycache__" not in f.parts)
    return sorted(files)


def _below(names):
    return tuple(f"{name}/" for name in names)


def _run(command, output, log):
    try:
        code = subprocess.run(command, stdout=output, stderr=output).returncode
    except FileNotFoundError as trouble:
        raise SetupError(f"{command[0]} is not installed ({trouble})") from trouble
    if code != 0:
        raise SetupError(f"{command[0]} failed; the last lines of {log}:\n{_tail(log)}")


def _follow(command, output, log):
    """Runs ninja, its words into the log, its count of steps onto the terminal."""
    progress = Progress("Building the engines")
    environment = {**os.environ, "NINJA_STATUS": "[%f/%t] "}
    pipe = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    with subprocess.Popen(command, env=environment, errors="replace", **pipe) as ninja:
        for line in ninja.stdout:
            output.write(line)
            if step := re.match(r"\[(\d+)/(\d+)\]", line):
                done, total = map(int, step.groups())
                left = progress.seconds() / done * (total - done)
                progress(f"{done} of {total} steps, about {duration(left)} left")
    output.flush()
    if ninja.returncode != 0:
        progress.abandon()
        raise SetupError(f"Building the engines failed; the last lines of {log}:\n{_tail(log)}")
    progress(f"done in {duration(progress.seconds())}", last=True)


def _tail(path, lines=15):
    return "\n".join(path.read_text(encoding="utf-8", errors="replace").splitlines()[-lines:])
