"""New firmware for a device, from the command line: sends the image to the hub and watches it until the device runs it, or does not.

Thin over the owner API (`update`, `update/status`, `update/cancel`): all decisions are the hub's. Blocking.
"""

from __future__ import annotations

import sys
import time
from typing import Any, Callable, TextIO

from . import text as texts
from .owner import OwnerClient, OwnerError, read_file

MAX_IMAGE_BYTES = 32 * 1024 * 1024  # hub/firmware/limits.hpp
POLL_S = 0.2
HUB_AWAY_S = 60.0  # how long a hub may be away while it is restarted
SEND_TIMEOUT_S = 300.0  # for the image, to the hub
AWAY = ("no_hub", "timeout")
TEXT_LENGTH = 160

DONE, FAILED, REFUSED = 0, 1, 4  # exit codes


def read_image(file: str) -> bytes:
    """Errors: ValueError with a sentence."""
    data = read_file(file, MAX_IMAGE_BYTES)
    if not data:
        raise ValueError(f"{file} is empty")
    return data


class Progress:
    """A line that is drawn again on a terminal; elsewhere a line for each step."""

    def __init__(self, out: TextIO) -> None:
        self._out = out
        self._bar = out.isatty()
        self._shown = ""

    def show(self, update: dict[str, Any]) -> None:
        text = sentence(update)
        size, taken = _count(update, "size"), _count(update, "taken")
        sending = update.get("phase") == "sending" and size > 0
        if not self._bar:
            step = f"{update.get('phase')} {update.get('tries')} {update.get('online')}"
            if step != self._shown:
                self._shown = step
                print(text, file=self._out, flush=True)
            return
        line = f"{taken * 100 // size:3d} %  {text}" if sending else text
        print("\r" + line[:100].ljust(len(self._shown)), end="", file=self._out, flush=True)
        self._shown = line[:100]

    def end(self) -> None:
        if self._bar and self._shown:
            print("\r" + " " * len(self._shown) + "\r", end="", file=self._out, flush=True)


def sentence(update: dict[str, Any]) -> str:
    return texts.one_line(str(update.get("text") or ""), TEXT_LENGTH)


def run(
    client: OwnerClient, device: str, image: bytes, *, force: bool = False, wait: bool = True, out: TextIO | None = None,
    sleep: Callable[[float], None] = time.sleep, clock: Callable[[], float] = time.monotonic,
) -> tuple[dict[str, Any], int]:  # fmt: skip
    """The last that the hub said of it, and the exit code. Errors: OwnerError."""
    query = {"device": device} | ({"force": "true"} if force else {})
    update = client.post_file("update", query, image, timeout=SEND_TIMEOUT_S)
    if not wait:
        return update, DONE
    progress = Progress(out or sys.stdout)
    try:
        update = _watch(client, update, progress, sleep, clock)
    finally:
        progress.end()
    return update, exit_code(update)


def exit_code(update: dict[str, Any]) -> int:
    return {"installed": DONE, "refused": REFUSED}.get(str(update.get("phase")), FAILED)


def _watch(
    client: OwnerClient, update: dict[str, Any], progress: Progress, sleep: Callable[[float], None], clock: Callable[[], float]
) -> dict[str, Any]:
    device = str(update.get("device") or "")
    seen = clock()
    while not update.get("told"):  # what ends at once is not in the hub's books
        progress.show(update)
        sleep(POLL_S)
        try:
            update = client.post("update/status", {"device": device})
            seen = clock()
        except OwnerError as error:
            if error.code not in AWAY or clock() - seen > HUB_AWAY_S:
                raise
    return update


def _count(update: dict[str, Any], key: str) -> int:
    value = update.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0
