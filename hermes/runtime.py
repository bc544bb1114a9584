"""What lives as long as the gateway's process: the bridge, the turns, the questions, and who is there.

The gateway may replace its adapter object at any time; turns and questions belong to the process and go on. Hooks and tools come from
other threads and find their way here by `current()` and `from_thread`.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
import time
from typing import Any, Callable

from . import audio, compat, text as texts
from .bridge import Bridge, BridgeError
from .door import Door
from .hub_process import HubProcess
from .questions import Gate, Questions
from .settings import Settings
from .tasks import Tasks
from .turn import Turn
from .turns import Turns

log = logging.getLogger("gadget")

PLUGIN_VERSION = "0.1.0"
STOPS_PATIENCE_S = 5.0
TICK_S = 1.0  # an approval reaches its device within 2 s
# An adapter that fails is replaced by the gateway after 7 s, later after 30 s: until then messages wait, and hub and bridge stay.
ADAPTER_PATIENCE_S = 45.0
LEAVE_S = 60.0  # without an adapter, until the bridge closes
SPOKEN_OVER = "The person began to speak before your last answer was read to its end."
MAX_PROMPT_BYTES = 6000  # of what the model is told about a device

_runtime: "Runtime | None" = None


def current() -> "Runtime | None":
    """The one of this process; None where no gateway runs (command line)."""
    return _runtime


class Runtime:
    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.instance = secrets.token_hex(16)
        self.loop = asyncio.get_running_loop()
        self.adapter: Any = None
        self.devices: dict[str, dict[str, Any]] = {}
        self.bridge = Bridge(settings, self._hello, self._frame, self._welcome)
        self.turns = Turns(self, time.monotonic, compat.has_hook("on_stream_delta"))
        self.questions = Questions(
            Gate(
                request=self.bridge.request,
                withdraw=lambda ref: self.bridge.send({"type": "withdraw", "ref": ref}),
                resolve_approval=compat.resolve_approval,
                resolve_confirmation=compat.resolve_confirmation,
                resolve_clarification=compat.resolve_clarification,
                take_next_text=compat.take_next_text,
                ask_openly=self._ask_openly,
                show=lambda device, text: self.spawn(self.show(device, text)),
            ),
            self.instance,
        )
        self.door = Door(
            self.bridge.send,
            self._authorized,
            compat.pairing_code,
            compat.waits_for_approval,
            compat.hermes_home() / "platforms" / "gadget" / "codes.json",
            self._first_approved,
        )
        self.hub = HubProcess(settings, compat.hermes_home() / "logs" / "gadget-hub.log")
        self.recordings = audio.Recordings()
        self._tasks = Tasks()
        self._queues: dict[str, asyncio.Queue] = {}  # by device: its turns, one after the other
        self._spoken_over: set[str] = set()  # devices whose person did not hear the last answer to its end
        self._stops: dict[str, set[asyncio.Task]] = {}
        self._ticker: asyncio.Task | None = None
        self._said: set[str] = set()
        self._served = asyncio.Event()  # an adapter is there
        self._leaving: asyncio.Task | None = None

    # ---- life

    @classmethod
    def attach(cls, adapter: Any, settings: Settings) -> "Runtime":
        """For an adapter that connects: the process's runtime, made by the first one."""
        global _runtime
        if _runtime is None or _runtime.loop is not asyncio.get_running_loop():
            _runtime = cls(settings)
            for problem in settings.problems + compat.missing():
                log.warning("%s", problem)
        _runtime.adapter = adapter
        _runtime._served.set()
        if _runtime._leaving is not None:
            _runtime._leaving.cancel()
            _runtime._leaving = None
        _runtime.hub.start()
        _runtime.bridge.start()
        if _runtime._ticker is None:
            _runtime._ticker = _runtime.spawn(_runtime._tick())
        return _runtime

    async def detach(self, adapter: Any) -> None:
        """The adapter goes. With the gateway the bridge closes, after what waits was sent. A gateway that goes on makes another one."""
        if self.adapter is not adapter:
            return
        self.adapter = None
        self._served.clear()
        if compat.goes_on(adapter):
            log.info("the gateway replaces its adapter for gadgets")
            self._leaving = self.spawn(self._leave_later())
        else:
            await self._leave()

    async def _leave_later(self) -> None:
        await asyncio.sleep(LEAVE_S)
        log.warning("the gateway has no adapter for gadgets any more; the bridge closes")
        self._leaving = None
        await self._leave()

    async def _leave(self) -> None:
        await self.bridge.stop()
        await self.hub.stop()
        if self._ticker is not None:
            self._ticker.cancel()
            self._ticker = None

    def spawn(self, work: Any) -> asyncio.Task:
        return self._tasks.spawn(work)

    def from_thread(self, call: Callable[..., None], *args: Any) -> None:
        """Runs it on the loop, soon and in order."""
        with contextlib.suppress(RuntimeError):  # the loop is closed: the gateway goes down
            self.loop.call_soon_threadsafe(call, *args)

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(TICK_S)
            try:
                self.turns.tick()
                if self.bridge.connected.is_set():
                    self.door.tick()
            except Exception:
                log.exception("the gadget platform's look at its devices failed")

    # ---- the hub's frames

    def _hello(self) -> dict[str, Any]:
        self.door.disconnected()
        turns = list(dict.fromkeys(self.turns.open_ids() + self.bridge.backlog_turns()))
        return {
            "plugin": PLUGIN_VERSION,
            "gateway": compat.gateway_version(),
            "instance": self.instance,
            "turns": turns,
            "hears": self.settings.hear == "hermes",
            "speaks": self.settings.voice == "hermes",
        }

    def _welcome(self, frame: dict[str, Any]) -> None:
        """What waited goes to the hub. Turns that it does not know (it was started again): their answers are said, as soon as they are
        there."""
        named = frame.get("turns")
        known = {str(turn) for turn in named} if isinstance(named, list) else None  # None: it does not say
        self.turns.orphan(known)
        for kept in self.bridge.backlog():
            if known is None or str(kept["turn"]) in known:
                self.bridge.send(kept)
            elif kept["type"] == "turn.final":
                self.say(str(kept["device"]), str(kept["text"]))
        self.turns.repeat()

    def _frame(self, frame: dict[str, Any]) -> None:
        kind = frame["type"]
        if kind == "device":
            self.devices[str(frame["device"])] = frame
            self.door.device(frame)
        elif kind == "pair":
            self.door.wants_code(frame)
        elif kind == "unpair":
            self.door.wants_none(str(frame["device"]))
        elif kind == "turn.audio":
            self.recordings.piece(frame)
        elif kind == "turn":
            str(frame["text"])
            turn = self.turns.given(frame)
            if turn is not None:
                self._queue(turn.device).put_nowait((turn, frame))
        elif kind == "turn.cancel":
            turn = self.turns.current(str(frame["device"]))
            if turn is not None and turn.id == frame["turn"]:
                self.questions.cancel(turn.device)
            if frame.get("because") == "speech":
                self._spoken_over.add(str(frame["device"]))
            self.turns.cancel(str(frame["turn"]))
        elif kind == "session.new":
            self._queue(str(frame["device"])).put_nowait((None, frame))

    def _queue(self, device: str) -> asyncio.Queue:
        queue = self._queues.get(device)
        if queue is None:
            queue = self._queues[device] = asyncio.Queue()
            self.spawn(self._work(device, queue))
        return queue

    async def _work(self, device: str, queue: asyncio.Queue) -> None:
        while True:
            turn, frame = await queue.get()
            try:
                if self.adapter is None:
                    with contextlib.suppress(TimeoutError):
                        async with asyncio.timeout(ADAPTER_PATIENCE_S):
                            await self._served.wait()
                if self.adapter is None:
                    if turn is not None:
                        self.turns.refuse(turn, "Hermes is restarting")
                elif turn is None:
                    await self._stops_done(device)
                    await self.adapter.new_session(device)
                else:
                    await self._stops_done(device)
                    await self.adapter.hand_over(turn, frame)
            except Exception:
                log.exception("a message of %s could not be handed to the gateway", device)
                if turn is not None:
                    self.turns.refuse(turn, "Hermes could not take the message")

    # ---- Effects of Turns

    def emit(self, frame: dict[str, Any]) -> None:
        self.bridge.send(frame)

    def stop(self, turn: Turn) -> None:
        if self.adapter is not None:
            self._stops.setdefault(turn.device, set()).add(self.spawn(self.adapter.stop_run(turn)))

    async def _stops_done(self, device: str) -> None:
        """A message that reaches the gateway while it still stops the one before would be lost there."""
        stops = self._stops.pop(device, set())
        if stops:
            await asyncio.wait(stops, timeout=STOPS_PATIENCE_S)

    def say(self, device: str, text: str) -> None:
        self.spawn(self.deliver(device, text))

    # ---- outside of turns

    async def deliver(self, device: str, text: str) -> str | None:
        """None: the hub has it, and keeps it for a device that is away. Else: why not."""
        try:
            await self.bridge.request("say", {"device": device, "text": texts.cut(text)})
        except BridgeError as error:
            log.warning("a message for %s was not delivered: %s", device, error)
            return str(error)
        return None

    async def show(self, device: str, text: str) -> str | None:
        try:
            await self.bridge.request("show", {"device": device, "title": "Hermes", "body": texts.cut(text, 4096)})
        except BridgeError as error:
            log.warning("a card for %s was not delivered: %s", device, error)
            return str(error)
        return None

    # ---- Hermes' own voice

    def voice(self, device: str, rate_hz: int, pcm: bytes) -> bool:
        """A piece of the answer's speech. False: no turn of this device wants it."""
        turn = self.turns.speaking(device)
        if turn is None:
            return False
        for frame in audio.frames(turn.id, rate_hz, pcm):
            self.bridge.send(frame)
        return True

    async def play(self, device: str, path: str) -> bool:
        """A file that the gateway made."""
        if self.turns.speaking(device) is None:
            return False
        try:
            rate_hz, pcm = await asyncio.to_thread(audio.pcm_of, path)
        except audio.NoAudio as error:
            self._say_once(f"an answer stays silent: {error}")
            return False
        return self.voice(device, rate_hz, pcm)

    def _say_once(self, text: str) -> None:
        if text not in self._said:
            self._said.add(text[:200])
            log.warning("%s", text)

    def _ask_openly(self, device: str, question: str) -> None:
        if not self.turns.ask_openly(device, question):
            self.spawn(self.deliver(device, question))

    def name_of(self, device: str) -> str:
        return texts.clean_name(str(self.devices.get(device, {}).get("name") or ""), device)

    def prompt_for(self, device: str) -> str:
        prompt = describe(device, self.devices.get(device, {}))
        if device in self._spoken_over:
            self._spoken_over.discard(device)
            prompt += "\n" + SPOKEN_OVER
        return prompt

    def _authorized(self, device: str) -> bool | None:
        adapter = self.adapter
        return None if adapter is None else adapter.is_authorized(device)

    def _first_approved(self, device: str) -> None:
        if self.settings.auto_home and self.adapter is not None:
            self.adapter.offer_home(device)


