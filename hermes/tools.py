"""The model's tools for gadgets. They run in the gateway's worker threads, or in a process without a gateway, and ask the hub's owner API.

Every answer is a JSON text: the hub's own, or `{"error": {...}}`. Without `device` it is the one that is speaking, else the only one online.
"""

from __future__ import annotations

import json
from typing import Any, Callable

from . import compat, text as texts
from .owner import OwnerClient, OwnerError, read_file

TOOLSET = "gadget"
ASK_TTL_S = 60  # of a question that the model waits for
MAX_ASK_TTL_S = 600
MAX_PICTURE_BYTES = 32 * 1024 * 1024

_DEVICE = {
    "type": "string",
    "description": "Id or name of the device. Leave it out for the device that is speaking.",
}


def _schema(name: str, description: str, properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    return {
        "name": name,
        "description": description,
        "parameters": {"type": "object", "properties": properties, "required": required},
    }


SCHEMAS = {
    "gadget_devices": _schema(
        "gadget_devices",
        "Lists the desk devices (gadgets): who is online, their screens, actions and what their sensors say.",
        {},
        [],
    ),
    "gadget_display": _schema(
        "gadget_display",
        "Shows a card with a title and a text (simple Markdown) on a gadget's screen.",
        {
            "device": _DEVICE,
            "title": {"type": "string"},
            "body": {"type": "string"},
            "ttl_s": {"type": "integer", "description": "Seconds until it goes away; 0: until it is dismissed."},
        },
        ["title", "body"],
    ),
    "gadget_image": _schema(
        "gadget_image",
        "Shows a picture (JPEG or PNG file of this machine) on a gadget's screen.",
        {"device": _DEVICE, "path": {"type": "string"}, "ttl_s": {"type": "integer"}},
        ["path"],
    ),
    "gadget_action": _schema(
        "gadget_action",
        "Runs one of a gadget's actions, such as switching its lamp, and returns the result.",
        {
            "device": _DEVICE,
            "name": {"type": "string", "description": "Name of the action, as gadget_devices lists it."},
            "args": {"type": "object", "description": "Arguments by the action's schema."},
        },
        ["name"],
    ),
    "gadget_say": _schema(
        "gadget_say",
        "Says a text aloud on a gadget. Not for the answer to the one who is speaking: that is spoken anyway.",
        {"device": _DEVICE, "text": {"type": "string"}},
        ["text"],
    ),
    "gadget_ask": _schema(
        "gadget_ask",
        "Asks the person at a gadget a yes/no question and waits. The answer is yes, no or expired; only yes is consent.",
        {
            "device": _DEVICE,
            "text": {"type": "string"},
            "title": {"type": "string"},
            "ttl_s": {"type": "integer", "description": f"Seconds to wait, at most {MAX_ASK_TTL_S}."},
        },
        ["text"],
    ),
}


class Tools:
    def __init__(self, client: Callable[[], OwnerClient]) -> None:
        self._client = client

    def handler(self, name: str) -> Callable[..., str]:
        call = getattr(self, name.removeprefix("gadget_"))

        def handle(args: dict[str, Any] | None = None, **_: Any) -> str:
            try:
                result = call(args if isinstance(args, dict) else {})
            except OwnerError as error:
                result = {"error": error.as_dict()}
            except (KeyError, TypeError, ValueError) as error:
                result = {"error": {"code": "invalid", "text": f"{error}"}}
            return json.dumps(result, ensure_ascii=False)

        return handle

    def devices(self, _args: dict[str, Any]) -> dict[str, Any]:
        return self._client().devices()

    def display(self, args: dict[str, Any]) -> dict[str, Any]:
        body = {"device": self._device(args), "title": _text(args, "title"), "body": _text(args, "body")}
        return self._client().post("show", body | _ttl(args))

    def image(self, args: dict[str, Any]) -> dict[str, Any]:
        path = _text(args, "path")
        data = read_file(path, MAX_PICTURE_BYTES)
        if not data.startswith((b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n")):
            raise ValueError(f"{path} is neither a JPEG nor a PNG file")
        query = {"device": self._device(args)} | {key: str(value) for key, value in _ttl(args).items()}
        return self._client().post_file("image", query, data)

    def action(self, args: dict[str, Any]) -> dict[str, Any]:
        given = args.get("args")
        if isinstance(given, str) and given.strip():
            given = json.loads(given)
        body = {"device": self._device(args), "name": _text(args, "name"), "args": given if isinstance(given, dict) else {}}
        return self._client().post("action", body, timeout=120.0)  # the hub has a limit of its own

    def say(self, args: dict[str, Any]) -> dict[str, Any]:
        return self._client().post("say", {"device": self._device(args), "text": _text(args, "text")})

    def ask(self, args: dict[str, Any]) -> dict[str, Any]:
        ttl_s = max(1, min(int(args.get("ttl_s") or ASK_TTL_S), MAX_ASK_TTL_S))
        body = {"device": self._device(args), "text": _text(args, "text"), "title": str(args.get("title") or ""), "ttl_s": ttl_s}
        return self._client().post("ask", body, timeout=ttl_s + 30.0)

    def _device(self, args: dict[str, Any]) -> str:
        named = str(args.get("device") or "").strip()
        if named:
            return named
        if compat.session_value("HERMES_SESSION_PLATFORM") == compat.PLATFORM:
            speaking = compat.session_value("HERMES_SESSION_CHAT_ID")
            if speaking:
                return speaking
        rows = [row for row in self._client().devices(only_online=True).get("devices", []) if isinstance(row, dict) and row.get("online")]
        if len(rows) == 1:
            return str(rows[0].get("id") or rows[0].get("device"))
        names = ", ".join(texts.one_line(str(row.get("name") or row.get("id")), 64) for row in rows[:20]) or "none"
        raise ValueError(f"which device? online: {names}")


def _text(args: dict[str, Any], key: str) -> str:
    value = args.get(key)
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{key} is missing")
    return texts.cut(value)


def _ttl(args: dict[str, Any]) -> dict[str, int]:
    return {"ttl_s": max(0, int(args["ttl_s"]))} if args.get("ttl_s") is not None else {}
