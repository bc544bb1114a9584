"""The plugin in a real gateway, driven over the bridge by a peer that plays the hub: what each of the gateway's habits becomes.

Run by scripts/check-hermes, which gives HERMES_GATEWAY (the gateway's virtual environment). The model is a stub, all else is real.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import time
import unittest
from pathlib import Path

from .gateway import Gateway
from .model_stub import ModelStub
from .peer import Peer, at_once, brief

VENV = os.environ.get("HERMES_GATEWAY", "")
KITCHEN = "hg-630dcd2966c43366"
APPROVAL_TIMEOUT_S = 6  # of the gateway in these tests


def device(device_id: str = KITCHEN, name: str = "kitchen", paired: bool = True, online: bool = True) -> dict:
    return {
        "type": "device", "device": device_id, "name": name, "board": "desktop", "online": online, "paired": paired,
        "display": {"width": 320, "height": 240}, "speaker": True,
        "actions": [{"name": "led.set", "description": "the lamp", "params": {"type": "object"}}], "sensors": {"temperature": 21.5},
    }  # fmt: skip


@unittest.skipUnless(VENV, "scripts/check-hermes gives the gateway")
class Scenario(unittest.TestCase):
    """One gateway for all tests of a class."""

    more = ""
    display = True
    approve_kitchen = True

    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = Path(tempfile.mkdtemp(prefix="hg-hermes-"))
        cls.model = ModelStub()
        cls.peer = Peer(cls.folder / "state" / "owner.sock")
        cls.peer.devices = [device()]
        cls.gateway = Gateway(
            Path(VENV), cls.folder, cls.model.port, {"state": str(cls.folder / "state"), "start_hub": False},
            approval_timeout=APPROVAL_TIMEOUT_S, more=cls.more, display=cls.display,
        )  # fmt: skip
        cls.serial = 0
        try:
            cls.prepare()
        except BaseException:
            cls.tearDownClass()
            raise

    @classmethod
    def prepare(cls) -> None:
        cls.peer.open()
        cls.gateway.start()
        cls.peer.wait("hello")
        if cls.approve_kitchen:
            cls.pair(KITCHEN)

    @classmethod
    def pair(cls, device_id: str) -> None:
        """As the owner does it: by the command on the device's screen."""
        since = cls.peer.mark()
        cls.peer.send({"type": "pair", "device": device_id, "name": "kitchen"})
        command = cls.peer.wait(lambda f: f["type"] == "pairing" and f["device"] == device_id, since)["command"]
        cls.gateway.hermes(*command.split()[1:])
        cls.peer.wait(lambda f: f["type"] == "authorized" and f["device"] == device_id and f["authorized"], since)

    @classmethod
    def tearDownClass(cls) -> None:
        cls.gateway.stop()
        cls.peer.shut_down()
        cls.model.close()
        if not os.environ.get("KEEP"):
            shutil.rmtree(cls.folder, ignore_errors=True)

    def setUp(self) -> None:
        self.since = self.peer.mark()

    def tearDown(self) -> None:
        self.assertEqual(self.peer.faults, [], "frames that are against the schema")
        ends = [frame["turn"] for frame in self.peer.frames if frame["type"] == "turn.end"]
        self.assertEqual(len(ends), len(set(ends)), "a turn ended twice")

    def run(self, result=None):
        before = len(result.failures) + len(result.errors) if result else 0
        super().run(result)
        if result and len(result.failures) + len(result.errors) > before:
            for message in self.model.requests[-1]["messages"][-3:] if self.model.requests else []:
                print("  the model was told", str(message)[:600], file=sys.stderr)
            print(brief(self.peer.frames[self.since :]), self.gateway.tail(8), sep="\n", file=sys.stderr)
        return result

    # ---- what a hub does

    def give(self, text: str, source: str = "typed", **fields) -> str:
        type(self).serial += 1
        turn = f"t-{self.serial}"
        self.peer.send({"type": "turn", "turn": turn, "device": KITCHEN, "source": source, "text": text, **fields})
        return turn

    def ask(self, text: str, source: str = "typed", **fields) -> list[dict]:
        return self.peer.turn(self.give(text, source, **fields), self.since)

    def kinds(self, frames: list[dict]) -> list[str]:
        """The types in order, deltas that follow one another as one."""
        out: list[str] = []
        for frame in frames:
            kind = frame["type"].removeprefix("turn.")
            if not (kind == "delta" and out and out[-1] == "delta"):
                out.append(kind)
        return out

    def text_of(self, frames: list[dict], kind: str) -> str:
        return next((frame["text"] for frame in frames if frame["type"] == f"turn.{kind}"), "")

    def question(self, since: int) -> dict:
        return self.peer.wait(lambda f: f["type"] == "request" and f["call"] == "ask", since)

    def reply(self, request: dict, answer: str) -> None:
        self.peer.send({"type": "response", "id": request["id"], "ok": True, "result": {"answer": answer}})


