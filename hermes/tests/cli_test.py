"""`hermes gadget` and the step of `hermes gateway setup`, against a hub that plays a script."""

from __future__ import annotations

import argparse
import contextlib
import io
import tempfile
import unittest
from pathlib import Path
from typing import Any
from unittest import mock

from hermes import cli, compat, updates, wizard
from hermes.owner import OwnerError


def update(phase: str, told: bool = False, **more: Any) -> dict[str, Any]:
    return {"device": "hg-1", "phase": phase, "told": told, "text": f"It is {phase}", "tries": 1, "online": True} | more


class Hub:
    """Answers of the owner API, one after the other; an exception is one as well."""

    def __init__(self, *answers: Any) -> None:
        self.answers, self.calls = list(answers), []

    def _next(self, *call: Any) -> dict[str, Any]:
        self.calls.append(call)
        answer = self.answers.pop(0) if self.answers else OwnerError("no_hub", "no hub answers")
        if isinstance(answer, Exception):
            raise answer
        return answer

    def get(self, call: str) -> dict[str, Any]:
        return self._next("get", call)

    def post(self, call: str, body: dict[str, Any], **_: Any) -> dict[str, Any]:
        return self._next("post", call, body)

    def post_file(self, call: str, query: dict[str, str], data: bytes, **_: Any) -> dict[str, Any]:
        return self._next("file", call, query, data)


class CommandTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.image = Path(folder.name) / "firmware.bin"
        self.image.write_bytes(b"firmware")
        for place, value in ((updates, {"POLL_S": 0.0}),):
            for name, new in value.items():
                patch = mock.patch.object(place, name, new)
                patch.start()
                self.addCleanup(patch.stop)

    def command(self, hub: Hub, *words: str) -> tuple[int, str, str]:
        parser = argparse.ArgumentParser()
        cli.set_up(parser)
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = cli.Commands(lambda: hub).run(parser.parse_args(words))  # type: ignore[arg-type, return-value]
        return code, out.getvalue(), err.getvalue()

    # ---- update

    def test_an_update_is_watched_to_its_end(self) -> None:
        hub = Hub(
            update("offered"), update("sending", size=100, taken=10), update("sending", size=100, taken=60), update("restarting"),
            update("installed", True),
        )  # fmt: skip
        code, out, err = self.command(hub, "update", "kitchen", str(self.image), "--force")
        self.assertEqual((code, err), (0, ""))
        self.assertEqual(out.splitlines(), ["It is offered", "It is sending", "It is restarting", "It is installed."])
        self.assertEqual(hub.calls[0], ("file", "update", {"device": "kitchen", "force": "true"}, b"firmware"))
        self.assertEqual(hub.calls[1], ("post", "update/status", {"device": "hg-1"}))

    def test_what_became_of_it_is_the_exit_code(self) -> None:
        for phase, code in (("installed", 0), ("refused", 4), ("failed", 1), ("rolled_back", 1), ("unknown", 1)):
            done, out, err = self.command(Hub(update(phase, True, hint="look there")), "update", "kitchen", str(self.image))
            self.assertEqual(done, code, phase)
            self.assertEqual(err, "" if code == 0 else f"hermes gadget: It is {phase} (look there)\n")
            self.assertEqual(out, "It is installed.\n" if code == 0 else "")

    def test_a_hub_that_restarts_is_waited_for(self) -> None:
        away = OwnerError("no_hub", "no hub answers")
        hub = Hub(update("sending"), away, away, update("installed", True))
        self.assertEqual(self.command(hub, "update", "kitchen", str(self.image))[0], 0)
        with mock.patch.object(updates, "HUB_AWAY_S", 0.0):
            code, _, err = self.command(Hub(update("sending"), away, away), "update", "kitchen", str(self.image))
        self.assertEqual((code, err), (3, "hermes gadget: no hub answers\n"))

    def test_nobody_waits(self) -> None:
        hub = Hub(update("offered"))
        self.assertEqual(self.command(hub, "update", "kitchen", str(self.image), "--no-wait"), (0, "It is offered.\n", ""))
        self.assertEqual(len(hub.calls), 1)

    def test_files_that_are_none(self) -> None:
        empty = self.image.with_name("empty")
        empty.touch()
        for file, why in ((str(empty), "is empty"), ("/nowhere/x.bin", "cannot be read: No such file")):
            hub = Hub()
            code, _, err = self.command(hub, "update", "kitchen", file)
            self.assertEqual((code, hub.calls), (1, []))
            self.assertIn(why, err)
        with mock.patch.object(updates, "MAX_IMAGE_BYTES", 4):
            self.assertIn("is larger than", self.command(Hub(), "update", "kitchen", str(self.image))[2])

    def test_how_it_goes_and_its_end(self) -> None:
        hub = Hub(update("sending"), update("cancelled", True))
        self.assertEqual(self.command(hub, "update", "kitchen"), (0, "It is sending.\n", ""))
        self.assertEqual(self.command(hub, "update", "kitchen", "--cancel"), (0, "It is cancelled.\n", ""))
        self.assertEqual(hub.calls[1], ("post", "update/cancel", {"device": "kitchen"}))

    def test_info_names_display_settings_that_are_missing(self) -> None:
        args = argparse.Namespace(gadget_command="info", display=False)
        display = {"streaming": {"enabled": True}, "display": {"platforms": {"gadget": dict(wizard.DISPLAY)}}}
        for whole, named in (({}, True), (display, False)):
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                cli.Commands(lambda: Hub({"url": "ws://x"}), lambda whole=whole: whole).run(args)  # type: ignore[arg-type, return-value]
            self.assertIn("url      ws://x", out.getvalue())
            self.assertEqual("hermes gadget info --display" in out.getvalue(), named)

    def test_unknown_device(self) -> None:
        hub = Hub(OwnerError("not_found", "no device is named nobody", "hermes gadget devices"))
        code, _, err = self.command(hub, "update", "nobody", str(self.image))
        self.assertEqual((code, err), (1, "hermes gadget: no device is named nobody (hermes gadget devices)\n"))

    # ---- pair

    def test_a_code_is_approved(self) -> None:
        with mock.patch.object(compat, "approve", return_value="hg-1") as approve:
            self.assertEqual(self.command(Hub({"name": "kitchen"}), "pair", "ab cd"), (0, "approved kitchen (hg-1)\n", ""))
            approve.assert_called_once_with("ABCD")
            self.assertEqual(self.command(Hub(), "pair", "ABCD"), (0, "approved hg-1\n", ""))  # no hub: it stands all the same

    def test_a_wrong_code(self) -> None:
        with mock.patch.object(compat, "approve", return_value=None):
            for locked, why in ((False, "no device waits with this code"), (True, "too many wrong codes")):
                with mock.patch.object(compat, "approvals_are_locked", return_value=locked):
                    code, _, err = self.command(Hub(), "pair", "ABCD")
                self.assertEqual(code, 1)
                self.assertIn(why, err)


