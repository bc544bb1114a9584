"""The hub's owner API over plain HTTP: the Unix socket of its state folder, or the port of `hub_url` with a token.

Blocking, standard library only: for tools (they run in worker threads) and for processes that are no gateway (`hermes gadget`,
`hermes send`). Errors: OwnerError with the hub's code, text and hint.
"""

from __future__ import annotations

import http.client
import json
import socket
import ssl
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

from .settings import Settings

ANSWER_TIMEOUT_S = 10.0  # for what the hub does at once
MAX_ANSWER_BYTES = 16 * 1024 * 1024  # a list of all devices of a large hub


TOKEN_HINT = "set GADGET_HUB_TOKEN to what is in STATE/owner.token of that hub"


class OwnerError(Exception):
    def __init__(self, code: str, text: str, hint: str = "") -> None:
        super().__init__(text)
        self.code, self.text, self.hint = code, text, hint

    def as_dict(self) -> dict[str, str]:
        return {"code": self.code, "text": self.text, **({"hint": self.hint} if self.hint else {})}


def read_file(name: str, most_bytes: int) -> bytes:
    """A file that is to go to the hub. Errors: ValueError with a sentence."""
    path = Path(name).expanduser()
    try:
        if path.stat().st_size > most_bytes:
            raise ValueError(f"{path} is larger than {most_bytes // 1024 // 1024} MiB")
        return path.read_bytes()
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from error


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str, timeout: float | None) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


class OwnerClient:
    def __init__(self, settings: Settings) -> None:
        self._settings = settings

    def get(self, call: str) -> dict[str, Any]:
        return self._ask("GET", call, None, "", ANSWER_TIMEOUT_S)

    def devices(self, only_online: bool = False) -> dict[str, Any]:
        """All of them: the hub answers in pages."""
        rows: list[Any] = []
        after = ""
        while True:
            query = "&".join(part for part in (f"after={after}" if after else "", "online=true" if only_online else "") if part)
            page = self.get("devices" + (f"?{query}" if query else ""))
            rows += page.get("devices", [])
            after = str(page.get("next") or "")
            if not after:
                return {"devices": rows}

    def post(self, call: str, body: dict[str, Any], timeout: float | None = ANSWER_TIMEOUT_S) -> dict[str, Any]:
        return self._ask("POST", call, json.dumps(body).encode(), "application/json", timeout)

    def post_file(self, call: str, query: dict[str, str], data: bytes, timeout: float | None = 60.0) -> dict[str, Any]:
        pairs = "&".join(f"{key}={quote(value, safe='')}" for key, value in query.items())
        return self._ask("POST", f"{call}?{pairs}", data, "application/octet-stream", timeout)

    def runs(self) -> bool:
        try:
            self.get("info")
        except OwnerError as error:
            return error.code != "no_hub"
        return True

    def _connection(self, timeout: float | None) -> http.client.HTTPConnection:
        if not self._settings.hub_url:
            return _UnixConnection(str(self._settings.socket), timeout)
        url = urlsplit(self._settings.hub_url)
        if url.scheme == "wss":
            return http.client.HTTPSConnection(url.netloc, timeout=timeout, context=ssl.create_default_context())
        return http.client.HTTPConnection(url.netloc, timeout=timeout)

    def _ask(self, method: str, call: str, body: bytes | None, kind: str, timeout: float | None) -> dict[str, Any]:
        headers = {"Content-Type": kind} if kind else {}
        if self._settings.hub_url and self._settings.token():
            headers["Authorization"] = f"Bearer {self._settings.token()}"
        connection = self._connection(timeout)
        try:
            connection.request(method, f"/v1/{call}", body=body, headers=headers)
            response = connection.getresponse()
            raw = response.read(MAX_ANSWER_BYTES + 1)
            status = response.status
        except TimeoutError as error:
            raise OwnerError("timeout", "the hub did not answer in time") from error
        except (OSError, http.client.HTTPException) as error:
            where = self._settings.hub_url or str(self._settings.socket)
            raise OwnerError("no_hub", f"no hub answers at {where} ({error})", "is hermes-gadget hub running?") from error
        finally:
            connection.close()
        try:
            answer = json.loads(raw)
        except ValueError as error:
            raise OwnerError("internal", f"the hub answered with status {status} and something that is no JSON") from error
        if not isinstance(answer, dict):
            raise OwnerError("internal", f"the hub answered with status {status} and no object")
        failure = answer.get("error")
        if status == 401:
            where = self._settings.hub_url or str(self._settings.socket)
            raise OwnerError("unauthorized", f"the hub at {where} does not take this token", TOKEN_HINT)
        if status >= 400 or isinstance(failure, dict):
            failure = failure if isinstance(failure, dict) else {}
            raise OwnerError(
                str(failure.get("code") or "internal"),
                str(failure.get("text") or f"the hub answered with status {status}"),
                str(failure.get("hint") or ""),
            )
        return answer
