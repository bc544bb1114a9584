"""Latency: from the model's first word to `reply.delta` on a device's socket, and how much of it is the gateway's own.

The device is a bare client of the protocol, so that nothing but the way is measured. Run by scripts/check-hermes, which gives HERMES_GATEWAY
(the gateway's virtual environment) and GADGET_PROGRAM. The model is a stub, all else is real; all clocks are this machine's.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import json
import os
import queue
import shutil
import sys
import tempfile
import threading
import time
import unittest
from pathlib import Path

import websockets

from .gateway import Gateway, free_port
from .model_stub import ModelStub

VENV = os.environ.get("HERMES_GATEWAY", "")
VERSION = os.environ.get("HERMES_VERSION", "")
PROGRAM = os.environ.get("GADGET_PROGRAM", "")
TURNS = 20
LIMIT_MS = 20.0  # median, over the gateway's own

# Notes when the gateway itself hands a piece of the answer on: its hook, in 0.19 the call of the adapter.
PROBE = """
import sys, time

def note(*_, **__):
    with open(FILE, "a") as out:
        out.write(repr(time.monotonic()) + "\\n")

def pre_llm_call(**_):
    for name, module in list(sys.modules.items()):
        if name.endswith(".adapter") and hasattr(module, "GadgetAdapter") and not hasattr(module, "probed"):
            module.probed = True
            draft = module.GadgetAdapter.send_draft
            async def send_draft(self, *args, **kw):
                note()
                return await draft(self, *args, **kw)
            module.GadgetAdapter.send_draft = send_draft

def register(ctx):
    if HOOKED:
        ctx.register_hook("on_stream_delta", note)
    else:
        ctx.register_hook("pre_llm_call", pre_llm_call)
"""


class Device:
    """Says hello, proves its key, and notes when its messages come."""

    def __init__(self, url: str, name: str) -> None:
        self._key = os.urandom(32)
        self.id = "hg-" + hashlib.sha256(self._key).hexdigest()[:16]
        self._came: queue.Queue = queue.Queue()
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        self._socket = self._run(self._open(url))
        self.send({"type": "hello", "proto": 1, "device_id": self.id, "name": name, "board": "probe", "firmware": "1.0.0", "caps": {}})
        challenge, _ = self.wait("challenge")
        if challenge["enrolled"]:
            text = f"hermes-gadget/v1|{self.id}|{challenge['nonce']}".encode()
            self.send({"type": "auth", "mac": base64.b64encode(hmac.digest(self._key, text, "sha256")).decode()})
        else:
            self.send({"type": "auth", "key": base64.b64encode(self._key).decode()})
        self.wait("welcome")

    def _run(self, work):
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(30)

    async def _open(self, url: str):
        socket = await websockets.connect(url, subprotocols=["hermes-gadget.v1"], compression=None)
        self._reader = self._loop.create_task(self._read(socket))
        return socket

    async def _read(self, socket) -> None:
        async for message in socket:
            at = time.monotonic()
            if isinstance(message, bytes):
                continue
            parsed = json.loads(message)
            if parsed["type"] == "ping":
                await socket.send(json.dumps(parsed | {"type": "pong"}))
            self._came.put((parsed, at))

    def send(self, message: dict) -> None:
        self._run(self._socket.send(json.dumps(message)))

    def wait(self, kind: str, limit_s: float = 60.0) -> tuple[dict, float]:
        """The next message of that type, and when it came."""
        deadline = time.monotonic() + limit_s
        while True:
            message, at = self._came.get(timeout=max(0.1, deadline - time.monotonic()))
            if message["type"] == kind:
                return message, at

    def close(self) -> None:
        self._run(self._socket.close())
        self._loop.call_soon_threadsafe(self._loop.stop)


def median(values: list[float]) -> float:
    return sorted(values)[len(values) // 2]


@unittest.skipUnless(VENV and PROGRAM, "scripts/check-hermes gives the gateway and the program")
class Speed(unittest.TestCase):
    def setUp(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="hg-hermes-"))
        self.addCleanup(lambda: os.environ.get("KEEP") or shutil.rmtree(self.folder, ignore_errors=True))
        self.model = ModelStub()
        self.addCleanup(self.model.close)
        self.port = free_port()
        extra = {"state": str(self.folder / "state"), "hub_command": PROGRAM, "port": self.port}
        self.gateway = Gateway(Path(VENV), self.folder, self.model.port, extra)
        self.addCleanup(self.gateway.stop)
        probe = self.gateway.home / "plugins" / "probe"
        probe.mkdir(parents=True)
        hook = "pre_llm_call" if VERSION == "v19" else "on_stream_delta"
        (probe / "plugin.yaml").write_text(f"name: probe\nversion: 0.1.0\ndescription: notes deltas\nprovides_hooks: [{hook}]\n")
        self.noted = self.folder / "deltas"
        (probe / "__init__.py").write_text(PROBE.replace("FILE", repr(str(self.noted))).replace("HOOKED", repr(VERSION != "v19")))
        config = self.gateway.home / "config.yaml"
        config.write_text(config.read_text().replace("plugins: {enabled: [gadget],", "plugins: {enabled: [gadget, probe],"))

    def test_first_delta_on_the_devices_socket(self) -> None:
        self.gateway.start()
        device = Device(f"ws://127.0.0.1:{self.port}/gadget", "probe")
        self.addCleanup(device.close)
        code = device.wait("pairing")[0]["code"]
        self.gateway.hermes("pairing", "approve", "gadget", code)
        device.wait("paired")
        whole, added = [], []
        for number in range(-1, TURNS):  # the first one warms up
            words = f"number {number} please"
            self.model.rule(words, {"text": f"The number {number} is what you wanted to hear from me, I think.", "pause": 0.02})
            device.send({"type": "text", "text": words})
            _, at = device.wait("reply.delta")
            device.wait("turn.end")
            began = self.model.first_delta_at[words]
            noted = min(float(line) for line in self.noted.read_text().split() if float(line) > began)
            if number >= 0:
                whole.append((at - began) * 1000)
                added.append((at - noted) * 1000)
        own = [one - other for one, other in zip(whole, added)]
        print(
            f"{VERSION}, {TURNS} turns, model's first word to the device's socket: median {median(whole):.1f} ms, worst {max(whole):.1f} ms; "
            f"the gateway's own {median(own):.1f} ms, plugin, bridge and hub: median {median(added):.1f} ms, worst {max(added):.1f} ms",
            file=sys.stderr,
        )
        self.assertLess(median(added), LIMIT_MS)


if __name__ == "__main__":
    unittest.main()
