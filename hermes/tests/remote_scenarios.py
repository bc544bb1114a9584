"""A hub that was started by itself, reached over TCP with its token: `hub_url`. And what `hermes gadget` does there, updates included.

Run by scripts/check-hermes, which gives HERMES_GATEWAY (the gateway's virtual environment) and GADGET_PROGRAM.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

from .gadget import Gadget
from .gateway import Gateway, free_port
from .model_stub import ModelStub

VENV = os.environ.get("HERMES_GATEWAY", "")
PROGRAM = os.environ.get("GADGET_PROGRAM", "")


def firmware(board: str, version: str, size: int = 200_000) -> bytes:
    """An image that the virtual gadget takes (E29): its header, the board's marker, and noise."""
    image = bytearray(os.urandom(size))
    image[:288] = bytes(288)
    image[0] = 0xE9
    image[32:36] = b"\x32\x54\xcd\xab"
    image[48 : 48 + len(version)] = version.encode()
    image[80:93] = b"hermes_gadget"
    marker = f"HGBOARD={board}\0".encode()
    image[288 : 288 + len(marker)] = marker
    return bytes(image)


class Hub:
    """`hermes-gadget hub` as a service of its own."""

    def __init__(self, folder: Path, owner_port: int, port: int, agent: str = "hermes") -> None:
        self.state = folder / "state"
        self._log = open(folder / "hub.log", "ab")
        self.process = subprocess.Popen(
            [PROGRAM, "hub", "--agent", agent, "--state", str(self.state), "--port", str(port),
             "--set", f"owner_listen=127.0.0.1:{owner_port}", "--set", "speech_profile=minimal"],
            stdin=subprocess.DEVNULL, stdout=self._log, stderr=self._log, start_new_session=True,
        )  # fmt: skip

    def end(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        self._log.close()


@unittest.skipUnless(VENV and PROGRAM, "scripts/check-hermes gives the gateway and the program")
class Remote(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="hg-hermes-"))
        self.addCleanup(lambda: os.environ.get("KEEP") or shutil.rmtree(self.folder, ignore_errors=True))
        self.model = ModelStub()
        self.addCleanup(self.model.close)
        self.port, self.owner_port = free_port(), free_port()
        self.url = f"ws://127.0.0.1:{self.owner_port}"
        extra = {"hub_url": self.url, "state": str(self.folder / "nowhere"), "hub_command": PROGRAM}
        self.gateway = Gateway(Path(VENV), self.folder, self.model.port, extra, approval_timeout=30)
        self.addCleanup(self.gateway.stop)

    def hub(self, agent: str = "hermes") -> Hub:
        hub = Hub(self.folder, self.owner_port, self.port, agent)
        self.addCleanup(hub.end)
        return hub

    def logged(self, words: str, limit_s: float = 40.0) -> None:
        log = self.gateway.home / "logs" / "agent.log"  # gateway.log has only what the gateway itself says
        deadline = time.monotonic() + limit_s
        while words not in (log.read_text(errors="replace") if log.exists() else ""):
            if time.monotonic() > deadline:
                raise AssertionError(f"not in the log: {words}\n{self.gateway.tail(20)}")
            time.sleep(0.2)

    def token(self, token: str) -> None:
        (self.gateway.home / ".env").write_text(f"GADGET_HUB_TOKEN={token}\n")

    def refused(self, code: int, words: str) -> None:
        ran = self.gateway.hermes("gadget", "info", check=False)
        self.assertEqual(ran.returncode, code, ran.stderr)
        self.assertIn(words, ran.stderr)

    def test_from_no_hub_to_an_update(self) -> None:
        self.token("wrong")
        self.gateway.start()  # without a hub
        self.logged(f"no hub runs at {self.url}; is it running, with owner_listen")
        self.refused(3, f"no hub answers at {self.url}")
        # A hub with another agent, then one that Hermes is: its token is another one.
        echo = self.hub("echo")
        self.logged("does not take this token: set GADGET_HUB_TOKEN")
        self.refused(1, "does not take this token (set GADGET_HUB_TOKEN")
        echo.end()
        self.gateway.stop()
        echo = self.hub("echo")
        token = self._its_token()
        self.token(token)
        self.gateway.start()
        self.logged("has no bridge: it must run with --agent hermes")
        echo.end()
        self.hub()
        self.logged(f"connected to the hub at {self.url}")
        self.assertFalse((self.folder / "nowhere").exists(), "a hub was started although there is hub_url")

        kitchen = Gadget(PROGRAM, self.folder / "kitchen", "kitchen", f"ws://127.0.0.1:{self.port}/gadget")
        self.addCleanup(kitchen.end)
        code = kitchen.wait("pairing", lambda text: len(text) == 8, limit_s=60)
        wrong = self.gateway.hermes("gadget", "pair", "AAAAAAAA", check=False)
        self.assertEqual((wrong.returncode, "no device waits with this code" in wrong.stderr), (1, True), wrong.stderr)
        self.assertIn(code, self.gateway.hermes("gadget", "pair").stdout)
        approved = self.gateway.hermes("gadget", "pair", f"{code[:4].lower()} {code[4:]}").stdout
        self.assertRegex(approved, r"^approved kitchen \(hg-[0-9a-f]{16}\)\n$")
        kitchen.wait("paired", limit_s=5)
        self.model.rule("are you far away", {"text": "Not very far."})
        kitchen.do("text are you far away")
        kitchen.wait("reply", "Not very far.")
        kitchen.wait("turn_end", "success")
        self.gateway.hermes("send", "--to", "gadget", "Dinner is ready.")  # the home channel
        kitchen.wait("reply", "Dinner is ready.")
        self._update(kitchen)

    def _its_token(self) -> str:
        file = self.folder / "state" / "owner.token"
        deadline = time.monotonic() + 20
        while not file.exists():
            self.assertLess(time.monotonic(), deadline, "the hub makes no token")
            time.sleep(0.1)
        return file.read_text().strip()

    def _update(self, kitchen: Gadget) -> None:
        image = self.folder / "firmware.bin"
        image.write_bytes(firmware("desktop", "9.1.0"))
        ran = self.gateway.hermes("gadget", "update", "kitchen", str(image), timeout=120)
        self.assertTrue(ran.stdout.endswith("kitchen runs 9.1.0 now.\n"), ran.stdout)
        self.assertGreater(len(ran.stdout.splitlines()), 1, "no progress")
        self.assertIn("9.1.0", self.gateway.hermes("gadget", "update", "kitchen").stdout)
        image.write_bytes(firmware("other-board", "9.2.0"))
        other = self.gateway.hermes("gadget", "update", "kitchen", str(image), check=False)
        self.assertEqual(other.returncode, 4, other.stderr)
        self.assertIn("other-board", other.stderr)
        nobody = self.gateway.hermes("gadget", "update", "nobody", str(image), check=False)
        self.assertEqual(nobody.returncode, 1)
        missing = self.gateway.hermes("gadget", "update", "kitchen", str(self.folder / "none.bin"), check=False)
        self.assertIn("cannot be read", missing.stderr)


if __name__ == "__main__":
    unittest.main()
