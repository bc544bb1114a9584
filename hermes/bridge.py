"""The plugin's end of the bridge (docs/bridge.md): one WebSocket to the hub, made again whenever it breaks.

Nothing here is fatal: a hub that is down, of another version or talking nonsense is said once in the log, and tried again. Owner: the
gateway's loop; `send` and `request` are for that loop only.

What waits while there is no hub: `turn.final` and `turn.end` always (bounded by MAX_BACKLOG_BYTES: the oldest turn goes first; taken by
`backlog()`), questions
with a `ref` until they are answered; other requests fail with `no_hub` after CONNECT_PATIENCE_S. Everything else is about a moment and
is dropped: after `welcome` the turns say again where they are.
"""

from __future__ import annotations

import asyncio
import inspect
import json
import logging
from collections import deque
from dataclasses import dataclass
from typing import Any, Callable

try:  # websockets 13 and later
    from websockets.asyncio.client import connect, unix_connect

    _HEADERS = "additional_headers"
except ImportError:
    from websockets import connect, unix_connect  # type: ignore[no-redef]

    _HEADERS = "extra_headers"

from .owner import TOKEN_HINT
from .settings import Settings

VERSION = 1
PATH = "/bridge"
MAX_FRAME_BYTES = 1024 * 1024
MAX_BACKLOG_BYTES = 8 * 1024 * 1024
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.5, 15.0
REFUSED_PAUSE_S = 60.0  # after `refused` or `replaced`: the other side will not change its mind soon
HELLO_TIMEOUT_S = 10.0
CONNECT_PATIENCE_S = 10.0
KEPT = ("turn.final", "turn.end")

log = logging.getLogger("gadget.bridge")


