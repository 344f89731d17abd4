"""A host that publishes a key set as Prolific does, and signs as it does; on loopback."""

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from joserfc import jwt
from joserfc.jwk import RSAKey

HOST = "labels.example.org"
IDS = {"PROLIFIC_PID": "P1", "STUDY_ID": "S1", "SESSION_ID": "V1"}


first_key = cache(partial(RSAKey.generate_key, 2048, {"kid": "k1"}))  # which takes its time


class KeyHost:
    """`address` of the key set; `asked` counts requests; `status`, `answer` are what it sends."""

    def __init__(self) -> None:
        self.key = first_key()
        self.address = ""
        self.asked = 0
        self.status = 200
        self.publish(self.key)

    def publish(self, *keys: RSAKey) -> None:
        """Publish these keys, and no others."""
        listed = [{**key.as_dict(private=False), "alg": "RS256", "use": "sig"} for key in keys]
        self.answer = [json.dumps({"keys": listed}).encode()]

    def token(
        self,
        ids: dict[str, str] | None = None,
        key: RSAKey | None = None,
        kid: str = "k1",
        **claims: Any,
    ) -> str:
        """A token as Prolific's; `claims` instead of its own, None for one that is not there."""
        said = {
            "iss": "https://www.prolific.com",
            "aud": f"https://{HOST}/?PROLIFIC_PID=P1",
            "exp": int(time.time()) + 300,
            "prolific": {**(IDS if ids is None else ids), "workspace_id": "w1"},
        } | claims
        said = {name: value for name, value in said.items() if value is not None}
        header = {"alg": "RS256", "kid": kid}
        return jwt.encode(header, said, self.key if key is None else key, algorithms=["RS256"])


@contextmanager
def key_host() -> Iterator[KeyHost]:
    """A host that answers until the block ends."""
    host = KeyHost()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            host.asked += 1
            self.send_response(host.status)
            if host.status == 302:
                self.send_header("Location", f"{host.address}/elsewhere")
            self.end_headers()
            try:
                for part in host.answer:
                    self.wfile.write(part)
            except OSError:
                pass  # the reader has had enough

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        host.address = f"http://127.0.0.1:{server.server_address[1]}"
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        try:
            yield host
        finally:
            server.shutdown()
