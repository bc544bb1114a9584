"""The plugin in a real gateway when things go wrong, and under other settings than the documented ones. The hub is played.

Run by scripts/check-hermes, which gives HERMES_GATEWAY (the gateway's virtual environment). The model is a stub, all else is real.
"""

from __future__ import annotations

import os
import sys
import time
import unittest

from .gateway_scenarios import KITCHEN, Scenario

VERSION = os.environ.get("HERMES_VERSION", "")


class BrokenModel(Scenario):
    """A model's server that answers 500: the gateway tries again, the device is told, and hears nothing of it.

    From 0.21 on rounds of tries follow the first three: five by default, with growing pauses (71 s before the third). One is enough here.
    """

    more = "agent: {auto_recovery_cycles: 1}"

    def spoken(self) -> list[dict]:
        """What would be heard outside of the turn."""
        return [f for f in self.peer.frames[self.since :] if f["type"] == "request" and f["call"] == "say"]

    def test_for_a_moment(self) -> None:
        self.model.rule("try again please", {"status": 500, "times": 1, "message": "overloaded", "text": "Now it works."})
        frames = self.ask("try again please")
        self.assertEqual(self.text_of(frames, "final"), "Now it works.")
        self.assertEqual(frames[-1]["outcome"], "success")
        self.assertEqual(self.spoken(), [])

    def test_for_good(self) -> None:
        self.model.rule("break down", {"status": 500, "message": "the server is broken"})
        began = time.monotonic()
        before = len(self.model.requests)
        frames = self.peer.turn(self.give("break down"), self.since, 240)
        tries = sum(1 for r in self.model.requests[before:] if "break down" in str(r["messages"][-1]))
        said = [frame["text"] for frame in frames if frame["type"] == "turn.status" and frame["text"]]
        print(f"HTTP 500: {tries} tries in {time.monotonic() - began:.0f} s; statuses: {said}", file=sys.stderr)
        self.assertEqual(frames[-1]["outcome"], "failure", frames)
        self.assertIn("500", frames[-1]["reason"])
        self.assertIn("the server is broken", frames[-1]["reason"])
        self.assertGreater(tries, 1)
        self.assertNotIn("final", self.kinds(frames))
        self.assertEqual(self.spoken(), [])
        # And then it works again.
        self.since = self.peer.mark()
        self.model.rule("are you well", {"text": "I am."})
        self.assertEqual(self.text_of(self.ask("are you well"), "final"), "I am.")

    def test_cancelled_while_it_tries_again(self) -> None:
        self.model.rule("break for long", {"status": 500, "message": "the server is broken"})
        turn = self.give("break for long")
        self.peer.wait(lambda f: f["type"] == "turn.began" and f["turn"] == turn, self.since)
        time.sleep(1)
        asked = time.monotonic()
        self.peer.send({"type": "turn.cancel", "turn": turn, "device": KITCHEN, "because": "button"})
        self.assertEqual(self.peer.turn(turn, self.since)[-1]["outcome"], "cancelled")
        self.assertLess(time.monotonic() - asked, 6)
        self.since = self.peer.mark()
        self.model.rule("what now", {"text": "Something else."})
        self.assertEqual(self.text_of(self.ask("what now"), "final"), "Something else.")


# A plugin beside ours that does to the gateway's adapter what a defect would.
PROBE = '''
import asyncio, sys

def runtime():
    for name, module in list(sys.modules.items()):
        if name.endswith(".runtime") and hasattr(module, "Runtime") and hasattr(module, "current"):
            return module.current()

def pre_llm_call(user_message="", **_):
    our = runtime()
    async def fail():
        adapter = our.adapter
        adapter._set_fatal_error("probe", "to be replaced", retryable=True)
        await adapter._notify_fatal_error()
    if our is not None and "replace the adapter" in str(user_message):
        our.loop.call_soon_threadsafe(lambda: our.spawn(fail()))

def post_llm_call(user_message="", assistant_response="", **_):
    our = runtime()
    async def again(pause, **how):
        await asyncio.sleep(pause)
        await our.adapter.send(DEVICE, assistant_response, metadata={"notify": True}, **how)
    if our is not None and "say it twice" in str(user_message):
        for pause in (0.0, 1.0):
            our.loop.call_soon_threadsafe(lambda pause=pause: our.spawn(again(pause)))

def register(ctx):
    ctx.register_hook("pre_llm_call", pre_llm_call)
    ctx.register_hook("post_llm_call", post_llm_call)
'''


