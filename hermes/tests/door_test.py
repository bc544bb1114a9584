"""Codes and rights: what the hub is told, when."""

from __future__ import annotations

import tempfile
import unittest
from pathlib import Path

from hermes.door import CODE_TTL_S, RETRY_S, Door

from .frames import validator


def device(number: int) -> str:
    return f"hg-{number:016x}"


class DoorTest(unittest.TestCase):
    PLACES = 3  # of Hermes' store

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "gadget" / "codes.json"
        self.now = 1_000_000.0
        self.approved: set[str] = set()
        self.unknown = False
        self.pending: list[str] = []
        self.asked = 0
        self.homes: list[str] = []
        self.frames: list[dict] = []
        self._validator = validator()
        self.door = self.make()

    def make(self) -> Door:
        return Door(
            self.emit,
            lambda one: None if self.unknown else one in self.approved,
            self.code,
            lambda one: one in self.pending,
            self.file,
            self.homes.append,
            lambda: self.now,
        )

    def emit(self, frame: dict) -> None:
        self._validator.validate(frame)
        self.frames.append(frame)

    def code(self, one: str, name: str) -> str | None:
        self.asked += 1
        if len(self.pending) >= self.PLACES or one in self.pending:
            return None
        self.pending.append(one)
        return f"CODE{self.asked:04d}"

    def online(self, one: str) -> None:
        self.door.device({"type": "device", "device": one, "online": True})

    def pair(self, one: str) -> None:
        self.door.wants_code({"type": "pair", "device": one, "name": "`/new` kitchen\n"})

    def test_code_then_approval(self) -> None:
        self.online(device(1))
        self.pair(device(1))
        self.assertEqual(self.frames[0], {"type": "authorized", "device": device(1), "authorized": False})
        self.assertEqual(self.frames[1]["command"], "hermes pairing approve gadget CODE0001")
        self.approved.add(device(1))
        self.door.tick()
        self.assertEqual(self.frames[-1], {"type": "authorized", "device": device(1), "authorized": True})
        self.assertEqual(self.homes, [device(1)])
        self.approved.clear()
        self.door.tick()
        self.assertEqual(self.frames[-1]["authorized"], False)
        self.assertEqual(len(self.frames), 4)

    def test_fourth_waits_for_a_place(self) -> None:
        for number in range(1, 5):
            self.pair(device(number))
        told = [(frame["device"], frame.get("code"), frame.get("wait")) for frame in self.frames if frame["type"] == "pairing"]
        self.assertEqual(told[3], (device(4), None, True))
        count = len(self.frames)
        self.now += RETRY_S
        self.door.tick()
        self.assertEqual(len(self.frames), count)  # not said twice
        self.pending.remove(device(1))
        self.approved.add(device(1))
        self.now += RETRY_S
        self.door.tick()
        self.assertEqual(self.frames[-1]["device"], device(4))
        self.assertIn("code", self.frames[-1])

    def test_same_code_after_a_restart(self) -> None:
        self.pair(device(1))
        first = self.frames[-1]["code"]
        self.assertEqual(self.file.stat().st_mode & 0o777, 0o600)
        self.door = self.make()
        self.now += 100
        self.pair(device(1))
        self.assertEqual((self.frames[-1]["code"], self.frames[-1]["expires_s"]), (first, CODE_TTL_S - 100))

    def test_new_code_when_the_old_is_over(self) -> None:
        self.pair(device(1))
        first = self.frames[-1]["code"]
        self.now += CODE_TTL_S
        self.pending.clear()
        self.door.tick()
        self.assertNotEqual(self.frames[-1]["code"], first)

    def test_code_that_the_owner_cleared(self) -> None:
        self.pair(device(1))
        self.pending.clear()
        self.now += RETRY_S
        self.door.tick()
        self.assertEqual(self.frames[-1]["code"], "CODE0002")

    def test_file_of_nonsense(self) -> None:
        self.file.parent.mkdir(parents=True)
        for text in ("{", "[]", '{"x": 1}', '{"x": {"code": "A"}}'):
            self.file.write_text(text)
            with self.assertLogs("gadget.door", "WARNING"):
                self.make()

    def test_gateway_that_does_not_know_yet(self) -> None:
        self.unknown = True
        self.online(device(1))
        self.assertEqual(self.frames, [])
        self.unknown = False
        self.door.tick()
        self.assertEqual(self.frames[0]["authorized"], False)

    def test_gone_devices_are_forgotten(self) -> None:
        self.online(device(1))
        self.pair(device(2))
        self.door.device({"type": "device", "device": device(1), "online": False})
        self.door.wants_none(device(2))
        count = len(self.frames)
        self.approved |= {device(1)}
        self.now += RETRY_S
        self.door.tick()
        self.assertEqual(len(self.frames), count)

    def test_new_connection_is_told_everything(self) -> None:
        self.online(device(1))
        self.door.disconnected()
        self.online(device(1))
        self.assertEqual(len(self.frames), 2)


if __name__ == "__main__":
    unittest.main()
