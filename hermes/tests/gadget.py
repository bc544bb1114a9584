"""A virtual gadget: the real device core, driven line by line, watched by its timeline."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path
from typing import Any, Callable


class Gadget:
    def __init__(self, program: str, folder: Path, name: str, url: str) -> None:
        self.folder, self.name = folder, name
        folder.mkdir(parents=True, exist_ok=True)
        self.timeline = folder / "timeline"
        self._out = open(folder / "sim.out", "wb")
        self.process = subprocess.Popen(
            [program, "sim", "--headless", "--url", url, "--state", str(folder / "key"), "--name", name,
             "--timeline", str(self.timeline), "--steps"],
            stdin=subprocess.PIPE, stdout=self._out, stderr=self._out, start_new_session=True,
        )  # fmt: skip

    def do(self, *steps: str) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(("\n".join(steps) + "\n").encode())
        self.process.stdin.flush()

    def facts(self) -> list[dict[str, Any]]:
        if not self.timeline.exists():
            return []
        out = []
        for line in self.timeline.read_text(errors="replace").splitlines():
            try:
                out.append(json.loads(line))
            except ValueError:
                break  # it is being written
        return out

    def mark(self) -> int:
        return len(self.facts())

    def wait(self, event: str, fits: str | Callable[[str], bool] = "", since: int = 0, limit_s: float = 30.0) -> str:
        """The text of the first such fact."""
        test = fits if callable(fits) else (lambda text: fits in text)
        deadline = time.monotonic() + limit_s
        while True:
            for fact in self.facts()[since:]:
                if fact["event"] == event and test(fact.get("text", "")):
                    return str(fact.get("text", ""))
            if self.process.poll() is not None:
                raise AssertionError(f"the gadget ended with {self.process.returncode}\n{self.tail()}")
            if time.monotonic() > deadline:
                raise AssertionError(f"no {event} {fits if isinstance(fits, str) else ''} in {limit_s:.0f} s\n{self.tail(since)}")
            time.sleep(0.05)

    def tail(self, since: int = 0) -> str:
        lines = [f"{fact['ms']:>7} {fact['event']}: {fact.get('text', '')[:160]}" for fact in self.facts()[since:]]
        said = (self.folder / "sim.out").read_text(errors="replace").splitlines()[-3:]
        return "\n".join(lines[-30:] + said)

    def end(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self._out.close()