class Adapter(Scenario):
    more = "plugins: {enabled: [gadget, probe], auto_update_check_hours: 0}"

    @classmethod
    def prepare(cls) -> None:
        probe = cls.gateway.home / "plugins" / "probe"
        probe.mkdir(parents=True)
        (probe / "plugin.yaml").write_text(
            "name: probe\nversion: 0.1.0\ndescription: breaks things\nprovides_hooks: [pre_llm_call, post_llm_call]\n"
        )
        (probe / "__init__.py").write_text(PROBE.replace("DEVICE", repr(KITCHEN)))
        config = cls.gateway.home / "config.yaml"
        kept = [line for line in config.read_text().splitlines() if not line.startswith("plugins: {enabled: [gadget],")]
        config.write_text("\n".join(kept) + "\n")
        super().prepare()

    def test_replaced_in_a_turn(self) -> None:
        self.model.rule("replace the adapter", {"text": " ".join(str(n) for n in range(31)), "pause": 0.05})
        before = self.peer.connections
        first = self.give("replace the adapter")
        frames = self.peer.turn(first, self.since)
        print(f"adapter replaced in a turn: {frames[-1]['outcome']} {frames[-1].get('reason', '')}", file=sys.stderr)
        self.model.rule("and who are you", {"text": "The next one."})
        frames = self.peer.turn(self.give("and who are you"), self.since, 90)
        self.assertEqual(self.text_of(frames, "final"), "The next one.")
        self.assertEqual(self.peer.connections, before, "the bridge was closed")

    def test_that_answers_twice(self) -> None:
        self.model.rule("say it twice", {"text": "Once is enough."})
        frames = self.ask("say it twice")
        time.sleep(2)
        self.assertEqual([f["type"] for f in frames].count("turn.final"), 1)
        later = [f for f in self.peer.frames[self.since :] if f["type"] == "request"]
        self.assertEqual(later, [])


class OtherSettings(Scenario):
    """0.22 knows that our screens are small: nothing stands in config.yaml for it."""

    display = False

    @classmethod
    def prepare(cls) -> None:
        if VERSION != "v22":
            raise unittest.SkipTest("this version needs the display settings")
        super().prepare()

    def test_without_the_display_block(self) -> None:
        self.model.rule("show all of it", {"text": "Let me look.", "tool": "gadget_devices"}, {"text": "One gadget is here."})
        frames = self.ask("show all of it")
        self.assertEqual(self.text_of(frames, "final"), "One gadget is here.")
        self.assertEqual(frames[-1]["outcome"], "success")
        self.assertEqual([f["type"] for f in frames].count("turn.final"), 1)
        time.sleep(1)
        self.assertEqual([f for f in self.peer.frames[self.since :] if f["type"] == "request"], [])


class DirectTools(Scenario):
    """The model sees our tools by themselves; with tool search on it finds them (the other scenarios)."""

    more = 'tools: {tool_search: {enabled: "off"}}'

    def test_tool_search_is_off(self) -> None:
        self.model.rule("list directly", {"tool": "gadget_devices"}, {"text": "I see."})
        self.assertEqual(self.text_of(self.ask("list directly"), "final"), "I see.")
        offered = {tool["function"]["name"] for tool in self.model.by_rule["list directly"]["tools"]}
        self.assertLessEqual({"gadget_devices", "gadget_action", "gadget_ask"}, offered)
        result = [m for m in self.model.messages("list directly") if m.get("role") == "tool"][-1]
        self.assertIn("error", str(result["content"]))  # the played hub has no owner API: the tool was called

    def test_a_text_of_a_megabyte(self) -> None:
        self.model.rule("show a book", {"tool": "gadget_display", "args": {"title": "Book", "body": "x" * 1_000_000}}, {"text": "Too long."})
        frames = self.ask("show a book")
        self.assertEqual(frames[-1]["outcome"], "success")


class FoundTools(Scenario):
    def test_tool_search_is_on(self) -> None:
        if VERSION == "v19":
            self.skipTest("0.19 has no tool search")
        self.model.rule("list by search", {"tool": "gadget_devices"}, {"text": "I see."})
        self.assertEqual(self.text_of(self.ask("list by search"), "final"), "I see.")
        offered = {tool["function"]["name"] for tool in self.model.by_rule["list by search"]["tools"]}
        self.assertNotIn("gadget_devices", offered)
        result = [m for m in self.model.messages("list by search") if m.get("role") == "tool"][-1]
        self.assertIn("error", str(result["content"]))


if __name__ == "__main__":
    unittest.main()