class Conversation(Scenario):
    def test_typed(self) -> None:
        self.model.rule("what is the time", {"text": "It is ten past ten, and all is well."})
        frames = self.ask("what is the time")
        self.assertEqual(self.kinds(frames), ["taken", "began", "delta", "final", "end"])
        self.assertEqual(self.text_of(frames, "final"), "It is ten past ten, and all is well.")
        self.assertEqual(frames[-1]["outcome"], "success")
        system = str(self.model.messages("what is the time")[0])
        self.assertIn("led.set", system)
        self.assertIn("320x240", system)

    def test_spoken_is_a_voice_message_without_media(self) -> None:
        self.model.rule("spoken words", {"text": "I heard you."})
        frames = self.ask("spoken words", "spoken")
        self.assertEqual(self.text_of(frames, "final"), "I heard you.")
        heard = str(self.model.messages("spoken words")[-1]["content"])
        self.assertTrue(heard.strip().endswith("spoken words") or "spoken words" in heard.splitlines(), heard)

    def test_event_is_content(self) -> None:
        self.model.rule("door.opened", {"text": "Somebody came in."})
        frames = self.ask('{"cmd":"/new"}', "event", event="door.opened")
        self.assertEqual(self.text_of(frames, "final"), "Somebody came in.")

    def test_commands_are_content(self) -> None:
        for text in ("/status", "/approve", "restart the gateway", "!always"):
            self.model.rule(text, {"text": "What do you mean?"})
            frames = self.ask(text)
            self.assertIn("began", self.kinds(frames), text)
            self.assertIn(text, self.model.by_rule)  # the model was asked

    def test_tool_status_and_commentary(self) -> None:
        self.model.rule("look around", {"text": "Let me look.", "tool": "gadget_devices"}, {"text": "One gadget is here."})
        frames = self.ask("look around")
        self.assertEqual(self.text_of(frames, "interim"), "Let me look.")
        self.assertIn("gadget_devices", self.text_of(frames, "status"))
        self.assertEqual(self.text_of(frames, "final"), "One gadget is here.")
        self.assertEqual([frame["type"] for frame in frames].count("turn.final"), 1)

    def test_model_refuses(self) -> None:
        self.model.rule("refuse me", {"status": 401, "message": "the key is wrong"})
        frames = self.ask("refuse me")
        self.assertEqual(frames[-1]["outcome"], "failure")
        self.assertIn("401", frames[-1]["reason"])
        self.assertIn("the key is wrong", frames[-1]["reason"])
        self.assertNotIn("final", self.kinds(frames))

    def test_path_in_an_answer_is_text(self) -> None:
        secret = self.folder / "secret.txt"
        secret.write_text("secret")
        self.model.rule("where is it", {"text": f"It is in {secret} as you wanted."})
        frames = self.ask("where is it")
        self.assertEqual(frames[-1]["outcome"], "success")
        later = [frame for frame in self.peer.frames[self.since :] if frame["type"] == "request"]
        self.assertEqual(later, [])

    def test_answer_of_a_megabyte(self) -> None:
        self.model.rule("a long story", {"text": "x" * 1_000_000})
        frames = self.ask("a long story")
        self.assertEqual(frames[-1]["outcome"], "success")
        self.assertLessEqual(len(self.text_of(frames, "final").encode()), 256 * 1024)

    def test_stop(self) -> None:
        self.model.rule("count slowly", {"text": " ".join(str(n) for n in range(400)), "pause": 0.05})
        turn = self.give("count slowly")
        self.peer.wait("turn.delta", self.since)
        asked = time.monotonic()
        self.peer.send({"type": "turn.cancel", "turn": turn, "device": KITCHEN, "because": "button"})
        frames = self.peer.turn(turn, self.since)
        self.assertEqual(frames[-1]["outcome"], "cancelled")
        self.assertLess(time.monotonic() - asked, 5)
        self.assertNotIn("final", self.kinds(frames))
        # The next message of the person who spoke over it.
        self.model.rule("never mind", {"text": "All right."})
        self.assertEqual(self.text_of(self.ask("never mind"), "final"), "All right.")
        self.assertEqual(self.peer.frames[self.since :][-1]["type"], "turn.end")

    def test_cancel_and_next_at_once(self) -> None:
        self.model.rule("count on", {"text": " ".join(str(n) for n in range(400)), "pause": 0.05})
        self.model.rule("instead say hello", {"text": "Hello."})
        first = self.give("count on")
        self.peer.wait("turn.delta", self.since)
        self.peer.send({"type": "turn.cancel", "turn": first, "device": KITCHEN, "because": "speech"})
        second = self.give("instead say hello")
        self.assertEqual(self.peer.turn(first, self.since)[-1]["outcome"], "cancelled")
        frames = self.peer.turn(second, self.since)
        self.assertEqual(self.text_of(frames, "final"), "Hello.")


