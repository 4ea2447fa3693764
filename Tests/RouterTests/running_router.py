"""A built router of its own for a test, spoken to with plain sockets."""

import base64
import hashlib
import hmac
import json
import os
import pathlib
import socket
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
KEY = "key_of_a_test"
SECRET = "secret-of-a-test-on-this-machine"

CONFIGURATION = f"""\
listen: 127.0.0.1:0
apps:
  - key: {KEY}
    secret: {SECRET}
agents:
  - name: assistant
    instructions: Be brief.
limits:
  live_sessions: 20000
  connections: 12000
"""


def program():
    """The built `voice`; a test never passes by being skipped."""
    for build in ("debug", "release"):
        path = ROOT / ".build" / build / "voice"
        if path.exists():
            return path
    raise FileNotFoundError(f"{ROOT}/.build/debug/voice is missing: build first (swift build)")


def encode(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def token(secret=SECRET, header=None, **claims):
    """A token as a client may send one, right or wrong."""
    now = int(time.time())
    claims = {"iat": now - 5, "exp": now + 600} | claims
    header = header or {"alg": "HS256", "typ": "JWT"}
    signed = f"{encode(json.dumps(header).encode())}.{encode(json.dumps(claims).encode())}"
    if header["alg"] == "none":
        return signed + "."
    signature = hmac.new(secret.encode(), signed.encode(), hashlib.sha256).digest()
    return f"{signed}.{encode(signature)}"


def backend_headers(user=None):
    headers = {
        "X-Api-Key": KEY,
        "Stream-Auth-Type": "server",
        "Authorization": f"Bearer {token(server=True)}",
    }
    return headers | ({"X-Stream-User-Id": user} if user else {})


def device_headers(user="anna", **claims):
    return {"X-Api-Key": KEY, "Authorization": f"Bearer {token(user_id=user, **claims)}"}


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def code(self):
        return self.json["error"]["code"]

    @property
    def message(self):
        return self.json["error"]["message"]


class Connection:
    """One connection; requests go out as they are given, right or wrong."""

    def __init__(self, port, timeout=120):
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=timeout)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.pending = b""

    def close(self):
        self.socket.close()

    def send(self, data):
        self.socket.sendall(data)

    def request(self, method, path, headers=None, body=b"", length=None):
        fields = {"Host": "router", "Content-Length": len(body) if length is None else length}
        fields |= headers or {}
        head = f"{method} {path} HTTP/1.1\r\n"
        head += "".join(f"{name}: {value}\r\n" for name, value in fields.items()) + "\r\n"
        self.send(head.encode("latin-1") + body)
        return self.answer()

    def read(self):
        """More bytes; False at the end."""
        data = self.socket.recv(1 << 16)
        self.pending += data
        return bool(data)

    def answer(self):
        """The next answer; None when the connection ends without one."""
        while b"\r\n\r\n" not in self.pending:
            try:
                if not self.read():
                    return None
            except ConnectionResetError:
                return None
        head, _, rest = self.pending.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        headers = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in lines[1:])}
        length = int(headers.get("content-length", 0))
        while len(rest) < length:
            self.pending = b""
            if not self.read():
                return None
            rest += self.pending
        self.pending = rest[length:]
        return Answer(int(lines[0].split()[1]), headers, rest[:length])

    def upgrade(self, path, headers=None):
        fields = {
            "Host": "router",
            "Connection": "Upgrade",
            "Upgrade": "websocket",
            "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
        } | (headers or {})
        head = f"GET {path} HTTP/1.1\r\n"
        self.send((head + "".join(f"{k}: {v}\r\n" for k, v in fields.items()) + "\r\n").encode())
        return self.answer()

    def send_frame(self, opcode, payload):
        head = bytes([0x80 | opcode])
        bit = 0x80
        if len(payload) < 126:
            head += bytes([bit | len(payload)])
        elif len(payload) < 65536:
            head += bytes([bit | 126]) + len(payload).to_bytes(2, "big")
        else:
            head += bytes([bit | 127]) + len(payload).to_bytes(8, "big")
        # A mask of zeros leaves the payload as it is.
        self.send(head + b"\0\0\0\0" + payload)

    def frame(self):
        """The next frame as (opcode, payload); None at the end."""
        while True:
            data = self.pending
            if len(data) >= 2:
                length, start = data[1] & 127, 2
                if length == 126:
                    length, start = int.from_bytes(data[2:4], "big"), 4
                elif length == 127:
                    length, start = int.from_bytes(data[2:10], "big"), 10
                if len(data) >= start + length:
                    self.pending = data[start + length :]
                    return data[0] & 15, data[start : start + length]
            try:
                if not self.read():
                    return None
            except ConnectionResetError:
                return None

    def event(self, kind):
        """The next event of a kind, past all others; None at the end."""
        while frame := self.frame():
            if frame[0] == 1 and (event := json.loads(frame[1]))["type"] == kind:
                return event
        return None

    def close_code(self):
        """The code the router closes with; None when it just ends."""
        while frame := self.frame():
            if frame[0] == 8:
                return int.from_bytes(frame[1][:2], "big") if len(frame[1]) >= 2 else 1005
        return None


class RunningRouter:
    def __init__(self, configuration=CONFIGURATION):
        self.folder = tempfile.TemporaryDirectory(prefix="voice-router-")
        (pathlib.Path(self.folder.name) / "router.yaml").write_text(configuration)
        self.process = subprocess.Popen(
            [program(), "router", "--announce", "--sound-path-only"],
            env=os.environ | {"VOICE_DATA": self.folder.name},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError(self.process.stderr.read().decode())
        self.url = json.loads(line)["url"]
        self.port = int(self.url.rsplit(":", 1)[1])

    def connect(self, timeout=120):
        return Connection(self.port, timeout)

    def send(self, method, path, body=None, headers=None):
        connection = self.connect()
        try:
            data = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
            return connection.request(method, path, backend_headers() if headers is None else headers, data)
        finally:
            connection.close()

    def resident_kib(self):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            return int(next(line for line in status if line.startswith("VmRSS")).split()[1])

    def descriptors(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def is_alive(self):
        return self.process.poll() is None

    def stop(self):
        """Ends it in order; a crash or a leak of a sanitizer shows in the exit code."""
        self.process.stdin.close()
        code = self.process.wait(timeout=180)
        errors = self.process.stderr.read().decode()
        self.process.stdout.close()
        self.process.stderr.close()
        self.folder.cleanup()
        return code, errors
