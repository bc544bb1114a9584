"""The hub's end of the bridge, for tests of the plugin without a hub: sends what it is told, keeps what comes, and checks both against
docs/bridge.schema.json."""

from __future__ import annotations

import asyncio
import json
import threading
import time
from pathlib import Path
from typing import Any, Callable

import websockets

from .frames import validator


def at_once(frame: dict[str, Any]) -> dict[str, Any] | None:
    """Everything works; a question waits for the test."""
    return None if frame["call"] == "ask" else {"ok": True, "result": {}}


def brief(frames: list[dict[str, Any]]) -> str:
    """For people: deltas that follow one another as one."""
    lines: list[str] = []
    for frame, after in zip(list(frames), [*frames[1:], {}]):
        if not frame["type"] == after.get("type") == "turn.delta":
            lines.append(json.dumps(frame, ensure_ascii=False)[:240])
    return "\n".join(lines)


class Peer:
    """Listens on a Unix socket from a thread of its own."""

    def __init__(self, socket: Path) -> None:
        self.socket = socket
        self.frames: list[dict[str, Any]] = []
        self.times: list[float] = []
        self.faults: list[str] = []
        self.connections = 0
        self.answer: Callable[[dict[str, Any]], dict[str, Any] | None] = at_once
        self.devices: list[dict[str, Any]] = []
        self.welcome: dict[str, Any] = {"type": "welcome", "bridge": 1, "hub": "0.1.0"}
        self.turns: list[str] = []  # that have not ended, as a hub knows them
        self._validator = validator()
        self._ws: Any = None
        self._changed = threading.Condition()
        self._loop = asyncio.new_event_loop()
        self._server: Any = None
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def open(self) -> None:
        async def serve() -> None:
            self.socket.parent.mkdir(parents=True, exist_ok=True)
            self.socket.unlink(missing_ok=True)
            self._server = await websockets.unix_serve(self._serve, str(self.socket), max_size=1024 * 1024)

        asyncio.run_coroutine_threadsafe(serve(), self._loop).result(10)

    def close(self) -> None:
        """The hub is gone."""

        async def end() -> None:
            if self._server is not None:
                self._server.close()
                await self._server.wait_closed()
                self._server = None

        asyncio.run_coroutine_threadsafe(end(), self._loop).result(10)
        self.socket.unlink(missing_ok=True)

    def shut_down(self) -> None:
        self.close()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)
        self._loop.close()

    def send(self, frame: dict[str, Any]) -> None:
        self._validator.validate(frame)
        if frame["type"] == "turn":
            self.turns.append(frame["turn"])
        asyncio.run_coroutine_threadsafe(self._ws.send(json.dumps(frame)), self._loop).result(10)

    def send_raw(self, text: str) -> None:
        asyncio.run_coroutine_threadsafe(self._ws.send(text), self._loop).result(10)

    def mark(self) -> int:
        with self._changed:
            return len(self.frames)

    def wait(self, what: Callable[[dict[str, Any]], bool] | str, since: int = 0, limit_s: float = 30.0) -> dict[str, Any]:
        """The first frame after `since` that fits: a type, or a predicate."""
        fits = (lambda frame: frame["type"] == what) if isinstance(what, str) else what
        deadline = time.monotonic() + limit_s
        with self._changed:
            while True:
                for frame in self.frames[since:]:
                    if fits(frame):
                        return frame
                left = deadline - time.monotonic()
                if left <= 0:
                    raise AssertionError(f"no such frame in {limit_s:.0f} s; since then came:\n{brief(self.frames[since:])}")
                self._changed.wait(left)

    def turn(self, turn: str, since: int = 0, limit_s: float = 40.0) -> list[dict[str, Any]]:
        """All frames of a turn, until its end."""
        self.wait(lambda frame: frame["type"] == "turn.end" and frame["turn"] == turn, since, limit_s)
        return [frame for frame in self.frames[since:] if frame.get("turn") == turn]

    async def _serve(self, ws: Any, *_: Any) -> None:
        try:
            await self._talk(ws)
        except websockets.exceptions.ConnectionClosedError:
            pass  # a gateway that was killed

    async def _talk(self, ws: Any) -> None:
        async for message in ws:
            frame = json.loads(message)
            error = next(self._validator.iter_errors(frame), None)
            if error is not None:
                self.faults.append(f"{error.message[:300]} in {message[:300]}")
            if frame["type"] == "hello":
                self.connections += 1
                self._ws = ws
                await ws.send(json.dumps({"turns": self.turns} | self.welcome))
                for device in self.devices:
                    await ws.send(json.dumps(device))
            if frame["type"] == "turn.end" and frame["turn"] in self.turns:
                self.turns.remove(frame["turn"])
            with self._changed:
                self.frames.append(frame)
                self.times.append(time.monotonic())
                self._changed.notify_all()
            if frame["type"] == "request":
                answer = self.answer(frame)
                if answer is not None:
                    await ws.send(json.dumps({"type": "response", "id": frame["id"], **answer}))