class Deliveries(Scenario):
    def test_scheduled_jobs(self) -> None:
        """Two at once, because the gateway looks once a minute: one is delivered, the other's failure is told to the gateway."""

        def answer(frame: dict) -> dict | None:
            if "riddle" in str(frame["args"].get("text")):
                return {"ok": False, "error": {"code": "not_found", "text": "no such device"}}
            return at_once(frame)

        self.peer.answer = answer
        self.addCleanup(setattr, self.peer, "answer", at_once)
        target = f"gadget:{KITCHEN}"
        for thing in ("joke", "riddle"):
            self.model.rule(f"tell a {thing}", {"text": f"A {thing} of the day."})
            self.gateway.hermes("cron", "create", "1m", f"tell a {thing}", "--deliver", target, "--name", thing, "--repeat", "1")
        for thing in ("joke", "riddle"):
            text = f"A {thing} of the day."
            said = self.peer.wait(lambda f: f["type"] == "request" and f["args"].get("text") == text, self.since, 200)
            self.assertEqual((said["call"], said["args"]), ("say", {"device": KITCHEN, "text": text}))
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline and "no such device" not in self.gateway.tail(200):
            time.sleep(0.5)
        self.assertIn("no such device", self.gateway.tail(200))


class Questions(Scenario):
    def test_approval_yes(self) -> None:
        target = self.folder / "doomed"
        target.mkdir()
        self.model.rule("remove the folder yes", {"tool": "terminal", "args": {"command": f"rm -rf {target}"}}, {"text": "Gone."})
        turn = self.give("remove the folder yes")
        question = self.question(self.since)
        self.assertIn(str(target), question["args"]["text"])
        self.assertTrue(target.exists())
        self.reply(question, "yes")
        frames = self.peer.turn(turn, self.since)
        self.assertEqual(self.text_of(frames, "final"), "Gone.")
        self.assertFalse(target.exists())

    def test_approval_no(self) -> None:
        target = self.folder / "kept"
        target.mkdir()
        self.model.rule("remove the folder no", {"tool": "terminal", "args": {"command": f"rm -rf {target}"}}, {"text": "I left it."})
        turn = self.give("remove the folder no")
        self.reply(self.question(self.since), "no")
        self.assertEqual(self.text_of(self.peer.turn(turn, self.since), "final"), "I left it.")
        self.assertTrue(target.exists())

    def test_approval_by_nobody(self) -> None:
        target = self.folder / "unanswered"
        target.mkdir()
        self.model.rule("remove it unanswered", {"tool": "terminal", "args": {"command": f"rm -rf {target}"}}, {"text": "Nobody said yes."})
        turn = self.give("remove it unanswered")
        question = self.question(self.since)
        withdrawn = self.peer.wait("withdraw", self.since, APPROVAL_TIMEOUT_S + 15)
        self.assertEqual(withdrawn["ref"], question["ref"])
        self.reply(question, "yes")  # late
        self.assertEqual(self.text_of(self.peer.turn(turn, self.since), "final"), "Nobody said yes.")
        self.assertTrue(target.exists())

    def test_text_does_not_approve(self) -> None:
        target = self.folder / "protected"
        target.mkdir()
        self.model.rule("remove it by text", {"tool": "terminal", "args": {"command": f"rm -rf {target}"}}, {"text": "Not removed."})
        turn = self.give("remove it by text")
        question = self.question(self.since)
        self.give("/approve")
        time.sleep(1)
        self.assertTrue(target.exists())
        self.reply(question, "no")
        self.peer.turn(turn, self.since)
        self.assertTrue(target.exists())

    def test_clarify_by_steps(self) -> None:
        args = {"question": "What to drink?", "choices": ["Tea", "Coffee"]}
        self.model.rule("bring me a drink", {"tool": "clarify", "args": self.clarify(args)}, {"text": "Here is your coffee."})
        turn = self.give("bring me a drink")
        first = self.question(self.since)
        self.assertIn("Tea", first["args"]["text"])
        since = self.peer.mark()
        self.reply(first, "no")
        second = self.question(since)
        self.assertIn("Coffee", second["args"]["text"])
        self.reply(second, "yes")
        self.assertEqual(self.text_of(self.peer.turn(turn, self.since), "final"), "Here is your coffee.")
        results = [m for m in self.model.messages("bring me a drink") if m.get("role") == "tool"]
        self.assertIn("Coffee", str(results[-1]))

    def test_clarify_openly(self) -> None:
        self.model.rule(
            "tell me about a room", {"tool": "clarify", "args": self.clarify({"question": "Which room?"})}, {"text": "The kitchen is warm."}
        )
        asked = self.ask("tell me about a room")
        self.assertEqual(self.text_of(asked, "final"), "Which room?")
        self.assertEqual(asked[-1]["outcome"], "success")
        answered = self.ask("the kitchen of course", "spoken")
        self.assertEqual(self.text_of(answered, "final"), "The kitchen is warm.")
        results = [m for m in self.model.messages("tell me about a room") if m.get("role") == "tool"]
        self.assertIn("the kitchen of course", str(results[-1]))

    def clarify(self, args: dict) -> dict:
        """0.22 takes several questions."""
        return {"questions": [args]} if os.environ.get("HERMES_VERSION") == "v22" else args

    def test_new_conversation_is_confirmed(self) -> None:
        self.model.rule("remember the word banana", {"text": "I will."})
        self.ask("remember the word banana")
        since = self.peer.mark()
        self.peer.send({"type": "session.new", "device": KITCHEN})
        self.reply(self.question(since), "yes")
        time.sleep(1)
        self.model.rule("what was the word", {"text": "I do not know."})
        self.ask("what was the word")
        self.assertFalse("banana" in str(self.model.messages("what was the word")), "it remembers the old conversation")

    def test_new_conversation_is_not_confirmed(self) -> None:
        self.model.rule("remember the word cherry", {"text": "I will."})
        self.ask("remember the word cherry")
        since = self.peer.mark()
        self.peer.send({"type": "session.new", "device": KITCHEN})
        self.reply(self.question(since), "no")
        time.sleep(1)
        self.model.rule("which word was it", {"text": "Cherry."})
        self.ask("which word was it")
        self.assertTrue("cherry" in str(self.model.messages("which word was it")), "it began a new conversation")


