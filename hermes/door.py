"""Who may talk: the hub's devices on one side, Hermes' pairing and allow lists on the other.

Devices that want a code get it from Hermes' own store, as many as it has places for; the others wait in order. A code is kept in a
private file beside the store, because Hermes keeps only its hash and gives a device no second one for ten minutes: after a restart of
the gateway the device must still show the same. Pure but for that file. One owner: the adapter's loop.
"""

from __future__ import annotations

import json
import logging
import os
import time
from pathlib import Path
from typing import Any, Callable

from . import text as texts

log = logging.getLogger("gadget.door")

CODE_TTL_S = 3600  # of Hermes' codes
RETRY_S = 5.0  # between two attempts to get a code from a store that is full


class Door:
    def __init__(
        self,
        emit: Callable[[dict[str, Any]], None],
        authorized: Callable[[str], bool | None],
        new_code: Callable[[str, str], str | None],
        still_waits: Callable[[str], bool],
        file: Path,
        first_approved: Callable[[str], None],
        now: Callable[[], float] = time.time,
    ) -> None:
        self._emit, self._authorized = emit, authorized
        self._new_code, self._still_waits = new_code, still_waits
        self._file, self._first_approved, self._now = file, first_approved, now
        self._online: dict[str, bool | None] = {}  # what the hub was told last
        self._wanted: dict[str, str] = {}  # device -> name, in the order in which they came
        self._told: dict[str, str | None] = {}  # device -> code, or None: it waits
        self._retry_at = 0.0
        self._codes = self._load()

    def device(self, frame: dict[str, Any]) -> None:
        device = str(frame["device"])
        if not frame.get("online"):
            self._online.pop(device, None)
            return
        self._online.setdefault(device, None)
        self._check(device)

    def wants_code(self, frame: dict[str, Any]) -> None:
        device = str(frame["device"])
        self._wanted[device] = texts.clean_name(str(frame.get("name") or ""), device)
        self._told.pop(device, None)
        self._online.setdefault(device, None)
        self._retry_at = 0.0
        self.tick()

    def wants_none(self, device: str) -> None:
        self._wanted.pop(device, None)
        self._told.pop(device, None)

    def disconnected(self) -> None:
        """The hub says everything again on the next connection."""
        self._online.clear()
        self._wanted.clear()
        self._told.clear()

    def allowed(self, device: str) -> bool:
        return self._authorized(device) is True

    def tick(self) -> None:
        for device in list(self._online):
            self._check(device)
        now = self._now()
        if not self._wanted or now < self._retry_at:
            return
        self._retry_at = now + RETRY_S
        for device, name in list(self._wanted.items()):
            told = self._told.get(device, "")
            if told and self._valid(device, now):
                continue
            code = self._code(device, name, now)
            if code is not None:
                expires = max(1, int(self._codes[device]["until"] - now))
                command = f"hermes pairing approve gadget {code}"
                self._emit({"type": "pairing", "device": device, "code": code, "command": command, "expires_s": expires})
            elif told is not None:
                self._emit({"type": "pairing", "device": device, "wait": True})
            self._told[device] = code

    # ---- inside

    def _check(self, device: str) -> None:
        authorized = self._authorized(device)
        if authorized is None or self._online.get(device) is authorized:
            return
        before = self._online[device]
        self._online[device] = authorized
        self._emit({"type": "authorized", "device": device, "authorized": authorized})
        if authorized:
            waited = device in self._wanted or device in self._codes
            self.wants_none(device)
            if self._codes.pop(device, None) is not None:
                self._save()
            if before is False or waited:
                self._first_approved(device)

    def _valid(self, device: str, now: float) -> bool:
        kept = self._codes.get(device)
        return kept is not None and now < kept["until"] and self._still_waits(device)

    def _code(self, device: str, name: str, now: float) -> str | None:
        if self._valid(device, now):
            return self._codes[device]["code"]
        code = self._new_code(device, name)
        if code is None:
            return None
        self._codes = {k: v for k, v in self._codes.items() if now < v["until"]}
        self._codes[device] = {"code": code, "until": now + CODE_TTL_S}
        self._save()
        return code

    def _load(self) -> dict[str, dict[str, Any]]:
        try:
            read = json.loads(self._file.read_text())
            return {
                str(device): {"code": str(kept["code"]), "until": float(kept["until"])} for device, kept in read.items()
            }
        except FileNotFoundError:
            return {}
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            log.warning("%s cannot be read; devices get new codes", self._file)
            return {}

    def _save(self) -> None:
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            new = self._file.with_suffix(".new")
            with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as out:
                json.dump(self._codes, out)
            os.replace(new, self._file)
        except OSError as error:
            log.warning("codes cannot be kept in %s: %s", self._file, error)
