"""What hostile hosts send: pictures of every kind and damage, raw answers, and a host for them."""

import io
import json
import socketserver
import struct
import time
import zlib
from base64 import b64decode, b85decode
from collections.abc import Callable
from functools import cache
from threading import Thread
from types import TracebackType
from typing import Any, BinaryIO, Self
from urllib.parse import parse_qs

from PIL import Image

# Bytes of a whole answer, where {here} and {stranger} stand for hosts, or who sends it.
Answer = bytes | Callable[[BinaryIO], None]


# A red photo in HEIC, 64 x 48, written by pillow-heif 1.8.1: nothing here writes that format.
HEIC = b64decode("""
AAAAHGZ0eXBoZWljAAAAAG1pZjFoZWljbWlhZgAAAX1tZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAA
AAAAACJpbG9jAAAAAERAAAEAAQAAAAABoQABAAAAAAAAAB4AAAAjaWluZgAAAAAAAQAAABVpbmZlAgAAAAABAABodmMxAAAA
AA5waXRtAAAAAAABAAAA/WlwcnAAAADdaXBjbwAAAHZodmNDAQNwAAAAkAAAAAAAHvAA/P34+AAADwNgAAEAGEABDAH//wNw
AAADAJAAAAMAAAMAHroCQGEAAQAqQgEBA3AAAAMAkAAAAwAAAwAeoCCBBZbq5Ka5uAhoMCAAAAMDIAAAAwAhYgABAAZEAcFz
wIkAAAATY29scm5jbHgAAQANAAaAAAAAFGlzcGUAAAAAAAAAQAAAAEAAAAAoY2xhcAAAAEAAAAABAAAAMAAAAAEAAAAAAAAA
Av////AAAAACAAAAEHBpeGkAAAAAAwgICAAAABhpcG1hAAAAAAAAAAEAAQWBAgMFhAAAACZtZGF0AAAAGigBrxOA+BDhp//8
TSj/+nXPD9PMe/OikM+A
""")

# Made with `jpegtran -arithmetic`: Pillow reads such files, but does not write them.
ARITHMETIC_JPEG = b85decode(
    "|JeWF01!$>Nk#wx0RR9200961|JwjV02>k%7Zed27Zw*D92+1gLMtdGB`8rkJupIGRb^yfRb5+Zc$tA}agcLcU4^"
    "xVke;Kft*d8%yve$z$C;?Br2pFhLjfEf9w;LyPAe-;q;6eqq@<*zq@<*zq@<*zq@<*zq@<*zq@<*zq@<*zq@<*zq"
    "@<*zq@<*zq@<*zq@<*zq@@4J01*fP5C9MZ0U`hb5di}c0sqVZ3IGrg1pyEd1^?Or3<CiG0ucid06zf8m~Qjg{{VK"
    "tKT?$LCa?0_h2a0$"
)


# Pictures


def encoded(kind: str, mode: str = "RGB", size: tuple[int, int] = (40, 30), **how: Any) -> bytes:
    """A picture with something in it; an empty one would be shorter than its own header."""
    noise = Image.effect_noise(size, 80)
    image = noise if mode == "I;16" else noise.convert("RGB")
    content = io.BytesIO()
    image.convert(mode).save(content, kind, **how)
    return content.getvalue()


def two_frames(kind: str) -> bytes:
    """Two different pictures in one file."""
    content = io.BytesIO()
    first, second = Image.new("RGB", (40, 30), "red"), Image.new("RGB", (40, 30), "blue")
    first.save(content, kind, save_all=True, append_images=[second])
    return content.getvalue()


def turned_by_exif(size: tuple[int, int] = (40, 30)) -> bytes:
    """A JPEG that is to be shown on its side."""
    exif = Image.Exif()
    exif[0x0112] = 6
    return encoded("JPEG", size=size, exif=exif)


def with_exif(tiff: bytes) -> bytes:
    """A JPEG whose EXIF block holds these bytes."""
    block = b"Exif\0\0" + tiff
    content = encoded("JPEG")
    return content[:2] + b"\xff\xe1" + struct.pack(">H", len(block) + 2) + block + content[2:]


def claiming(width: int, height: int) -> bytes:
    """A small JPEG whose header claims this size."""
    content = encoded("JPEG")
    size = content.index(b"\xff\xc0") + 5
    return content[:size] + struct.pack(">HH", height, width) + content[size + 4 :]


def cut(content: bytes, share: float, end: bytes = b"") -> bytes:
    """The first part of a file, and perhaps an end."""
    return content[: int(len(content) * share)] + end


