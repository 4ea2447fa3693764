"""The running router beside its own description: every request schemathesis can think of within a
bounded time is answered as /openapi.json says."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from running_router import KEY, RunningRouter, token

SECONDS = int(os.environ.get("SCHEMA_SECONDS", "60"))


def tools():
    """Where test_tools.sh puts schemathesis."""
    cache = os.environ.get("VOICE_CACHE") or (
        os.environ["XDG_CACHE_HOME"] + "/voice"
        if os.environ.get("XDG_CACHE_HOME")
        else os.path.expanduser("~/.cache/voice")
    )
    path = pathlib.Path(cache) / "test-tools"
    if not (path / "schemathesis").is_dir():
        raise FileNotFoundError(f"{path}/schemathesis is missing: run Sources/Workers/Setup/test_tools.sh")
    return path


class Description(unittest.TestCase):
    def test_every_answer_is_described(self):
        router = RunningRouter()
        # It keeps what it found in the folder it runs in.
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        run = subprocess.run(
            [
                sys.executable,
                "-c",
                "from schemathesis.cli import schemathesis; schemathesis()",
                "run",
                f"{router.url}/openapi.json",
                "--header", f"X-Api-Key: {KEY}",
                "--header", "Stream-Auth-Type: server",
                "--header", f"Authorization: Bearer {token(server=True)}",
                "--checks",
                "not_a_server_error,status_code_conformance,content_type_conformance,"
                "response_headers_conformance,response_schema_conformance,negative_data_rejection",
                # The doors to sockets do not speak plain HTTP.
                "--exclude-path-regex", "/(events|media)$",
                # The HTTP library refuses them before the router sees them.
                "--generation-allow-x00", "false",
                "--phases", "coverage,fuzzing",
                "--max-time", str(SECONDS),
                "--max-examples", os.environ.get("SCHEMA_EXAMPLES", "40"),
                "--request-timeout", "10",
                "--seed", "1",
                "--no-color",
            ],
            cwd=folder.name,
            env=os.environ | {"PYTHONPATH": str(tools())},
            capture_output=True,
            text=True,
            timeout=SECONDS * 10,
        )
        code, errors = router.stop()
        self.assertEqual(code, 0, errors[-2000:])
        self.assertEqual(run.returncode, 0, run.stdout[-6000:] + run.stderr[-2000:])


if __name__ == "__main__":
    unittest.main()
