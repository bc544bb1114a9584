"""What outlives the gateway's adapter objects and the hub's processes, with a played hub and a played adapter."""

from __future__ import annotations

import asyncio
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

from hermes import audio, bridge, compat, runtime as module
from hermes.runtime import SPOKEN_OVER, Runtime
from hermes.settings import Settings

from .peer import Peer

KITCHEN = "hg-630dcd2966c43366"


class Adapter:
    """Hands nothing on: the test says what the gateway does."""

    def __init__(self, goes_on: bool = True) -> None:
        self.gateway_runner = SimpleNamespace(_running=goes_on)
        self.got: list[str] = []
        self.stopped: list[str] = []

    def is_authorized(self, _device: str) -> bool:
        return True

    def offer_home(self, _device: str) -> None:
        pass

    async def hand_over(self, turn: Any, _frame: dict) -> None:
        self.got.append(turn.id)
        module.current().turns.taken(turn)

    async def stop_run(self, turn: Any) -> None:
        self.stopped.append(turn.id)
        module.current().turns.stopped(turn.id)


class RuntimeTest(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.peer = Peer(Path(self.folder.name) / "owner.sock")
        for place, name, value in (
            (bridge, "FIRST_PAUSE_S", 0.05), (bridge, "LONGEST_PAUSE_S", 0.1), (module, "_runtime", None),
        ):  # fmt: skip
            patch = mock.patch.object(place, name, value)
            patch.start()
            self.addCleanup(patch.stop)
        home = mock.patch.object(compat, "hermes_home", lambda: Path(self.folder.name))
        home.start()
        self.addCleanup(home.stop)
        self.peer.open()
        self.adapter = Adapter()
        self.runtime = Runtime.attach(self.adapter, Settings(state=Path(self.folder.name), start_hub=False))
        await self.wait("hello")

    async def asyncTearDown(self) -> None:
        last = Adapter(goes_on=False)
        Runtime.attach(last, self.runtime.settings)
        await self.runtime.detach(last)
        await asyncio.to_thread(self.peer.shut_down)
        self.assertEqual(self.peer.faults, [])

    async def wait(self, what: Any, since: int = 0) -> dict:
        return await asyncio.to_thread(self.peer.wait, what, since, 10.0)

    async def until(self, true: Any) -> None:
        async with asyncio.timeout(10):
            while not true():
                await asyncio.sleep(0.01)

    async def give(self, turn: str, source: str = "typed") -> None:
        frame = {"type": "turn", "turn": turn, "device": KITCHEN, "source": source, "text": "what time is it"}
        await asyncio.to_thread(self.peer.send, frame)

    async def begin(self, turn: str, source: str = "typed") -> None:
        await self.give(turn, source)
        await self.wait(lambda f: f["type"] == "turn.taken" and f["turn"] == turn)
        self.runtime.turns.run_began(f"run-{turn}", KITCHEN, turn)

    def answer(self, turn: str) -> None:
        self.runtime.turns.run_answered(f"run-{turn}", "It is ten.")
        self.runtime.turns.sent(KITCHEN, "It is ten.", turn, {"notify": True})
        self.runtime.turns.completed(turn, "success")

    async def test_answer_of_a_turn_that_the_hub_still_knows(self) -> None:
        await self.begin("t1")
        await asyncio.to_thread(self.peer.close)
        await self.until(lambda: not self.runtime.bridge.connected.is_set())
        self.answer("t1")
        since = self.peer.mark()
        self.peer.open()
        frames = await asyncio.to_thread(self.peer.turn, "t1", since)
        self.assertEqual([frame["type"] for frame in frames], ["turn.final", "turn.end"])

    async def test_answer_of_a_turn_that_another_hub_had(self) -> None:
        for before in (True, False):  # answered before the other hub is there, and after
            turn = f"t-{before}"
            await self.begin(turn)
            await asyncio.to_thread(self.peer.close)
            await self.until(lambda: not self.runtime.bridge.connected.is_set())
            self.peer.turns.clear()
            since = self.peer.mark()
            if before:
                self.answer(turn)
            self.peer.open()
            await self.wait("hello", since)
            if not before:
                self.answer(turn)
            said = await self.wait(lambda f: f["type"] == "request" and f["call"] == "say", since)
            self.assertEqual(said["args"], {"device": KITCHEN, "text": "It is ten."})
            self.assertFalse([f for f in self.peer.frames[since:] if f["type"].startswith("turn.")])

    async def test_an_adapter_that_is_replaced(self) -> None:
        await self.begin("t1")
        await self.runtime.detach(self.adapter)
        self.assertTrue(self.runtime.bridge.connected.is_set())
        await self.give("t2")  # waits for the next one
        self.answer("t1")  # what the gateway still sends through the old one
        self.assertEqual((await self.wait(lambda f: f["type"] == "turn.end"))["turn"], "t1")
        following = Adapter()
        self.assertIs(Runtime.attach(following, self.runtime.settings), self.runtime)
        await self.wait(lambda f: f["type"] == "turn.taken" and f["turn"] == "t2")
        self.assertEqual((self.adapter.got, following.got, self.peer.connections), (["t1"], ["t2"], 1))
        await self.runtime.detach(self.adapter)  # late, and of the old one
        self.assertIs(self.runtime.adapter, following)

    async def test_an_adapter_that_nobody_replaces(self) -> None:
        with mock.patch.object(module, "ADAPTER_PATIENCE_S", 0.1), mock.patch.object(module, "LEAVE_S", 1.0):
            await self.runtime.detach(self.adapter)
            await self.give("t1")
            end = await self.wait("turn.end")
            self.assertEqual((end["outcome"], end["reason"]), ("failure", "Hermes is restarting"))
            await self.until(lambda: not self.runtime.bridge.connected.is_set())

    async def test_the_gateway_ends(self) -> None:
        self.adapter.gateway_runner._running = False
        await self.runtime.detach(self.adapter)
        self.assertFalse(self.runtime.bridge.connected.is_set())

    async def test_hermes_own_voice_belongs_to_a_spoken_turn(self) -> None:
        self.assertFalse(self.runtime.voice(KITCHEN, 24_000, bytes(100)))
        await self.begin("t1", "spoken")
        self.assertTrue(self.runtime.voice(KITCHEN, 24_000, bytes(200_000)))
        self.answer("t1")
        frames = await asyncio.to_thread(self.peer.turn, "t1")
        self.assertEqual([f["type"] for f in frames].count("turn.audio"), 3)
        self.assertEqual({f["rate_hz"] for f in frames if f["type"] == "turn.audio"}, {24_000})
        self.assertFalse(self.runtime.voice(KITCHEN, 24_000, bytes(100)))
        await self.begin("t2")
        self.assertFalse(self.runtime.voice(KITCHEN, 24_000, bytes(100)), "it was typed")

    async def test_a_file_of_hermes_voice(self) -> None:
        await self.begin("t1", "spoken")
        file = Path(self.folder.name) / "speech.mp3"
        file.write_bytes(audio.wav(bytes(1000), 24_000))
        self.assertTrue(await self.runtime.play(KITCHEN, str(file)))
        await self.wait("turn.audio")
        with self.assertLogs("gadget", "WARNING"):
            self.assertFalse(await self.runtime.play(KITCHEN, str(file) + ".none"))

    async def test_recordings(self) -> None:
        piece = {"type": "turn.audio", "turn": "t1", "rate_hz": 16_000, "pcm": "AAAA" * 10}
        await asyncio.to_thread(self.peer.send, piece)
        await self.begin("t1", "spoken")
        self.assertEqual((self.runtime.recordings.take("t1") or b"")[:4], b"RIFF")

    async def test_spoken_over(self) -> None:
        await self.begin("t1")
        frame = {"type": "turn.cancel", "turn": "t1", "device": KITCHEN, "because": "speech"}
        await asyncio.to_thread(self.peer.send, frame)
        await self.wait("turn.end")
        self.assertEqual(self.adapter.stopped, ["t1"])
        self.assertIn(SPOKEN_OVER, self.runtime.prompt_for(KITCHEN))
        self.assertNotIn(SPOKEN_OVER, self.runtime.prompt_for(KITCHEN))  # said once


if __name__ == "__main__":
    unittest.main()
