"""What the owner can set under `platforms.gadget`, read once, never fatal.

A value that makes no sense is replaced by its default and named in `Settings.problems`, which the plugin logs:
a typing mistake must not keep the gateway from starting.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Mapping

SOCKET_NAME = "owner.sock"  # wire/unix_socket.hpp
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
    auto_home: bool = True  # the first approved device becomes the home channel when there is none
    # Slash commands that a device's text may run; everything else that looks like one is content.
    allowed_commands: frozenset[str] = frozenset()
    problems: list[str] = field(default_factory=list)

    @property
    def socket(self) -> Path:
        return self.state / SOCKET_NAME


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
    if text and not text.startswith(("ws://", "wss://")):
        raise ValueError("does not begin with ws:// or wss://")
    return text


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
    settings.hub_token = environ.get("GADGET_HUB_TOKEN") or settings.hub_token
    settings.access_token = environ.get("GADGET_ACCESS_TOKEN") or str(values.get("access_token") or "")
    return settings
