"""A person at a terminal: reads what a program shows, and answers its questions. No terminal that draws menus: programs ask by lines then."""

from __future__ import annotations

import os
import re
import select
import subprocess
import time

MAX_SHOWN = 200_000


class Terminal:
    def __init__(self, command: list[str], environment: dict[str, str], folder: str) -> None:
        self._main, sub = os.openpty()
        self.process = subprocess.Popen(
            command, env=environment | {"TERM": "none"}, cwd=folder, stdin=sub, stdout=sub, stderr=sub, start_new_session=True
        )
        os.close(sub)
        self.shown = ""
        self._read = 0  # up to where questions were answered

    def wait(self, pattern: str, limit_s: float = 40.0) -> str:
        """What was shown up to the pattern, since the last one."""
        deadline = time.monotonic() + limit_s
        while True:
            found = re.search(pattern, self.shown[self._read :])
            if found:
                before = self.shown[self._read : self._read + found.end()]
                self._read += found.end()
                return before
            if time.monotonic() > deadline or not self._more():
                raise AssertionError(f"{pattern} was not shown, but:\n{self.shown[-3000:]}")

    def answer(self, text: str) -> None:
        os.write(self._main, text.encode() + b"\n")

    def end(self, limit_s: float = 40.0) -> int:
        deadline = time.monotonic() + limit_s
        while self._more() and time.monotonic() < deadline:
            pass
        try:
            return self.process.wait(max(0.1, deadline - time.monotonic()))
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError(f"it does not end:\n{self.shown[-3000:]}") from None
        finally:
            os.close(self._main)

    def _more(self) -> bool:
        """Reads what there is, at most half a second. False: the program has ended."""
        ready, _, _ = select.select([self._main], [], [], 0.5)
        if not ready:
            return self.process.poll() is None
        try:
            data = os.read(self._main, 65536)
        except OSError:  # all ends of the terminal are closed
            return False
        text = re.sub(r"\x1b\[[0-9;]*m", "", data.decode(errors="replace")).replace("\r", "")
        self.shown = (self.shown + text)[:MAX_SHOWN]
        return bool(data)
