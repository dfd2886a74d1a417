"""A Hugging Face Hub on 127.0.0.1 that the real, unmodified clients read from and push to.

Tests look at `hub.requests`, at `hub.store`, and make trouble with `hub.trouble`: a function of a
request, called before it is answered. It may raise `Refusal`, or `Reset` (the connection is cut;
`Reset(after=True)`: once the request has done its work), or kill a process.
"""

from __future__ import annotations

import base64
import json
import socket
import threading
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING
from urllib.parse import parse_qs, unquote, urlsplit

from tests.support.loopback_refusal import Refusal
from tests.support.loopback_store import Commit, File, Repo, Store

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_LARGE = (".parquet",)
_DATE = "2026-01-01T00:00:00.000Z"


class Reset(Exception):  # noqa: N818 - an answer, not a defect
    def __init__(self, *, after: bool = False) -> None:
        super().__init__("reset")
        self.after = after


@dataclass(frozen=True, slots=True)
class Seen:
    number: int
    """From 1, in the order of arrival."""
    method: str
    path: str
    body: bytes


@dataclass(frozen=True, slots=True)
class User:
    name: str
    may_write: bool = True


@dataclass(slots=True)
class LoopbackHub:
    endpoint: str = ""
    users: dict[str, User] = field(default_factory=lambda: {"hf_writer": User("org")})
    """By token; each may write in the namespace of its own name."""
    store: Store = field(default_factory=Store)
    requests: list[Seen] = field(default_factory=list)
    trouble: Callable[[Seen], object] = lambda _: None

    def env(self, home: object, token: str = "hf_writer") -> dict[str, str]:
        """For a client in another process."""
        return {
            "HF_ENDPOINT": self.endpoint,
            "HF_HUB_DISABLE_XET": "1",
            "HF_HOME": str(home),
            "HF_TOKEN": token,
            "HF_UPDATE_DOWNLOAD_COUNTS": "0",
            "HF_HUB_DISABLE_TELEMETRY": "1",
            "HF_HUB_DISABLE_UPDATE_CHECK": "1",
            "HF_HUB_DISABLE_PROGRESS_BARS": "1",
            "HF_DATASETS_DISABLE_PROGRESS_BARS": "1",
            "GOLDSMITH_CACHE": f"{home}/goldsmith",
        }

    def see(self, method: str, path: str, body: bytes) -> Seen:
        with self.store.lock:
            seen = Seen(len(self.requests) + 1, method, path, body)
            self.requests.append(seen)
            return seen


