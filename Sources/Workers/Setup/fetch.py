"""Gets one archive onto the disk: with progress, resumable, and never half."""

import base64
import http.client
import os
import ssl
import urllib.error
import urllib.parse
import urllib.request

import checksum
from progress import Progress
from trouble import NotToBeHad

BLOCK = 1 << 18
TIMEOUT_SECONDS = 60
ATTEMPTS = 4


def fetch(url, pin, directory, title=None, certificates=None):
    """Fetches `url` into `directory/pin.file` and returns its path.

    What an interrupted run left is continued. The result is compared with the pin before it gets
    its name; a file that differs is deleted.

    Raises NotToBeHad, naming the file.
    """
    directory.mkdir(parents=True, exist_ok=True)
    target = directory / pin.file
    if checksum.matches(target, pin):
        return target
    part = target.with_name(target.name + ".part")
    progress = Progress(title or pin.file)
    try:
        _continue_until_complete(url, pin, part, progress, certificates)
    finally:
        progress.abandon()
    found = checksum.sha256(part)
    if found != pin.sha256:
        part.unlink()
        raise NotToBeHad(
            f"{pin.file} from {_shown(url)} has the SHA-256 {found[:16]}..., pinned is "
            f"{pin.sha256[:16]}...; it was deleted"
        )
    os.replace(part, target)
    return target


def _continue_until_complete(url, pin, part, progress, certificates):
    last = None
    for _ in range(ATTEMPTS):
        have = part.stat().st_size if part.exists() else 0
        if have > pin.bytes:
            part.unlink()
            have = 0
        if have == pin.bytes:
            return
        try:
            _append(url, have, pin, part, progress, certificates)
        except urllib.error.HTTPError as trouble:
            raise NotToBeHad(f"{_shown(url)} answers {trouble.code} {trouble.reason}") from trouble
        except (OSError, http.client.HTTPException) as trouble:
            last = trouble
        else:
            if part.stat().st_size >= pin.bytes:
                return
            last = "the connection ended early"
    have = part.stat().st_size if part.exists() else 0
    raise NotToBeHad(
        f"{pin.file} could not be fetched from {_shown(url)}: {last}; {have} of {pin.bytes} bytes "
        "are kept and the next run goes on from there"
    )


def _append(url, have, pin, part, progress, certificates):
    request = _request(url)
    if have:
        request.add_header("Range", f"bytes={have}-")
    with _open(request, certificates) as answer:
        # A server that ignores the range sends everything again; a file has no status at all.
        continued = have > 0 and getattr(answer, "status", None) == 206
        with open(part, "ab" if continued else "wb") as file:
            done = already = have if continued else 0
            while block := answer.read(BLOCK):
                file.write(block)
                done += len(block)
                if done > pin.bytes:
                    break  # not the pinned file; the checksum will say so
                progress.transfer(done, pin.bytes, already)


def _open(request, certificates):
    if request.type != "https":
        return urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS)
    context = ssl.create_default_context()
    if certificates:
        context.load_verify_locations(cafile=certificates)
    return urllib.request.urlopen(request, timeout=TIMEOUT_SECONDS, context=context)


def _request(url):
    """A request for a URL; credentials in it become a header, as pip does it."""
    split = urllib.parse.urlsplit(url)
    if split.username is None:
        return urllib.request.Request(url)
    host = split.netloc.rpartition("@")[2]
    request = urllib.request.Request(urllib.parse.urlunsplit(split._replace(netloc=host)))
    user = urllib.parse.unquote(split.username)
    password = urllib.parse.unquote(split.password or "")
    token = base64.b64encode(f"{user}:{password}".encode()).decode()
    request.add_header("Authorization", f"Basic {token}")
    return request


def _shown(url):
    """The URL without credentials and query, for messages."""
    split = urllib.parse.urlsplit(url)
    return f"{split.scheme}://{split.netloc.rpartition('@')[2]}{split.path}"
