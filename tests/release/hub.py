"""A stand-in of the Hugging Face Hub: data sets, with large files by Git LFS and commits.

It speaks as much of the Hub's own API as `huggingface_hub` asks for to push. What it got is
in `repositories`; `sent` has the large files in the order in which they came, each as often as it
did.
"""

import base64
import hashlib
import json
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote, urlsplit

TOKEN = "hf_the_owners_own_token"
_LARGE = (".parquet",)


@dataclass
class Repository:
    """One data set: its files by path, and a number for each commit."""

    private: bool
    files: dict[str, bytes] = field(default_factory=dict)
    large: set[str] = field(default_factory=set)
    commits: list[str] = field(default_factory=list)
    uploaded: dict[str, str] = field(default_factory=dict)  # large files of any commit, by sha256
    squashed: int = 0

    @property
    def head(self) -> str:
        return hashlib.sha1(f"{self.squashed} {len(self.commits)}".encode()).hexdigest()

    def entry(self, path: str) -> dict[str, Any]:
        content = self.files[path]
        told: dict[str, Any] = {"type": "file", "path": path, "size": len(content)}
        told["oid"] = git_oid(content)
        if path in self.large:
            sha256 = hashlib.sha256(content).hexdigest()
            told["lfs"] = {"oid": sha256, "size": len(content), "pointerSize": 134}
        return told


