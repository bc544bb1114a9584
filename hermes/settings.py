"""What the owner can set under `platforms.gadget`, read once, never fatal.

A value that makes no sense is replaced by its default and named in `Settings.problems`, which the plugin logs:
a typing mistake must not keep the gateway from starting.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Mapping
from urllib.parse import urlsplit

SOCKET_NAME = "owner.sock"  # wire/unix_socket.hpp
TOKEN_NAME = "owner.token"  # which a hub with owner_listen makes in its state folder
MAX_TOKEN_BYTES = 4096
MACHINE_STATE = Path("/var/lib/hermes-gadget")  # of the Debian package's unit


def default_state() -> Path:
    """Where a hub of this user keeps its state; the machine's hub when there is only that one."""
    base = os.environ.get("XDG_STATE_HOME") or str(Path.home() / ".local" / "state")
    own = Path(base) / "hermes-gadget"
    if not (own / SOCKET_NAME).exists() and MACHINE_STATE.exists():
        return MACHINE_STATE
    return own


@dataclass
class Settings:
    hub_url: str = ""  # ws://127.0.0.1:PORT of a hub that runs; empty: the owner's Unix socket
    hub_token: str = ""  # for hub_url
    state: Path = field(default_factory=default_state)
    start_hub: bool = True  # when none runs and hub_url is empty
    hub_command: str = "hermes-gadget"
    # For the hub that is started here; None: the hub's own default or its hub.toml.
    host: str | None = None
    port: int | None = None
    path: str | None = None
    heartbeat_s: int | None = None
    max_utterance_s: int | None = None
    speak_replies: bool | None = None
    tls_cert: str | None = None
    tls_key: str | None = None
    access_token: str = ""  # what devices must send before they may enrol
    hear: str = "hub"  # who recognizes speech: hub or hermes
    voice: str = "hub"  # who speaks the answers to it
    auto_home: bool = True  # the first approved device becomes the home channel when there is none
    # Slash commands that a device's text may run; everything else that looks like one is content.
    allowed_commands: frozenset[str] = frozenset()
    problems: list[str] = field(default_factory=list)

    @property
    def socket(self) -> Path:
        return self.state / SOCKET_NAME

    def token(self) -> str:
        """For hub_url: the one that was given, or that of the hub on this machine's state folder, read anew each time."""
        if self.hub_token or not self.hub_url:
            return self.hub_token
        if (urlsplit(self.hub_url).hostname or "") not in ("127.0.0.1", "::1", "localhost"):
            return ""  # another machine's hub has another state folder
        try:
            with open(self.state / TOKEN_NAME, encoding="ascii") as file:
                return file.read(MAX_TOKEN_BYTES).strip()
        except (OSError, ValueError):
            return ""


def _flag(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    text = str(value).strip().lower()
    if text in ("1", "true", "yes", "on"):
        return True
    if text in ("0", "false", "no", "off"):
        return False
    raise ValueError("is neither true nor false")


def _within(low: int, high: int):
    def read(value: Any) -> int:
        if isinstance(value, bool):
            raise ValueError("is no number")
        number = int(str(value))
        if not low <= number <= high:
            raise ValueError(f"is not within {low} and {high}")
        return number

    return read


def _text(value: Any) -> str:
    if not isinstance(value, (str, int)) or isinstance(value, bool):
        raise ValueError("is no text")
    return str(value)


def _url(value: Any) -> str:
    text = _text(value).strip()
    for http, ws in (("http://", "ws://"), ("https://", "wss://")):  # as the hub's own commands take it
        if text.startswith(http):
            text = ws + text.removeprefix(http)
    if not text:
        return text
    if not text.startswith(("ws://", "wss://")):
        raise ValueError("does not begin with ws:// or wss://")
    if not urlsplit(text).hostname:
        raise ValueError("names no host")
    return text


def _one_of(*words: str):
    def read(value: Any) -> str:
        word = _text(value).strip().lower()
        if word not in words:
            raise ValueError(f"is none of {', '.join(words)}")
        return word

    return read


def _commands(value: Any) -> frozenset[str]:
    names = value.split(",") if isinstance(value, str) else list(value)
    return frozenset(str(name).strip().lstrip("/").lower() for name in names if str(name).strip())


# The limits are those of the hub (hub/config/options.cpp).
_READERS = {
    "hub_url": _url,
    "hub_token": _text,
    "state": lambda value: Path(_text(value)).expanduser(),
    "start_hub": _flag,
    "hub_command": _text,
    "host": _text,
    "port": _within(0, 65535),
    "path": _text,
    "heartbeat_s": _within(5, 55),
    "max_utterance_s": _within(1, 600),
    "speak_replies": _flag,
    "tls_cert": _text,
    "tls_key": _text,
    "hear": _one_of("hub", "hermes"),
    "voice": _one_of("hub", "hermes"),
    "auto_home": _flag,
    "allowed_commands": _commands,
}


KEYS = (*_READERS, "access_token")


def read(extra: Mapping[str, Any] | None, environ: Mapping[str, str] | None = None) -> Settings:
    environ = os.environ if environ is None else environ
    settings = Settings()
    values = dict(extra or {})
    if environ.get("GADGET_HUB_URL"):
        values["hub_url"] = environ["GADGET_HUB_URL"]
    for key, reader in _READERS.items():
        if values.get(key) is None:
            continue
        try:
            setattr(settings, key, reader(values[key]))
        except (TypeError, ValueError) as error:
            settings.problems.append(f"platforms.gadget.{key} {error}; it is ignored")
    settings.hub_token = environ.get("GADGET_HUB_TOKEN") or settings.hub_token or environ.get("GADGET_OWNER_TOKEN", "")
    settings.access_token = environ.get("GADGET_ACCESS_TOKEN") or str(values.get("access_token") or "")
    return settings