def describe(device: str, frame: dict[str, Any]) -> str:
    """What the model is told about the device that speaks. All words of the device are data: cleaned and cut."""
    name = texts.clean_name(str(frame.get("name") or ""), device)
    lines = [f"You are speaking through a small desk device, a Hermes Gadget named {name!r} (id {device})."]
    display = frame.get("display")
    if isinstance(display, dict):
        lines.append(f"It has a screen of {display.get('width')}x{display.get('height')} pixels that shows your answer.")
    else:
        lines.append("It has no screen.")
    if frame.get("speaker"):
        lines.append("Your answer is read aloud: keep it short and plain, without tables, code blocks or links.")
    else:
        lines.append("It has no speaker: your answer is read on the screen. Keep it short.")
    actions = frame.get("actions")
    if isinstance(actions, list) and actions:
        lines.append("Its actions, to be run with the tool gadget_action:")
        for action in actions[:64]:
            if isinstance(action, dict) and action.get("name"):
                what = texts.one_line(str(action.get("description") or ""), 200)
                lines.append(f"- {texts.one_line(str(action['name']), 64)}: {what}")
    sensors = frame.get("sensors")
    if isinstance(sensors, dict) and sensors:
        readings = [f"{texts.one_line(str(k), 32)} {texts.one_line(str(v), 64)}" for k, v in list(sensors.items())[:32]]
        lines.append("Its sensors say: " + ", ".join(readings) + ".")
    return texts.cut("\n".join(lines), MAX_PROMPT_BYTES)
