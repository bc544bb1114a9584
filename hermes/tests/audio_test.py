"""Recordings and speech on their way."""

from __future__ import annotations

import base64
import io
import math
import shutil
import subprocess
import tempfile
import unittest
import wave
from pathlib import Path
from unittest import mock

from hermes import audio


def piece(turn: str, pcm: bytes, rate_hz: int = 16_000) -> dict:
    return {"type": "turn.audio", "turn": turn, "rate_hz": rate_hz, "pcm": base64.b64encode(pcm).decode()}


class RecordingsTest(unittest.TestCase):
    def test_pieces_become_a_file_once(self) -> None:
        heard = audio.Recordings()
        heard.piece(piece("t1", b"\x01\x00" * 100))
        heard.piece(piece("t2", b"\x05\x00"))
        heard.piece(piece("t1", b"\x02\x00" * 50))
        with wave.open(io.BytesIO(heard.take("t1") or b"")) as file:
            self.assertEqual((file.getframerate(), file.getnchannels(), file.getsampwidth(), file.getnframes()), (16_000, 1, 2, 150))
        self.assertIsNone(heard.take("t1"))
        self.assertIsNone(heard.take("never"))

    def test_bounded(self) -> None:
        heard = audio.Recordings()
        for n in range(100):
            heard.piece(piece(f"t{n}", b"\x01\x00"))
        self.assertIsNone(heard.take("t0"))
        self.assertIsNotNone(heard.take("t99"))
        with mock.patch.object(audio, "MAX_RECORDING_BYTES", 100):
            for _ in range(3):
                heard.piece(piece("long", bytes(80)))
            self.assertEqual(len(heard.take("long") or b""), 44 + 100)

    def test_nonsense(self) -> None:
        heard = audio.Recordings()
        for wrong in (piece("t", b"\x01"), piece("t", b"\x01\x00", 1), piece("t", b"\x01\x00") | {"pcm": "§"}):
            with self.assertRaises(ValueError):
                heard.piece(wrong)
        self.assertIsNone(heard.take("t"))


class SpeechTest(unittest.TestCase):
    def test_wav_whatever_its_name_is(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "speech.mp3"
            file.write_bytes(audio.wav(b"\x01\x00" * 10, 24_000))
            self.assertEqual(audio.pcm_of(str(file)), (24_000, b"\x01\x00" * 10))

    def test_what_cannot_be_played(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "speech.mp3"
            file.write_bytes(b"ID3 something else")
            with mock.patch("shutil.which", return_value=None), self.assertRaisesRegex(audio.NoAudio, "only ffmpeg reads"):
                audio.pcm_of(str(file))
            with self.assertRaisesRegex(audio.NoAudio, "cannot be read"):
                audio.pcm_of(str(file) + "x")
            file.write_bytes(b"RIFF....WAVE")
            with self.assertRaises(audio.NoAudio):
                audio.pcm_of(str(file))

    @unittest.skipUnless(shutil.which("ffmpeg"), "ffmpeg is not installed")
    def test_other_files_by_ffmpeg(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            tone = b"".join(round(8_000 * math.sin(i / 4)).to_bytes(2, "little", signed=True) for i in range(16_000))
            source = Path(folder) / "speech.wav"
            source.write_bytes(audio.wav(tone, 16_000))
            for name in ("speech.mp3", "speech.ogg", "-speech: with a name.flac"):
                file = Path(folder) / name
                subprocess.run(["ffmpeg", "-nostdin", "-loglevel", "error", "-i", str(source), f"file:{file}"], check=True)
                rate_hz, pcm = audio.pcm_of(str(file))
                self.assertEqual(rate_hz, audio.FFMPEG_RATE_HZ)
                self.assertAlmostEqual(len(pcm) / 2 / rate_hz, 1.0, delta=0.1)
                loudest = max(abs(int.from_bytes(pcm[i : i + 2], "little", signed=True)) for i in range(0, len(pcm) - 1, 2))
                self.assertGreater(loudest, 4_000)
            broken = Path(folder) / "broken.mp3"
            broken.write_bytes(b"no sound at all")
            with self.assertRaisesRegex(audio.NoAudio, "ffmpeg cannot read"):
                audio.pcm_of(str(broken))

    def test_an_ffmpeg_that_hangs(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            slow = Path(folder) / "ffmpeg"
            slow.write_text("#!/bin/sh\nexec sleep 60\n")
            slow.chmod(0o755)
            file = Path(folder) / "speech.mp3"
            file.write_bytes(b"ID3 something else")
            found = mock.patch("shutil.which", return_value=str(slow))
            with found, mock.patch.object(audio, "FFMPEG_TIMEOUT_S", 0.2), self.assertRaisesRegex(audio.NoAudio, "took more than"):
                audio.pcm_of(str(file))

    def test_frames(self) -> None:
        made = list(audio.frames("t1", 24_000, bytes(audio.PIECE_BYTES + 3)))
        self.assertEqual([len(base64.b64decode(frame["pcm"])) for frame in made], [audio.PIECE_BYTES, 2])


if __name__ == "__main__":
    unittest.main()