class BridgeError(Exception):
    """What the hub answered to a request, or why there was no answer."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code


def why_not(error: Exception, where: str, over_tcp: bool) -> str:
    """Why there is no connection, and what helps: a sentence for the log."""
    response = getattr(error, "response", None)
    status = getattr(response, "status_code", None) or getattr(error, "status_code", None)
    if status == 401:
        return f"the hub at {where} does not take this token: {TOKEN_HINT}"
    if status == 404:
        return f"the hub at {where} has no bridge: it must run with --agent hermes (agent = \"hermes\" in hub.toml)"
    if status is not None:
        return f"what answers at {where} is no hub's owner API (HTTP {status})"
    if isinstance(error, (ConnectionRefusedError, FileNotFoundError)):
        hint = "; is it running, with owner_listen set to this address?" if over_tcp else ""
        return f"no hub runs at {where}{hint}"
    if isinstance(error, TimeoutError):
        return f"the hub at {where} did not answer in {HELLO_TIMEOUT_S:.0f} s"
    return f"no hub at {where}: {str(error) or type(error).__name__}"


@dataclass
class _Request:
    frame: dict[str, Any]
    answer: asyncio.Future
    sent: bool = False

    @property
    def repeatable(self) -> bool:
        return "ref" in self.frame


class Bridge:
    def __init__(
        self,
        settings: Settings,
        hello: Callable[[], dict[str, Any]],
        on_frame: Callable[[dict[str, Any]], None],
        on_welcome: Callable[[dict[str, Any]], None],
    ) -> None:
        self._settings = settings
        self._hello, self._on_frame, self._on_welcome = hello, on_frame, on_welcome
        self._queue: deque[dict[str, Any]] = deque()  # for the connection that is open
        self._deltas: dict[str, dict[str, Any]] = {}  # the newest of each turn that waits in the queue
        self._backlog: deque[dict[str, Any]] = deque()  # frames for the next connection
        self._requests: dict[str, _Request] = {}
        self._serial = 0
        self._wake = asyncio.Event()
        self.connected = asyncio.Event()
        self._task: asyncio.Task | None = None
        self._said = ""

    def start(self) -> None:
        if self._task is None:
            self._task = asyncio.get_running_loop().create_task(self._run(), name="gadget-bridge")

    async def stop(self, patience_s: float = 1.0) -> None:
        """Sends what waits, then closes."""
        try:
            async with asyncio.timeout(patience_s):
                while self.connected.is_set() and self._queue:
                    await asyncio.sleep(0.01)
        except TimeoutError:
            pass
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        for request in list(self._requests.values()):
            self._fail(request, "no_hub", "the gateway goes down")

    def backlog_turns(self) -> list[str]:
        return list(dict.fromkeys(str(frame["turn"]) for frame in self._backlog))

    def backlog(self) -> list[dict[str, Any]]:
        """Takes what waited while there was no hub."""
        frames = list(self._backlog)
        self._backlog.clear()
        return frames

    def send(self, frame: dict[str, Any]) -> None:
        kind = frame["type"]
        if not self.connected.is_set():
            if kind in KEPT:
                self._keep(frame)
            return
        if kind == "turn.delta":
            # Only the newest text of a turn is worth writing: a slow socket gets fewer and longer ones.
            waiting = self._deltas.get(frame["turn"])
            if waiting is not None:
                waiting["text"] = frame["text"]
                return
            frame = self._deltas[frame["turn"]] = dict(frame)
        elif "turn" in frame:
            self._deltas.pop(frame["turn"], None)
        self._queue.append(frame)
        self._wake.set()

    async def request(self, call: str, args: dict[str, Any], ref: str | None = None, timeout: float | None = 30.0) -> dict[str, Any]:
        """Asks the hub. With a `ref` it outlives connections; without, it fails with the one that it was sent on."""
        if ref is None and not self.connected.is_set():
            try:
                async with asyncio.timeout(CONNECT_PATIENCE_S):
                    await self.connected.wait()
            except TimeoutError:
                raise BridgeError("no_hub", "the hub is not connected") from None
        self._serial += 1
        frame = {"type": "request", "id": f"q{self._serial}", "call": call, "args": args}
        if ref is not None:
            frame["ref"] = ref
        request = _Request(frame, asyncio.get_running_loop().create_future())
        self._requests[frame["id"]] = request
        self._submit(request)
        try:
            async with asyncio.timeout(timeout):
                return await request.answer
        except TimeoutError:
            raise BridgeError("timeout", f"the hub did not answer {call}") from None
        finally:
            self._requests.pop(frame["id"], None)

    # ---- the connection

    async def _run(self) -> None:
        pause = FIRST_PAUSE_S
        while True:
            refused = False
            try:
                async with self._connection() as socket:
                    refused = await self._converse(socket)
                    if self._welcomed:
                        pause = FIRST_PAUSE_S
            except asyncio.CancelledError:
                raise
            except Exception as error:  # whatever it was: the next attempt tells more
                self._say_once(why_not(error, self._where(), bool(self._settings.hub_url)))
            finally:
                self._disconnected()
            await asyncio.sleep(REFUSED_PAUSE_S if refused else pause)
            pause = min(pause * 2, LONGEST_PAUSE_S)

    def _where(self) -> str:
        return self._settings.hub_url or str(self._settings.socket)

    def _connection(self) -> Any:
        options: dict[str, Any] = {"max_size": MAX_FRAME_BYTES, "compression": None, "open_timeout": HELLO_TIMEOUT_S}
        if not self._settings.hub_url:
            return unix_connect(str(self._settings.socket), f"ws://localhost{PATH}", **options)
        token = self._settings.token()
        if token:
            options[_HEADERS] = {"Authorization": f"Bearer {token}"}
        if "proxy" in inspect.signature(connect).parameters:
            options["proxy"] = None  # the hub is on this machine or near it
        url = self._settings.hub_url.rstrip("/")
        return connect(url if url.endswith(PATH) else url + PATH, **options)

    async def _converse(self, socket: Any) -> bool:
        """Until the connection ends. True: the hub does not want this plugin."""
        self._welcomed = False
        await socket.send(json.dumps({"type": "hello", "bridge": VERSION, **self._hello()}))
        async with asyncio.timeout(HELLO_TIMEOUT_S):
            first = self._parsed(await socket.recv())
        if first is None or first.get("type") != "welcome":
            why = (first or {}).get("text") or "its first frame is no welcome"
            self._say_once(f"the hub at {self._where()} refuses the plugin: {why}")
            return True
        if first.get("bridge") != VERSION:
            self._say_once(f"the hub at {self._where()} speaks bridge version {first.get('bridge')}, this plugin {VERSION}")
            return True
        self._welcomed = True
        self._said = ""
        log.info("connected to the hub at %s", self._where())
        self.connected.set()
        for request in list(self._requests.values()):
            if request.repeatable or not request.sent:
                self._submit(request)
        self._guarded(self._on_welcome, first)
        self._wake.set()
        writer = asyncio.create_task(self._write(socket))
        try:
            async for message in socket:
                frame = self._parsed(message)
                if frame is None:
                    continue
                if frame["type"] == "response":
                    self._response(frame)
                elif frame["type"] == "fault":
                    log.warning("the hub did not understand a frame: %s", str(frame.get("text"))[:200])
                else:
                    self._guarded(self._on_frame, frame)
        except Exception as error:
            log.info("the connection to the hub broke: %s", error)
        finally:
            writer.cancel()
            await asyncio.gather(writer, return_exceptions=True)
        if "replaced" in str(getattr(socket, "close_reason", "") or ""):
            log.warning("another gateway has taken over the gadgets of this hub")
            return True
        return False

    async def _write(self, socket: Any) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._queue:
                frame = self._queue[0]
                if frame["type"] == "turn.delta" and self._deltas.get(frame["turn"]) is frame:
                    del self._deltas[frame["turn"]]  # from here on a newer text is a frame of its own
                await socket.send(json.dumps(frame, ensure_ascii=False))
                self._queue.popleft()

    @staticmethod
    def _parsed(message: Any) -> dict[str, Any] | None:
        try:
            frame = json.loads(message)
        except (TypeError, ValueError, RecursionError):
            frame = None
        if not isinstance(frame, dict) or not isinstance(frame.get("type"), str):
            log.warning("the hub sent something that is no frame")
            return None
        return frame

    @staticmethod
    def _guarded(call: Callable[[dict[str, Any]], None], frame: dict[str, Any]) -> None:
        try:
            call(frame)
        except (KeyError, TypeError, ValueError) as error:
            log.warning("a %s of the hub lacks something or is wrong: %r", str(frame.get("type"))[:40], error)
        except Exception:
            log.exception("a %s of the hub could not be handled", str(frame.get("type"))[:40])

    def _disconnected(self) -> None:
        self.connected.clear()
        for frame in self._queue:
            if frame["type"] in KEPT:
                self._keep(frame)
        self._queue.clear()
        self._deltas.clear()
        for request in list(self._requests.values()):
            if request.sent and not request.repeatable:
                self._fail(request, "no_hub", "the connection to the hub broke before it answered")

    def _keep(self, frame: dict[str, Any]) -> None:
        self._backlog.append(frame)
        while sum(len(str(one.get("text", ""))) + 100 for one in self._backlog) > MAX_BACKLOG_BYTES // 4:  # of UTF-8
            oldest = self._backlog[0]["turn"]
            self._backlog = deque(one for one in self._backlog if one["turn"] != oldest)
            log.warning("the hub is away for long: the answer of a turn was dropped")

    # ---- requests

    def _submit(self, request: _Request) -> None:
        if self.connected.is_set():
            request.sent = True
            self.send(request.frame)

    def _response(self, frame: dict[str, Any]) -> None:
        request = self._requests.get(str(frame.get("id")))
        if request is None or request.answer.done():
            return
        if frame.get("ok") is True:
            result = frame.get("result")
            request.answer.set_result(result if isinstance(result, dict) else {})
            return
        error = frame.get("error")
        error = error if isinstance(error, dict) else {}
        self._fail(request, str(error.get("code") or "internal"), str(error.get("text") or "the hub could not do it"))

    @staticmethod
    def _fail(request: _Request, code: str, text: str) -> None:
        if not request.answer.done():
            request.answer.set_exception(BridgeError(code, text))

    def _say_once(self, text: str) -> None:
        if text != self._said:
            self._said = text
            log.warning("%s", text)