@contextmanager
def loopback_hub() -> Iterator[LoopbackHub]:
    hub = LoopbackHub()
    handler = type("Handler", (_Handler,), {"hub": hub})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    hub.endpoint = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # 40 ms a reply otherwise
    wbufsize = 1 << 16
    hub: LoopbackHub
    body: bytes

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - its name
        pass

    def handle_any(self) -> None:
        self.body = self._read()
        path = urlsplit(self.path).path
        seen = self.hub.see(self.command, path, self.body)
        cut: Reset | None = None
        try:
            try:
                self.hub.trouble(seen)
            except Reset as reset:
                if not reset.after:
                    return self._hang_up()
                cut = reset
            status, answer, headers = self._route([unquote(p) for p in path.split("/") if p])
        except Refusal as refusal:
            extra = {"X-Error-Code": refusal.code} if refusal.code else {}
            status, answer, headers = (
                refusal.status,
                json.dumps(refusal.body).encode(),
                {"X-Error-Message": refusal.message} | extra,
            )
        if cut:
            return self._hang_up()
        return self._send(status, answer, headers)

    do_GET = do_HEAD = do_POST = do_PUT = handle_any  # noqa: N815 - their names

    def _read(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def _hang_up(self) -> None:
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def _send(self, status: int, answer: bytes, headers: Mapping[str, str]) -> None:
        self.send_response(status)
        for key, value in ({"Content-Type": "application/json"} | dict(headers)).items():
            self.send_header(key, value)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(answer)

    def _user(self) -> User | None:
        token = (self.headers.get("Authorization") or "").removeprefix("Bearer ").strip()
        if token and token not in self.hub.users:
            raise Refusal(401, "Invalid credentials in Authorization header")
        return self.hub.users.get(token)

    def _repo(self, name: str, *, write: bool = False) -> Repo:
        user, repo = self._user(), self.hub.store.repos.get(name)
        owner = name.split("/", maxsplit=1)[0]
        hidden = repo is not None and repo.private and (user is None or user.name != owner)
        if repo is None or hidden:
            raise Refusal(404 if user else 401, "Repository not found", "RepoNotFound")
        if write and (user is None or not user.may_write or user.name != owner):
            raise Refusal(403, "Forbidden: you don't have the required permission")
        return repo

    def _route(self, p: list[str]) -> tuple[int, bytes, dict[str, str]]:
        if p[0] == "_lfs":
            return self._upload(p)
        if p[0] == "datasets" and p[3:4] == ["resolve"]:
            return self._file(f"{p[1]}/{p[2]}", p[4], "/".join(p[5:]))
        with self.hub.store.lock:
            if p[0] == "datasets" and p[3:] == ["info", "lfs", "objects", "batch"]:
                return _json(self._batch(f"{p[1]}/{p[2].removesuffix('.git')}"))
            if p == ["api", "validate-yaml"]:
                return _json({"errors": [], "warnings": []})
            if p == ["api", "repos", "create"]:
                return _json(self._create())
            if p[:2] == ["api", "datasets"] and len(p) >= 4:
                return _json(self._of_repo(f"{p[2]}/{p[3]}", [*p[4:], "revision"][0], p[5:]))
        raise Refusal(404, f"no route {self.command} {self.path}")

    def _of_repo(self, name: str, kind: str, rest: list[str]) -> object:
        repo = self._repo(name, write=kind in {"preupload", "commit", "tag"})
        answers: dict[str, Callable[[], object]] = {
            "revision": lambda: self._info(name, repo, rest),
            "refs": lambda: _refs(repo),
            "commits": lambda: [_commit_entry(commit) for commit in repo.history()],
            "tree": lambda: _tree(repo, rest),
            "paths-info": lambda: self._paths(repo, rest),
            "preupload": lambda: self._preupload(repo, rest),
            "commit": lambda: self._commit(name, repo),
            "tag": lambda: self._tag(repo, rest),
        }
        if kind not in answers:
            raise Refusal(404, f"no route {self.command} {self.path}")
        return answers[kind]()

    def _create(self) -> object:
        user, asked = self._user(), json.loads(self.body)
        if user is None:
            raise Refusal(401, "Invalid username or password.")
        name = f"{asked.get('organization') or user.name}/{asked['name']}"
        answer: dict[str, object] = {"url": f"{self.hub.endpoint}/datasets/{name}", "name": name}
        if not user.may_write or name.split("/", maxsplit=1)[0] != user.name:
            raise Refusal(403, "You don't have the rights to create a dataset here")
        if name in self.hub.store.repos:
            raise Refusal(409, "You already created this dataset repo", body=answer)
        repo = Repo(private=asked.get("visibility") == "private" or bool(asked.get("private")))
        repo.add("initial commit", {".gitattributes": File(b"*.parquet filter=lfs\n", large=False)})
        self.hub.store.repos[name] = repo
        return answer

    def _info(self, name: str, repo: Repo, rest: list[str]) -> object:
        commit = repo.resolve("/".join(rest) or "main")
        return {
            "_id": "0",
            "id": name,
            "sha": commit.sha,
            "private": repo.private,
            "gated": False,
            "disabled": False,
            "lastModified": _DATE,
            "createdAt": _DATE,
            "tags": [],
            "siblings": [{"rfilename": path} for path in sorted(commit.files)],
        }

    def _paths(self, repo: Repo, rest: list[str]) -> object:
        files = repo.resolve("/".join(rest)).files
        asked = parse_qs(self.body.decode()).get("paths", [])
        return [_entry(path, files[path]) for path in asked if path in files]

    def _preupload(self, repo: Repo, rest: list[str]) -> object:
        files = repo.resolve("/".join(rest)).files
        asked = json.loads(self.body)["files"]
        return {
            "files": [
                {
                    "path": one["path"],
                    "uploadMode": "lfs" if one["path"].endswith(_LARGE) else "regular",
                    "shouldIgnore": False,
                    "oid": files[one["path"]].hub_id if one["path"] in files else None,
                }
                for one in asked
            ]
        }

    def _batch(self, name: str) -> object:
        self._repo(name, write=True)
        objects = []
        for one in json.loads(self.body)["objects"]:
            entry = {"oid": one["oid"], "size": one["size"]}
            if one["oid"] not in self.hub.store.objects:
                href = f"{self.hub.endpoint}/_lfs/{one['oid']}"
                entry["actions"] = {"upload": {"href": href, "header": {}}}
            objects.append(entry)
        return {"transfer": "basic", "objects": objects}

    def _upload(self, p: list[str]) -> tuple[int, bytes, dict[str, str]]:
        if File(self.body, large=True).sha256 != p[1]:
            raise Refusal(400, "sha256 mismatch")
        self.hub.store.objects[p[1]] = self.body
        return _json({})

    def _commit(self, name: str, repo: Repo) -> object:
        lines = [json.loads(line) for line in self.body.splitlines() if line.strip()]
        head, files = lines[0]["value"], dict(repo.resolve("main").files)
        if head.get("parentCommit", repo.main) != repo.main:
            raise Refusal(412, "A commit has happened since. Please refresh and try again.")
        for line in lines[1:]:
            value = line["value"]
            if line["key"] == "file":
                files[value["path"]] = File(base64.b64decode(value["content"]), large=False)
            elif line["key"] == "lfsFile" and value["oid"] in self.hub.store.objects:
                files[value["path"]] = File(self.hub.store.objects[value["oid"]], large=True)
            else:
                raise Refusal(400, f"cannot do {line['key']} {value['path']}")
        sha = repo.add(head["summary"], files)
        url = f"{self.hub.endpoint}/datasets/{name}/commit/{sha}"
        return {"success": True, "commitOid": sha, "commitUrl": url}

    def _tag(self, repo: Repo, rest: list[str]) -> object:
        tag = json.loads(self.body)["tag"]
        if tag in repo.tags:
            raise Refusal(409, f"Reference already exists: {tag}")
        repo.tags[tag] = repo.resolve("/".join(rest)).sha
        return {}

    def _file(self, name: str, revision: str, path: str) -> tuple[int, bytes, dict[str, str]]:
        repo = self._repo(name)
        if repo.gated:
            raise Refusal(403, "Access to this dataset is restricted.", "GatedRepo")
        commit = repo.resolve(revision)
        headers = {"X-Repo-Commit": commit.sha}
        if path not in commit.files:
            gone = {"X-Error-Code": "EntryNotFound", "X-Error-Message": "Entry not found"}
            return 404, b"{}", headers | gone
        file = commit.files[path]
        headers |= {"ETag": f'"{file.hub_id}"', "Accept-Ranges": "bytes"}
        if file.large:
            headers["X-Linked-Size"] = str(len(file.content))
            headers["X-Linked-Etag"] = f'"{file.sha256}"'
        asked = (self.headers.get("Range") or "").removeprefix("bytes=")
        if asked and self.command == "GET":
            first, _, last = asked.partition("-")
            part = file.content[int(first) : int(last) + 1 if last else None]
            span = f"bytes {first}-{int(first) + len(part) - 1}/{len(file.content)}"
            return 206, part, headers | {"Content-Range": span}
        return 200, file.content, headers


def _json(value: object) -> tuple[int, bytes, dict[str, str]]:
    return 200, json.dumps(value).encode(), {}


def _refs(repo: Repo) -> object:
    tags = [
        {"name": tag, "ref": f"refs/tags/{tag}", "targetCommit": sha}
        for tag, sha in repo.tags.items()
    ]
    branches = [{"name": "main", "ref": "refs/heads/main", "targetCommit": repo.main}]
    return {"branches": branches, "tags": tags, "converts": [], "pullRequests": []}


def _commit_entry(commit: Commit) -> object:
    entry = {"id": commit.sha, "title": commit.title, "message": "", "date": _DATE}
    return entry | {"authors": [{"user": "org"}]}


def _entry(path: str, file: File) -> dict[str, object]:
    entry: dict[str, object] = {"type": "file", "path": path, "oid": file.oid}
    entry["size"] = len(file.content)
    if file.large:
        entry["lfs"] = {"oid": file.sha256, "size": len(file.content), "pointerSize": 130}
    return entry


def _tree(repo: Repo, rest: list[str]) -> object:
    files = repo.resolve(rest[0]).files
    if rest[1:]:
        raise Refusal(404, "no such folder", "EntryNotFound")
    return [_entry(path, file) for path, file in sorted(files.items())]
