"""Hermes hears and speaks itself (`hear: hermes`, `voice: hermes`), with the real gateway, hub and virtual gadget.

Run by scripts/check-hermes, which gives HERMES_GATEWAY (the gateway's virtual environment) and GADGET_PROGRAM. The model, its recognizer and its
voice are a stub, all else is real.
"""

from __future__ import annotations

import os
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

from .gadget import Gadget
from .gateway import Gateway, free_port
from .model_stub import SPEECH_SECONDS, ModelStub

VENV = os.environ.get("HERMES_GATEWAY", "")
VERSION = os.environ.get("HERMES_VERSION", "")
PROGRAM = os.environ.get("GADGET_PROGRAM", "")

AUDIO = """\
stt: {{enabled: true, provider: openai, openai: {{model: stub, base_url: "http://127.0.0.1:{port}/v1", api_key: stub-key}}}}
tts: {{provider: openai, openai: {{model: stub, voice: alloy, base_url: "http://127.0.0.1:{port}/v1", api_key: stub-key}}}}
voice: {{auto_tts: true}}
"""


@unittest.skipUnless(VENV and PROGRAM, "scripts/check-hermes gives the gateway and the program")
class HermesHearsAndSpeaks(unittest.TestCase):
    def test_recording_goes_and_speech_comes(self) -> None:
        folder = Path(tempfile.mkdtemp(prefix="hg-hermes-"))
        self.addCleanup(lambda: os.environ.get("KEEP") or shutil.rmtree(folder, ignore_errors=True))
        model = ModelStub()
        self.addCleanup(model.close)
        port = free_port()
        extra = {"state": str(folder / "state"), "hub_command": PROGRAM, "port": port, "hear": "hermes", "voice": "hermes"}
        more = AUDIO.format(port=model.port)
        gateway = Gateway(Path(VENV), folder, model.port, extra, more=more)
        (gateway.home / ".env").write_text("VOICE_TOOLS_OPENAI_KEY=stub-key\nOPENAI_API_KEY=stub-key\n")
        if VERSION == "v19":  # speaks only what does not stream
            config = gateway.home / "config.yaml"
            config.write_text(config.read_text().replace("streaming: {enabled: true,", "streaming: {enabled: false,"))
        self.addCleanup(gateway.stop)
        gateway.start()
        kitchen = Gadget(PROGRAM, folder / "kitchen", "kitchen", f"ws://127.0.0.1:{port}/gadget")
        self.addCleanup(kitchen.end)
        code = kitchen.wait("pairing", lambda text: len(text) == 8, limit_s=60)
        gateway.hermes("pairing", "approve", "gadget", code)
        kitchen.wait("paired", limit_s=5)
        try:
            self.converse(kitchen, model)
        except BaseException:
            print(kitchen.tail(), gateway.tail(15), sep="\n", file=sys.stderr)
            raise

    def converse(self, kitchen: Gadget, model: ModelStub) -> None:
        model.transcript = "is anybody at the door"
        model.rule("at the door", {"text": "Nobody is there."})
        kitchen.do("press talk", "say what time is it", "drain", "release talk")
        kitchen.wait("reply", "Nobody is there.", limit_s=60)
        kitchen.wait("turn_end", "success", limit_s=60)
        self.assertEqual(len(model.recordings), 1)
        self.assertIn(b"WAVE", model.recordings[0])
        self.assertGreater(len(model.recordings[0]), 16_000, "less than half a second was recorded")
        self.assertTrue(any("Nobody is there" in text for text in model.spoken), model.spoken)
        kitchen.wait("played_last", limit_s=SPEECH_SECONDS + 20)
        # CANCEL while it speaks: silent at once, and the next answer is spoken again.
        since = kitchen.mark()
        model.transcript = "tell me a long story"
        model.rule("long story", {"text": "Once upon a time."})
        kitchen.do("wait ready 30", "press talk", "say what time is it", "drain", "release talk")
        kitchen.wait("played_first", since=since, limit_s=60)
        kitchen.do("tap cancel")
        kitchen.wait("turn_end", "cancelled", since, limit_s=5)
        since = kitchen.mark()
        model.transcript = "is anybody at the door"
        kitchen.do("wait ready 30", "press talk", "say what time is it", "drain", "release talk")
        kitchen.wait("reply", "Nobody is there.", since, limit_s=60)
        kitchen.wait("turn_end", "success", since, limit_s=60)
        kitchen.wait("played_last", since=since, limit_s=SPEECH_SECONDS + 20)
        # What is typed is answered by the hub's voice, as Hermes speaks only after a voice message.
        since = kitchen.mark()
        model.rule("type this", {"text": "It was typed."})
        kitchen.do("wait ready 30", "text type this")
        kitchen.wait("reply", "It was typed.", since)
        kitchen.wait("played_last", since=since)


if __name__ == "__main__":
    unittest.main()