class Pairing(Scenario):
    approve_kitchen = False

    def test_approve_and_revoke(self) -> None:
        self.pair(KITCHEN)
        self.since = self.peer.mark()
        self.model.rule("are you there", {"text": "I am."})
        self.assertEqual(self.text_of(self.ask("are you there"), "final"), "I am.")
        revoked = time.monotonic()
        self.gateway.hermes("pairing", "revoke", "gadget", KITCHEN)
        self.peer.wait(lambda f: f["type"] == "authorized" and not f["authorized"], self.since, 5)
        self.assertLess(time.monotonic() - revoked, 5)  # the command itself takes 1 to 2 s of it
        frames = self.ask("and now")
        self.assertEqual((frames[-1]["outcome"], self.kinds(frames)), ("failure", ["end"]))

    def test_first_device_becomes_the_home_channel(self) -> None:
        self.pair("hg-000000000000000a")
        deadline = time.monotonic() + 5
        env = self.gateway.home / ".env"
        while time.monotonic() < deadline and not (env.exists() and "GADGET_HOME_CHANNEL=" in env.read_text()):
            time.sleep(0.1)
        self.assertIn("GADGET_HOME_CHANNEL=", env.read_text())

    def test_more_than_three_wait_in_line(self) -> None:
        ids = [f"hg-{n:016x}" for n in range(1, 6)]
        for one in ids:
            self.peer.send({"type": "pair", "device": one, "name": f"gadget {one[-1]}"})
        told = {one: self.peer.wait(lambda f, one=one: f["type"] == "pairing" and f["device"] == one, self.since) for one in ids}
        waiting = [one for one, frame in told.items() if frame.get("wait")]
        self.assertEqual(waiting, ids[3:])
        self.gateway.hermes(*told[ids[0]]["command"].split()[1:])
        self.peer.wait(lambda f: f["type"] == "pairing" and f["device"] == ids[3] and "code" in f, self.since, 20)
        for one in ids[1:]:
            self.peer.send({"type": "unpair", "device": one})
        self.gateway.hermes("pairing", "clear-pending", check=False)


