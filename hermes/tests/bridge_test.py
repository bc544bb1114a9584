"""The plugin's end of the bridge against a hub that comes, goes and talks nonsense, over a real socket."""

from __future__ import annotations

import asyncio
import tempfile
import unittest
from pathlib import Path
from unittest import mock

from hermes import bridge as module
from hermes.bridge import Bridge, BridgeError
from hermes.settings import Settings

from .peer import Peer

HELLO = {"plugin": "0.1.0", "gateway": "none", "instance": "0123456789abcdef", "turns": []}


class BridgeTest(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.peer = Peer(Path(self.folder.name) / "owner.sock")
        self.frames: list[dict] = []
        self.turns: list[str] = []
        self.welcomes = 0
        self.bridge = Bridge(
            Settings(state=Path(self.folder.name)), lambda: HELLO | {"turns": self.turns}, self.frames.append, self._welcome
        )
        for name, value in (("FIRST_PAUSE_S", 0.05), ("LONGEST_PAUSE_S", 0.1)):
            patch = mock.patch.object(module, name, value)
            patch.start()
            self.addCleanup(patch.stop)

    def _welcome(self, _: dict) -> None:
        self.welcomes += 1
        for frame in self.bridge.backlog():
            self.bridge.send(frame)

    async def asyncTearDown(self) -> None:
        await self.bridge.stop()
        await asyncio.to_thread(self.peer.shut_down)
        self.folder.cleanup()
        self.assertEqual(self.peer.faults, [])

    async def connected(self) -> None:
        async with asyncio.timeout(10):
            await self.bridge.connected.wait()

    async def wait(self, what, since: int = 0) -> dict:
        return await asyncio.to_thread(self.peer.wait, what, since, 10.0)

    async def test_hub_that_comes_later(self) -> None:
        self.bridge.start()
        await asyncio.sleep(0.2)
        self.assertFalse(self.bridge.connected.is_set())
        self.peer.open()
        await self.connected()
        self.assertEqual((await self.wait("hello"))["instance"], HELLO["instance"])

    async def test_why_there_is_no_connection(self) -> None:
        class Refused(Exception):
            def __init__(self, status: int) -> None:
                self.status_code = status  # websockets before 13; later ones have it in `response`

        for error, words in (
            (Refused(401), "does not take this token: set GADGET_HUB_TOKEN"),
            (Refused(404), "must run with --agent hermes"),
            (Refused(500), "no hub's owner API (HTTP 500)"),
            (ConnectionRefusedError(), "no hub runs at ws://x; is it running, with owner_listen"),
            (TimeoutError(), "did not answer in 10 s"),
            (OSError("broken"), "no hub at ws://x: broken"),
            (EOFError(), "no hub at ws://x: EOFError"),
        ):
            self.assertIn(words, module.why_not(error, "ws://x", True))
        self.assertEqual(module.why_not(FileNotFoundError(), "/x/owner.sock", False), "no hub runs at /x/owner.sock")

    async def test_answers_are_kept_while_the_hub_is_away(self) -> None:
        self.bridge.start()
        self.bridge.send({"type": "turn.delta", "turn": "t1", "text": "of a moment"})
        self.bridge.send({"type": "turn.final", "turn": "t1", "text": "Ten."})
        self.bridge.send({"type": "turn.end", "turn": "t1", "outcome": "success"})
        self.assertEqual(self.bridge.backlog_turns(), ["t1"])
        self.peer.open()
        frames = await asyncio.to_thread(self.peer.turn, "t1")
        self.assertEqual([frame["type"] for frame in frames], ["turn.final", "turn.end"])
        self.assertEqual(self.bridge.backlog_turns(), [])

    async def test_backlog_is_bounded(self) -> None:
        with mock.patch.object(module, "MAX_BACKLOG_BYTES", 4 * 1100), self.assertLogs("gadget.bridge", "WARNING"):
            for turn in ("t1", "t2", "t3"):
                self.bridge.send({"type": "turn.final", "turn": turn, "text": "x" * 400})
        self.assertEqual(self.bridge.backlog_turns(), ["t2", "t3"])

    async def test_hub_restarts(self) -> None:
        self.peer.open()
        self.bridge.start()
        await self.connected()
        await asyncio.to_thread(self.peer.close)
        async with asyncio.timeout(10):
            while self.bridge.connected.is_set():
                await asyncio.sleep(0.02)
        self.turns = ["t1"]
        self.peer.open()
        second = await self.wait(lambda frame: frame["type"] == "hello" and frame["turns"] == ["t1"])
        self.assertEqual(second["turns"], ["t1"])
        await self.connected()
        self.assertEqual(self.welcomes, 2)

    async def test_nonsense_changes_nothing(self) -> None:
        self.peer.open()
        self.bridge.start()
        await self.connected()
        with self.assertLogs("gadget.bridge", "WARNING"):
            for text in ("", "{", "[]", "null", '{"type":7}', '{"no":"type"}', '{"type":"response"}', '{"type":"fault"}', "[" * 5000):
                await asyncio.to_thread(self.peer.send_raw, text)
            await asyncio.to_thread(self.peer.send, {"type": "unpair", "device": "hg-630dcd2966c43366"})
            async with asyncio.timeout(10):
                while not self.frames:
                    await asyncio.sleep(0.02)
        self.assertTrue(self.bridge.connected.is_set())

    async def test_frame_that_cannot_be_handled(self) -> None:
        def broken(frame: dict) -> None:
            self.frames.append(frame)
            raise KeyError("device")

        self.bridge._on_frame = broken
        self.peer.open()
        self.bridge.start()
        await self.connected()
        with self.assertLogs("gadget.bridge", "WARNING"):
            await asyncio.to_thread(self.peer.send_raw, '{"type":"device"}')
            async with asyncio.timeout(10):
                while not self.frames:
                    await asyncio.sleep(0.02)
        self.assertTrue(self.bridge.connected.is_set())

    async def test_other_version(self) -> None:
        self.peer.welcome = {"type": "refused", "code": "bridge_version", "text": "this hub speaks 2", "bridge": [2]}
        self.peer.open()
        with self.assertLogs("gadget.bridge", "WARNING") as logs:
            self.bridge.start()
            await self.wait("hello")
            await asyncio.sleep(0.3)
        self.assertIn("this hub speaks 2", "\n".join(logs.output))
        self.assertFalse(self.bridge.connected.is_set())
        self.assertEqual(self.peer.connections, 1)  # not at once again

    async def test_request(self) -> None:
        self.peer.open()
        self.peer.answer = lambda frame: {"ok": True, "result": {"device": frame["args"]["device"]}}
        self.bridge.start()
        await self.connected()
        self.assertEqual(await self.bridge.request("say", {"device": "kitchen", "text": "Hi"}), {"device": "kitchen"})
        self.peer.answer = lambda frame: {"ok": False, "error": {"code": "not_found", "text": "no such device"}}
        with self.assertRaises(BridgeError) as caught:
            await self.bridge.request("say", {"device": "nobody", "text": "Hi"})
        self.assertEqual(caught.exception.code, "not_found")

    async def test_question_outlives_the_connection(self) -> None:
        self.peer.open()
        self.peer.answer = lambda frame: None
        self.bridge.start()
        await self.connected()
        ask = asyncio.create_task(self.bridge.request("ask", {"device": "k", "text": "?"}, ref="approval-1", timeout=None))
        await self.wait("request")
        since = self.peer.mark()
        await asyncio.to_thread(self.peer.close)
        self.peer.answer = lambda frame: {"ok": True, "result": {"answer": "yes"}}
        self.peer.open()
        again = await self.wait("request", since)
        self.assertEqual(again["ref"], "approval-1")
        self.assertEqual((await ask)["answer"], "yes")

    async def test_request_fails_with_its_connection(self) -> None:
        self.peer.open()
        self.peer.answer = lambda frame: None
        self.bridge.start()
        await self.connected()
        say = asyncio.create_task(self.bridge.request("say", {"device": "k", "text": "?"}))
        await self.wait("request")
        await asyncio.to_thread(self.peer.close)
        with self.assertRaises(BridgeError) as caught:
            await say
        self.assertEqual(caught.exception.code, "no_hub")

    async def test_request_without_a_hub(self) -> None:
        with mock.patch.object(module, "CONNECT_PATIENCE_S", 0.1):
            self.bridge.start()
            with self.assertRaises(BridgeError) as caught:
                await self.bridge.request("say", {"device": "k", "text": "?"})
        self.assertEqual(caught.exception.code, "no_hub")

    async def test_only_the_newest_delta_waits(self) -> None:
        self.peer.open()
        self.bridge.start()
        await self.connected()
        since = self.peer.mark()
        for n in range(1000):  # without giving the writer a chance
            self.bridge.send({"type": "turn.delta", "turn": "t1", "text": "x" * n})
        self.bridge.send({"type": "turn.end", "turn": "t1", "outcome": "success"})
        frames = await asyncio.to_thread(self.peer.turn, "t1", since)
        self.assertLessEqual(len(frames), 3)
        self.assertEqual(len(frames[-2]["text"]), 999)


if __name__ == "__main__":
    unittest.main()
