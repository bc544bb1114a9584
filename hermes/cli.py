"""`hermes gadget ...`: thin over the hub's owner API. Exit codes as hermes-gadget has them: 0, 1 failed, 3 no hub, 4 refused."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from typing import Any, Callable
from urllib.parse import quote

from . import compat, updates, wizard
from . import text as texts
from .owner import OwnerClient, OwnerError

DISPLAY_KEYS = """\
streaming:
  enabled: true
  cursor: ""
display:
  platforms:
    gadget:
      tool_progress: "off"
      interim_assistant_messages: false
      long_running_notifications: false
      busy_ack_detail: false
"""


def set_up(parser: argparse.ArgumentParser) -> None:
    commands = parser.add_subparsers(dest="gadget_command", metavar="COMMAND")

    def command(name: str, what: str) -> argparse.ArgumentParser:
        return commands.add_parser(name, help=what, description=what)

    info = command("info", "what devices connect to, and how the hub is")
    info.add_argument("--display", action="store_true", help="print the display settings for config.yaml")
    devices = command("devices", "who is there, what their sensors say")
    devices.add_argument("--json", action="store_true")
    pair = command("pair", "which devices wait; with a code: approve one")
    pair.add_argument("code", nargs="?", help="the code on its screen")
    forget = command("forget", "forget a device: its key, its approval")
    forget.add_argument("device")
    update = command("update", "new firmware for a device, watched until it runs it; without a file: how its update goes")
    update.add_argument("device")
    update.add_argument("file", nargs="?", help="the image that the build made; at most 32 MiB")
    update.add_argument("--force", action="store_true", help="although it is of another board, or was rolled back before")
    update.add_argument("--no-wait", action="store_true", help="start it, and do not wait for its end")
    update.add_argument("--cancel", action="store_true", help="end it")
    say = command("say", "say something on a device")
    say.add_argument("device")
    say.add_argument("text", nargs="+")
    show = command("show", "show a card on a device")
    show.add_argument("device")
    show.add_argument("title")
    show.add_argument("text", nargs="*")
    show.add_argument("--ttl", type=int, default=None, metavar="SECONDS")


class Commands:
    def __init__(self, client: Callable[[], OwnerClient], whole: Callable[[], dict[str, Any]] = dict) -> None:
        """`whole`: config.yaml."""
        self._client, self._whole = client, whole

    def run(self, args: argparse.Namespace) -> int:
        name = getattr(args, "gadget_command", None)
        if not name:
            print("usage: hermes gadget info | devices | pair | forget | update | say | show", file=sys.stderr)
            return 2
        try:
            return int(getattr(self, f"_{name}")(args) or 0)
        except OwnerError as error:
            print(f"hermes gadget: {error.text}" + (f" ({error.hint})" if error.hint else ""), file=sys.stderr)
            return {"no_hub": 3, "refused": 4}.get(error.code, 1)
        except (OSError, RuntimeError, ValueError) as error:
            print(f"hermes gadget: {error}", file=sys.stderr)
            return 1

    def _info(self, args: argparse.Namespace) -> int:
        if args.display:
            print(DISPLAY_KEYS, end="")
            return 0
        info = self._client().get("info")
        for key in ("url", "pin", "version", "state", "agent", "speech", "devices", "online"):
            if info.get(key) not in (None, ""):
                print(f"{key:8} {info[key]}")
        for problem in compat.missing():
            print(f"warning  {problem}")
        if "display_tier" not in compat.platform_entry_fields() and wizard.missing_display(self._whole()):
            print("display  this version of Hermes needs a few lines in config.yaml: hermes gadget info --display")
        return 0

    def _devices(self, args: argparse.Namespace) -> int:
        answer = self._client().devices()
        if args.json:
            print(json.dumps(answer, ensure_ascii=False))
            return 0
        for row in _rows(answer, "devices"):
            state = "online" if row.get("online") else "away"
            sensors = row.get("sensors")
            shown = " ".join(f"{k}={_reading(v)}" for k, v in sensors.items()) if isinstance(sensors, dict) else ""
            print(f"{row.get('id', '')}  {texts.one_line(str(row.get('name') or ''), 32):20} {state:7} {shown}".rstrip())
        return 0

    def _pair(self, args: argparse.Namespace) -> int:
        if args.code:
            return self._approve("".join(args.code.split()).upper())
        rows = _rows(self._client().get("pairing"), "pending")
        for row in rows:
            address = texts.one_line(str(row.get("address") or ""), 60)
            print(f"{row.get('code') or 'waits':10} {row.get('id') or row.get('device')}  {address}")
        if not rows:
            print("no device waits")
        return 0

    def _forget(self, args: argparse.Namespace) -> int:
        print(f"forgot {self._client().post('forget', {'device': args.device}).get('device')}")
        return 0

    def _approve(self, code: str) -> int:
        """By Hermes' own store, as `hermes pairing approve gadget CODE` does. The device hears of it within 2 s."""
        device = compat.approve(code)
        if device is None:
            if compat.approvals_are_locked():
                print("hermes gadget: too many wrong codes; Hermes takes none for a while", file=sys.stderr)
            else:
                print("hermes gadget: no device waits with this code (hermes gadget pair: which do)", file=sys.stderr)
            return 1
        name = ""
        with contextlib.suppress(OwnerError):  # the approval stands without a hub
            name = texts.one_line(str(self._client().get(f"device?device={quote(device, safe='')}").get("name") or ""), 32)
        print(f"approved {name} ({device})" if name else f"approved {device}")
        return 0

    def _update(self, args: argparse.Namespace) -> int:
        if args.cancel:
            print(f"{updates.sentence(self._client().post('update/cancel', {'device': args.device}))}.")
            return 0
        if not args.file:
            print(f"{updates.sentence(self._client().post('update/status', {'device': args.device}))}.")
            return 0
        image = updates.read_image(args.file)
        try:
            update, code = updates.run(self._client(), args.device, image, force=args.force, wait=not args.no_wait)
        except KeyboardInterrupt:
            print("\nthe update goes on (hermes gadget update DEVICE: how it goes, --cancel: end it)", file=sys.stderr)
            return 130
        said = updates.sentence(update)
        hint = texts.one_line(str(update.get("hint") or ""), 160)
        if code == 0:
            print(f"{said}.")
        else:
            print(f"hermes gadget: {said}" + (f" ({hint})" if hint else ""), file=sys.stderr)
        return code

    def _say(self, args: argparse.Namespace) -> int:
        self._client().post("say", {"device": args.device, "text": " ".join(args.text)})
        return 0

    def _show(self, args: argparse.Namespace) -> int:
        body: dict[str, Any] = {"device": args.device, "title": args.title, "body": " ".join(args.text)}
        if args.ttl is not None:
            body["ttl_s"] = args.ttl
        self._client().post("show", body)
        return 0


def _rows(answer: dict[str, Any], key: str) -> list[dict[str, Any]]:
    rows = answer.get(key)
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


def _reading(value: Any) -> Any:
    return value.get("value") if isinstance(value, dict) else value