class WizardTest(unittest.TestCase):
    def run_step(self, hub: Hub, ours: dict, whole: dict, answers: dict[str, bool], fields: set[str] = frozenset()):
        said: list[str] = []
        asked: list[str] = []
        written: dict[str, str] = {}

        def yes(question: str, default: bool) -> bool:
            asked.append(question)
            return next((answer for words, answer in answers.items() if words in question), default)

        with mock.patch.object(compat, "platform_entry_fields", return_value=set(fields)):
            wizard.run(
                hub, ours, whole, yes=yes, write=lambda k, v: written.update({k: v}) is None, say=said.append  # type: ignore[arg-type]
            )
        return "\n".join(said), asked, written

    def test_from_nothing(self) -> None:
        said, asked, written = self.run_step(Hub(), {"hub_command": "no-such-program"}, {}, {})
        self.assertIn("no-such-program is not installed", said)
        self.assertEqual(len(asked), 3)
        self.assertEqual(written["platforms.gadget.enabled"], "true")
        self.assertEqual(written["display.platforms.gadget.tool_progress"], "off")
        self.assertEqual(written["streaming.cursor"], "")
        self.assertNotIn("platforms.gadget.extra.host", written)
        self.assertIn("hermes pairing approve gadget CODE", said)

    def test_nothing_is_asked_twice(self) -> None:
        display = {"platforms": {"gadget": dict(wizard.DISPLAY)}}
        whole = {"streaming": {"enabled": True}, "display": display}
        said, asked, written = self.run_step(Hub({"url": "ws://x"}), {"enabled": True, "host": "0.0.0.0"}, whole, {})
        self.assertEqual((asked, written), ([], {}))
        self.assertIn("Devices connect to ws://x", said)

    def test_a_version_that_knows_small_screens(self) -> None:
        _, asked, written = self.run_step(Hub(), {"enabled": True}, {}, {"network": True}, {"display_tier"})
        self.assertEqual(len(asked), 1)
        self.assertEqual(written, {"platforms.gadget.extra.host": "0.0.0.0"})

    def test_no(self) -> None:
        _, _, written = self.run_step(Hub(), {}, {}, {"": False})
        self.assertEqual(written, {})

    def test_a_wrong_token(self) -> None:
        said, _, _ = self.run_step(Hub(OwnerError("unauthorized", "not this token", "set it")), {"enabled": True, "hub_url": "x"}, {}, {})
        self.assertIn("not this token: set it", said)


if __name__ == "__main__":
    unittest.main()