def git_oid(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


class Hub:
    """The server, at `endpoint` until `close`.

    `interrupt` is called with the number of each large file that came; where it says so, the file
    is lost, and its sender gets no answer. Where it `refuses`, all of them are.
    """

    def __init__(self) -> None:
        self.repositories: dict[str, Repository] = {}
        self.store: dict[str, bytes] = {}
        self.sent: list[str] = []
        self.refuses = False
        self.interrupt: Callable[[int], bool] = lambda number: False
        hub = self

        class Handler(_Handler):
            pass

        Handler.hub = hub
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.endpoint = f"http://localhost:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()

    def close(self) -> None:
        self.server.shutdown()
        self.server.server_close()


class _Handler(BaseHTTPRequestHandler):
    hub: Hub
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Nothing."""

    def answer(self, body: Any, status: int = 200, **headers: str) -> None:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        kind = "application/octet-stream" if isinstance(body, bytes) else "application/json"
        for name, value in {"Content-Type": kind, **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def missing(self, what: str) -> None:
        self.answer({"error": f"{what} not found"}, 404, X_Error_Code=f"{what}NotFound")

    def body(self) -> bytes:
        return self.rfile.read(int(self.headers.get("Content-Length") or 0))

    def handle_any(self) -> None:
        path = unquote(urlsplit(self.path).path)
        body = self.body()
        is_owner = self.headers.get("Authorization") == f"Bearer {TOKEN}"
        if path.startswith("/store/"):  # by an address that nobody else knows
            self.take(path.removeprefix("/store/"), body)
        elif path == "/api/repos/create":
            self.create(json.loads(body), is_owner)
        elif path == "/api/validate-yaml":
            self.answer({"warnings": [], "errors": []})
        elif found := re.fullmatch(r"/(?:api/)?datasets/([^/]+/[^/]+?)(?:\.git)?(/.*)?", path):
            repository = self.hub.repositories.get(found[1])
            if repository is None or (repository.private and not is_owner):
                self.missing("Repo")
            elif self.command in ("POST", "PUT") and not is_owner:
                self.answer({"error": "Unauthorized"}, 401)
            else:
                self.of_repository(found[1], repository, found[2] or "", body)
        else:
            self.missing("Page")

    do_GET = do_POST = do_PUT = do_HEAD = handle_any  # noqa: N815

    def take(self, oid: str, content: bytes) -> None:
        assert hashlib.sha256(content).hexdigest() == oid
        if self.hub.refuses:
            self.answer({"error": "it is not liked"}, 400)
            return
        if self.hub.interrupt(len(self.hub.sent) + 1):
            self.close_connection = True
            return
        self.hub.sent.append(oid)
        self.hub.store[oid] = content
        self.answer({})

    def create(self, asked: dict[str, Any], is_owner: bool) -> None:
        if not is_owner:
            self.answer({"error": "Unauthorized"}, 401)
            return
        name = f"{asked['organization']}/{asked['name']}"
        is_private = asked.get("private") or asked.get("visibility") == "private"
        assert asked["type"] == "dataset"
        if name in self.hub.repositories:
            self.answer({"url": f"{self.hub.endpoint}/datasets/{name}"}, 409)
            return
        self.hub.repositories[name] = Repository(bool(is_private), {".gitattributes": b"*.parquet"})
        self.answer({"url": f"{self.hub.endpoint}/datasets/{name}", "name": name, "id": name})

    def of_repository(self, name: str, repository: Repository, rest: str, body: bytes) -> None:
        asked = json.loads(body) if body.startswith(b"{") and "/commit/" not in rest else {}
        if rest == "" or re.fullmatch(r"/revision/[^/]+", rest):
            self.answer(
                {
                    "id": name,
                    "private": repository.private,
                    "sha": repository.head,
                    "tags": [],
                    "downloads": 0,
                    "lastModified": "2026-01-01T00:00:00.000Z",
                    "siblings": [{"rfilename": path} for path in sorted(repository.files)],
                }
            )
        elif rest == "/settings":
            repository.private = asked.get("private", asked.get("visibility") == "private")
            self.answer({"private": repository.private})
        elif rest.startswith("/preupload/"):
            self.answer({"files": [self.planned(repository, each) for each in asked["files"]]})
        elif rest == "/info/lfs/objects/batch":
            self.answer({"transfer": "basic", "objects": list(map(self.object, asked["objects"]))})
        elif rest.startswith("/commit/"):
            self.commit(name, repository, [json.loads(line) for line in body.splitlines()])
        elif rest.startswith("/super-squash/"):
            repository.commits, repository.squashed = [asked["message"]], repository.squashed + 1
            self.answer({})
        elif rest == "/lfs-files":
            self.answer([self.large_file(*each) for each in repository.uploaded.items()])
        elif rest == "/lfs-files/batch":
            for sha256 in asked["deletions"]["sha"]:
                del repository.uploaded[sha256], self.hub.store[sha256]
            self.answer({})
        elif found := re.fullmatch(r"/tree/[^/]+/?(.*)", rest):
            self.tree(repository, found[1].rstrip("/"))
        else:
            self.missing("Entry")

    def planned(self, repository: Repository, file: dict[str, Any]) -> dict[str, Any]:
        path = file["path"]
        told: dict[str, Any] = {"path": path, "shouldIgnore": False}
        told["uploadMode"] = "lfs" if path.endswith(_LARGE) else "regular"
        if path in repository.files:
            entry = repository.entry(path)
            told["oid"] = entry["lfs"]["oid"] if "lfs" in entry else entry["oid"]
        return told

    def object(self, asked: dict[str, Any]) -> dict[str, Any]:
        told = {"oid": asked["oid"], "size": asked["size"]}
        if asked["oid"] not in self.hub.store:
            href = f"{self.hub.endpoint}/store/{asked['oid']}?signature=secret"
            told["actions"] = {"upload": {"href": href}}
        return told

    def commit(self, name: str, repository: Repository, lines: list[dict[str, Any]]) -> None:
        for value in (line["value"] for line in lines if line["key"] == "lfsFile"):
            repository.files[value["path"]] = self.hub.store[value["oid"]]
            repository.large.add(value["path"])
            repository.uploaded[value["oid"]] = value["path"]
        for value in (line["value"] for line in lines if line["key"] == "file"):
            repository.files[value["path"]] = base64.b64decode(value["content"])
        for value in (line["value"] for line in lines if line["key"] == "deletedFile"):
            del repository.files[value["path"]]
        repository.commits.append(lines[0]["value"]["summary"])
        url = f"{self.hub.endpoint}/datasets/{name}/commit/{repository.head}"
        self.answer({"commitUrl": url, "commitOid": repository.head})

    def large_file(self, sha256: str, path: str) -> dict[str, Any]:
        names = {"fileOid": sha256, "oid": sha256, "filename": path, "ref": "main"}
        size = len(self.hub.store[sha256])
        return {**names, "pushedAt": "2026-01-01T00:00:00.000Z", "size": size}

    def tree(self, repository: Repository, under: str) -> None:
        start = f"{under}/" if under else ""
        files = [path for path in sorted(repository.files) if path.startswith(start)]
        found = [repository.entry(path) for path in files]
        self.answer(found) if found else self.missing("Entry")