class Restarts(Scenario):
    @classmethod
    def prepare(cls) -> None:
        """The gateway starts without a hub."""
        cls.gateway.start()
        time.sleep(1)
        cls.peer.open()
        cls.peer.wait("hello")
        cls.pair(KITCHEN)

    def setUp(self) -> None:
        """A gateway that was stopped in a turn takes it up by itself at its start, and puts what comes meanwhile into that run: without deltas."""
        super().setUp()
        self.model.rule("are you ready", {"text": "I am ready."})
        self.ask("are you ready")
        self.since = self.peer.mark()

    def test_hub_goes_and_comes_in_a_turn(self) -> None:
        self.model.rule("count to fifty", {"text": " ".join(str(n) for n in range(51)), "pause": 0.04})
        turn = self.give("count to fifty")
        self.peer.wait("turn.delta", self.since)
        self.peer.close()
        time.sleep(4)  # the answer is complete meanwhile
        since = self.peer.mark()
        self.peer.open()
        hello = self.peer.wait("hello", since)
        self.assertIn(turn, hello["turns"])
        frames = self.peer.turn(turn, since)
        self.assertTrue(self.text_of(frames, "final").endswith("49 50"))
        self.assertEqual(frames[-1]["outcome"], "success")

    def test_hub_goes_and_comes_with_a_question(self) -> None:
        target = self.folder / "between"
        target.mkdir()
        self.model.rule("remove between", {"tool": "terminal", "args": {"command": f"rm -rf {target}"}}, {"text": "Removed."})
        turn = self.give("remove between")
        first = self.question(self.since)
        self.peer.close()
        since = self.peer.mark()
        self.peer.open()
        again = self.question(since)
        self.assertEqual(again["ref"], first["ref"])
        self.reply(again, "yes")
        self.assertEqual(self.text_of(self.peer.turn(turn, since), "final"), "Removed.")

    def test_gateway_is_killed_in_a_turn(self) -> None:
        self.model.rule("count to ninety", {"text": " ".join(str(n) for n in range(91)), "pause": 0.1})
        self.give("count to ninety")
        self.peer.wait("turn.delta", self.since)
        first = [frame for frame in self.peer.frames if frame["type"] == "hello"][-1]
        self.gateway.kill()
        since = self.peer.mark()
        self.gateway.start(wait=False)
        hello = self.peer.wait("hello", since, 60)
        self.assertNotEqual(hello["instance"], first["instance"])
        self.assertEqual(hello["turns"], [])
        # A message that comes at once, while the gateway still starts: neither lost nor answered twice.
        self.since = since
        self.model.rule("early bird", {"text": "Good morning."})
        turn = self.give("early bird")
        frames = self.peer.turn(turn, since, 60)
        self.assertEqual(self.text_of(frames, "final"), "Good morning.")
        self.assertEqual([frame["type"] for frame in frames].count("turn.final"), 1)
        self.gateway.wait_ready()

    def test_gateway_is_stopped_in_a_turn(self) -> None:
        self.model.rule("count to eighty", {"text": " ".join(str(n) for n in range(81)), "pause": 0.1})
        turn = self.give("count to eighty")
        self.peer.wait("turn.delta", self.since)
        self.gateway.stop()
        frames = self.peer.turn(turn, self.since)
        self.assertNotEqual(frames[-1]["outcome"], "success")
        since = self.peer.mark()
        self.gateway.start()
        self.peer.wait("hello", since)


if __name__ == "__main__":
    unittest.main()
