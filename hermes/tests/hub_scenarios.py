"""The whole way: a real gateway with the plugin, which starts the real hub, and a virtual gadget. The model is a stub, all else is real.

Run by scripts/check-hermes, which gives HERMES_GATEWAY (the gateway's virtual environment) and GADGET_PROGRAM.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import tempfile
import time
import unittest
from pathlib import Path

from .gadget import Gadget
from .gateway import Gateway, free_port
from .model_stub import ModelStub

VENV = os.environ.get("HERMES_GATEWAY", "")
PROGRAM = os.environ.get("GADGET_PROGRAM", "")


@unittest.skipUnless(VENV and PROGRAM, "scripts/check-hermes gives the gateway and the program")
class Scenario(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = Path(tempfile.mkdtemp(prefix="hg-hermes-"))
        cls.model = ModelStub()
        cls.port = free_port()
        extra = {"state": str(cls.folder / "state"), "hub_command": PROGRAM, "host": "127.0.0.1", "port": cls.port}
        cls.gateway = Gateway(Path(VENV), cls.folder, cls.model.port, extra, approval_timeout=30)
        cls.gadgets: list[Gadget] = []
        try:
            cls.gateway.start()
            cls.kitchen = cls.gadget("kitchen")
            cls.approve(cls.kitchen)
        except BaseException:
            cls.tearDownClass()
            raise

    @classmethod
    def gadget(cls, name: str) -> Gadget:
        gadget = Gadget(PROGRAM, cls.folder / name, name, f"ws://127.0.0.1:{cls.port}/gadget")
        cls.gadgets.append(gadget)
        return gadget

    @classmethod
    def approve(cls, gadget: Gadget) -> None:
        code = gadget.wait("pairing", lambda text: len(text) == 8, limit_s=60)
        cls.gateway.hermes("pairing", "approve", "gadget", code)
        gadget.wait("paired", limit_s=5)

    @classmethod
    def tearDownClass(cls) -> None:
        for gadget in cls.gadgets:
            gadget.end()
        cls.gateway.stop()
        for pid in _hubs(cls.folder):
            os.kill(pid, signal.SIGKILL)  # of a gateway that was killed
        cls.model.close()
        if not os.environ.get("KEEP"):
            shutil.rmtree(cls.folder, ignore_errors=True)

    def run(self, result=None):
        before = len(result.failures) + len(result.errors) if result else 0
        super().run(result)
        if result and len(result.failures) + len(result.errors) > before:
            print(self.kitchen.tail(), self.gateway.tail(10), sep="\n", file=sys.stderr)
        return result

    def setUp(self) -> None:
        self.since = self.kitchen.mark()

    def devices(self) -> dict[str, dict]:
        rows = json.loads(self.gateway.hermes("gadget", "devices", "--json").stdout)["devices"]
        return {row["name"]: row for row in rows}

    def answered(self, text: str, outcome: str = "success", limit_s: float = 30) -> None:
        self.kitchen.wait("reply", text, self.since, limit_s)
        self.kitchen.wait("turn_end", outcome, self.since, limit_s)

    def hub_pid(self) -> int:
        found = _hubs(self.folder)
        self.assertEqual(len(found), 1, found)
        return found[0]


class Desk(Scenario):
    def test_typed(self) -> None:
        self.model.rule("what is the time", {"text": "It is ten past ten.", "pause": 0.1})
        self.kitchen.do("text what is the time")
        self.kitchen.wait("delta", "It", self.since)
        self.answered("It is ten past ten.")
        self.kitchen.wait("played_last", since=self.since)

    def test_spoken(self) -> None:
        self.model.rule("time", {"text": "It is eleven."})
        self.kitchen.do("press talk", "say what time is it", "drain", "release talk")
        self.kitchen.wait("transcript", since=self.since, limit_s=60)
        self.answered("It is eleven.")
        self.kitchen.wait("played_last", since=self.since)

    def test_tool_acts_on_the_device_that_speaks(self) -> None:
        args = {"name": "led.set", "args": {"color": "red"}}
        self.model.rule("make it red", {"text": "Just a moment.", "tool": "gadget_action", "args": args}, {"text": "It is red."})
        self.kitchen.do("text make it red")
        self.kitchen.wait("action", "led.set", self.since)
        self.answered("It is red.")

    def test_other_tools(self) -> None:
        self.model.rule("list them", {"tool": "gadget_devices"}, {"text": "There is one."})
        self.model.rule("show a card", {"tool": "gadget_display", "args": {"title": "Shopping", "body": "- milk"}}, {"text": "Shown."})
        self.model.rule("no such action", {"tool": "gadget_action", "args": {"name": "door.open"}}, {"text": "It has none."})
        self.kitchen.do("text list them")
        self.answered("There is one.")
        self.assertIn("kitchen", str(self.model.messages("list them")[-1]))
        self.since = self.kitchen.mark()
        self.kitchen.do("wait ready 20", "text show a card")
        self.kitchen.wait("card", "Shopping", self.since)
        self.answered("Shown.")
        self.since = self.kitchen.mark()
        self.kitchen.do("wait card 20", "tap cancel", "wait ready 20", "text no such action")
        self.answered("It has none.")
        self.assertIn("error", str(self.model.messages("no such action")[-1]))

    def test_tool_asks_the_person(self) -> None:
        self.model.rule("ask me first", {"tool": "gadget_ask", "args": {"text": "Ready?"}}, {"text": "Then let us go."})
        self.kitchen.do("text ask me first")
        self.kitchen.wait("question", "Ready?", self.since)
        self.kitchen.do("sleep 1", "tap talk")
        self.answered("Then let us go.")
        self.assertIn("yes", str(self.model.messages("ask me first")[-1]))

    def test_tool_shows_a_picture(self) -> None:
        picture = Path(__file__).resolve().parents[2] / "tests" / "data" / "turned_right.jpg"
        self.model.rule("show me the picture", {"tool": "gadget_image", "args": {"path": str(picture), "ttl_s": 2}}, {"text": "There it is."})
        self.kitchen.do("text show me the picture")
        self.kitchen.wait("image", since=self.since)
        self.answered("There it is.")
        self.since = self.kitchen.mark()
        self.model.rule("show my secrets", {"tool": "gadget_image", "args": {"path": "/etc/hostname"}}, {"text": "That is no picture."})
        self.kitchen.do("wait ready 30", "text show my secrets")
        self.answered("That is no picture.")
        self.assertIn("neither a JPEG nor a PNG", str(self.model.messages("show my secrets")[-1]))

    def test_approval_on_the_device(self) -> None:
        for answer, button, gone in (("yes", "talk", True), ("no", "cancel", False)):
            target = self.folder / f"target-{answer}"
            target.mkdir()
            self.model.rule(f"remove it {answer}", {"tool": "terminal", "args": {"command": f"rm -rf {target}"}}, {"text": f"After {answer}."})
            self.since = self.kitchen.mark()
            self.kitchen.do(f"text remove it {answer}")
            self.kitchen.wait("question", str(target)[-12:], self.since)
            self.kitchen.do("sleep 1", f"tap {button}")
            self.kitchen.wait("answered", answer, self.since)
            self.answered(f"After {answer}.")
            self.assertEqual(target.exists(), not gone)
            self.kitchen.do("wait ready 20")

    def test_cancel(self) -> None:
        self.model.rule("count slowly", {"text": " ".join(str(n) for n in range(400)), "pause": 0.05})
        self.kitchen.do("text count slowly")
        self.kitchen.wait("delta", since=self.since)
        self.kitchen.do("tap cancel")
        self.kitchen.wait("turn_end", "cancelled", self.since)
        self.since = self.kitchen.mark()
        self.model.rule("still there", {"text": "I am."})
        self.kitchen.do("wait ready 20", "text still there")
        self.answered("I am.")

    def test_model_refuses(self) -> None:
        self.model.rule("refuse me", {"status": 401, "message": "the key is wrong"})
        self.kitchen.do("text refuse me")
        self.kitchen.wait("turn_end", "failure", self.since)
        self.assertTrue(any("401" in fact.get("text", "") for fact in self.kitchen.facts()[self.since :]), self.kitchen.tail(self.since))

    def test_hermes_send(self) -> None:
        device = self.devices()["kitchen"]["id"]
        target = "gadget" if os.environ.get("HERMES_VERSION") == "v19" else f"gadget:{device}"  # 0.19 takes numeric ids only
        self.gateway.hermes("send", "--to", target, "Dinner is ready.")
        self.kitchen.wait("reply", "Dinner is ready.", self.since)
        if os.environ.get("HERMES_VERSION") != "v19":
            self.gateway.hermes("send", "--to", "gadget:kitchen", "Come, please.")
            self.kitchen.wait("reply", "Come, please.", self.since)

    def test_command_line(self) -> None:
        self.assertIn(f"ws://127.0.0.1:{self.port}/gadget", self.gateway.hermes("gadget", "info").stdout)
        self.assertIn("kitchen", self.gateway.hermes("gadget", "devices").stdout)
        self.gateway.hermes("gadget", "say", "kitchen", "Hello", "there.")
        self.kitchen.wait("reply", "Hello there.", self.since)
        self.gateway.hermes("gadget", "show", "kitchen", "News", "All is well.")
        self.kitchen.wait("card", "News", self.since)
        self.kitchen.do("tap cancel")
        nobody = self.gateway.hermes("gadget", "say", "nobody", "x", check=False)
        self.assertEqual(nobody.returncode, 1)
        self.assertIn("hermes gadget: ", nobody.stderr)

    def test_second_device_and_revoke(self) -> None:
        bedroom = self.gadget("bedroom")
        self.approve(bedroom)
        self.model.rule("who is there", {"text": "Both of you."})
        bedroom.do("text who is there")
        bedroom.wait("reply", "Both of you.")
        device = self.devices()["bedroom"]["id"]
        self.gateway.hermes("pairing", "revoke", "gadget", device)
        bedroom.wait("unpaired", limit_s=2)
        bedroom.end()
        self.gateway.hermes("gadget", "forget", "bedroom")
        self.assertNotIn("bedroom", self.devices())


class Restarts(Scenario):
    def test_gateway_is_killed_in_a_turn(self) -> None:
        self.model.rule("count to ninety", {"text": " ".join(str(n) for n in range(91)), "pause": 0.1})
        self.kitchen.do("text count to ninety")
        self.kitchen.wait("delta", since=self.since)
        self.model.rule("count to ninety", {"text": "I was interrupted."})  # what the gateway does with it after its restart
        hub = self.hub_pid()
        self.gateway.kill()
        self.gateway.start()
        self.kitchen.wait("turn_end", "failure", self.since, 60)
        self.assertEqual(self.hub_pid(), hub)  # the hub stayed, and with it the devices
        self.since = self.kitchen.mark()
        self.model.rule("back again", {"text": "I am back."})
        self.kitchen.do("wait ready 30", "text back again")
        self.answered("I am back.")

    def test_hub_is_killed_in_a_turn(self) -> None:
        self.model.rule("count to sixty", {"text": " ".join(f"{n}" for n in range(61)), "pause": 0.1})
        self.kitchen.do("text count to sixty")
        self.kitchen.wait("delta", since=self.since)
        first = self.hub_pid()
        os.kill(first, signal.SIGKILL)
        since = self.kitchen.mark()
        self.kitchen.wait("connection", "connected", since, 60)
        self.assertNotEqual(self.hub_pid(), first)  # the plugin started it again
        # The answer is not lost with the hub that had the turn.
        self.kitchen.wait("reply", "59 60", since, 60)
        self.kitchen.wait("turn_end", "success", since, 120)
        self.since = self.kitchen.mark()
        self.model.rule("hub is back", {"text": "So it is."})
        self.kitchen.do("wait ready 30", "text hub is back")
        self.answered("So it is.", limit_s=60)


def _hubs(folder: Path) -> list[int]:
    """Processes of hubs on the state folder of this test."""
    entries = [entry for entry in Path("/proc").iterdir() if entry.name.isdigit()]
    return [int(entry.name) for entry in entries if f" --state {folder}/state " in _command(entry) and " hub " in _command(entry)]


def _command(entry: Path) -> str:
    try:
        return (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


if __name__ == "__main__":
    unittest.main()