def png(width: int = 40, height: int = 30, *extra: tuple[bytes, bytes], rows: int = 30) -> bytes:
    """A grey PNG with further chunks, of which this many rows are there."""
    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    pixels = zlib.compress(bytes(rows * (1 + width)))
    chunks = [(b"IHDR", header), *extra, (b"IDAT", pixels), (b"IEND", b"")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*each) for each in chunks)


def _chunk(name: bytes, data: bytes) -> bytes:
    check = zlib.crc32(name + data)
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", check)


@cache
def inflating(size: int) -> bytes:
    """A few bytes that zlib unpacks to this many."""
    return zlib.compress(bytes(size), 1)


# Answers


def answer(body: bytes, status: str = "200 OK", **headers: str) -> bytes:
    """An answer with its length, unless `headers` say another; a name's _ stands for -."""
    # The connection ends after it: without saying so, a second try may run into its end.
    usual = {"Content_Type": "image/jpeg", "Content_Length": str(len(body)), "Connection": "close"}
    sent = usual | headers
    lines = [f"{name.replace('_', '-')}: {value}" for name, value in sent.items() if value]
    return "\r\n".join([f"HTTP/1.1 {status}", *lines, "\r\n"]).encode() + body


def redirect(location: str, status: str = "302 Found") -> bytes:
    """An answer that leads to another address."""
    return answer(b"", status, Location=location)


def dripping(content: bytes, pause: float, **headers: str) -> Callable[[BinaryIO], None]:
    """Send a body a byte at a time."""

    def send(wire: BinaryIO) -> None:
        wire.write(answer(content, **headers).removesuffix(content))
        for byte in content:
            wire.write(bytes([byte]))
            time.sleep(pause)

    return send


def endless(head: bytes, piece: bytes) -> Callable[[BinaryIO], None]:
    """Send these bytes again and again, until nobody listens."""

    def send(wire: BinaryIO) -> None:
        wire.write(head)
        while True:
            wire.write(piece)

    return send


class HostileHost(socketserver.ThreadingTCPServer):
    """A Flickr's API and its image host, which answers each path as it is told.

    A search for T finds `found[T]`, entries of Flickr's JSON. `asked` are the paths asked for, and
    `headers` those of the last request.
    """

    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Talk)
        self.address = f"http://127.0.0.1:{self.server_address[1]}"
        self.found: dict[str, list[dict[str, Any]]] = {}
        self.answers: dict[str, Answer] = {}
        self.names: dict[str, str] = {"{here}": self.address}
        self.asked: list[str] = []
        self.headers: dict[str, str] = {}

    def respond(self, path: str, content: bytes) -> Answer:
        """What a request for a path, with this body, gets."""
        form = parse_qs(content.decode() + "&" + path.partition("?")[2])
        self.asked.append(path)
        text = form.get("text", [""])[0]
        if self.found and text == "sky":
            return answer(b'{"stat": "ok"}', Content_Type="application/json")
        return self.search(text) if text in self.found else self.answers[path]

    def search(self, text: str) -> bytes:
        entries = self.found[text]
        photos = {"page": 1, "total": str(len(entries)), "photo": entries}
        reply = self.named(json.dumps({"photos": photos, "stat": "ok"}).encode())
        return answer(reply, Content_Type="application/json")

    def named(self, content: bytes) -> bytes:
        for name, stands_for in self.names.items():
            content = content.replace(name.encode(), stands_for.encode())
        return content

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of clients that hang up."""

    def __enter__(self) -> Self:
        Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.shutdown()
        self.server_close()


class _Talk(socketserver.StreamRequestHandler):
    """One request and its answer; then the connection ends."""

    server: HostileHost

    def handle(self) -> None:
        path = self.rfile.readline().decode().split(" ")[1]
        host = self.server
        headers: dict[str, str] = {}
        while (line := self.rfile.readline().strip()) != b"":
            name, _, value = line.decode().partition(": ")
            headers[name.lower()] = value
        host.headers = headers
        reply = host.respond(path, self.rfile.read(int(headers.get("content-length", 0))))
        if isinstance(reply, bytes):
            self.wfile.write(host.named(reply))
        else:
            reply(self.wfile)


def rendered_anew(content: bytes) -> bytes:
    """Other bytes of the same picture, as a host makes them that renders its thumbnails anew."""
    written = io.BytesIO()
    with Image.open(io.BytesIO(content)) as image:
        image.convert("RGB").save(written, "JPEG", quality=80)
    return written.getvalue()
