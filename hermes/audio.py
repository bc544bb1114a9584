"""Recordings and speech between bridge and gateway, for owners who let Hermes hear (`hear: hermes`) or speak (`voice: hermes`).

On the bridge audio is mono 16-bit PCM in `turn.audio` frames (docs/bridge.md). The gateway takes and gives files: WAV is read here,
anything else by ffmpeg, where it is installed.
"""

from __future__ import annotations

import base64
import binascii
import io
import logging
import shutil
import subprocess
import wave
from typing import Any, Iterator

log = logging.getLogger("gadget.audio")

PIECE_BYTES = 96 * 1024  # of PCM in a frame: an eighth of what a frame may be
MAX_RECORDING_BYTES = 16 * 1024 * 1024  # beyond: the rest is dropped (the hub sends half of it at most)
MAX_SPEECH_BYTES = 32 * 1024 * 1024  # of an answer
FFMPEG_RATE_HZ = 24_000
FFMPEG_TIMEOUT_S = 30.0
RATES_HZ = (8_000, 48_000)


class NoAudio(Exception):
    """A file that cannot be played, and why."""


class Recordings:
    """What is heard of turns that are still to come. One owner: the adapter's loop."""

    MAX_TURNS = 16  # the hub gives one turn of a device at a time, and its audio just before

    def __init__(self) -> None:
        self._heard: dict[str, tuple[int, bytearray]] = {}

    def piece(self, frame: dict[str, Any]) -> None:
        """A `turn.audio` of the hub. Errors: ValueError for what is none."""
        try:
            pcm = base64.b64decode(str(frame["pcm"]), validate=True)
        except binascii.Error as error:
            raise ValueError(f"pcm is no base64: {error}") from error
        turn, rate_hz = str(frame["turn"]), int(frame["rate_hz"])
        if not RATES_HZ[0] <= rate_hz <= RATES_HZ[1] or len(pcm) % 2:
            raise ValueError("no 16-bit PCM of a known rate")
        if turn not in self._heard and len(self._heard) >= self.MAX_TURNS:
            del self._heard[next(iter(self._heard))]
        _, kept = self._heard.setdefault(turn, (rate_hz, bytearray()))
        kept += pcm[: max(0, MAX_RECORDING_BYTES - len(kept))]

    def take(self, turn: str) -> bytes | None:
        """The recording as a WAV file, once; None: nothing was heard."""
        rate_hz, pcm = self._heard.pop(turn, (0, bytearray()))
        return wav(bytes(pcm), rate_hz) if pcm else None


def wav(pcm: bytes, rate_hz: int) -> bytes:
    out = io.BytesIO()
    with wave.open(out, "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate_hz)
        file.writeframes(pcm)
    return out.getvalue()


def pcm_of(path: str) -> tuple[int, bytes]:
    """Rate and samples of a file that the gateway made. Blocking. Errors: NoAudio."""
    try:
        with open(path, "rb") as file:
            head = file.read(12)
            if head[:4] == b"RIFF" and head[8:] == b"WAVE":  # whatever its name is
                file.seek(0)
                with wave.open(file) as sound:
                    if sound.getnchannels() == 1 and sound.getsampwidth() == 2:
                        return sound.getframerate(), sound.readframes(MAX_SPEECH_BYTES // 2)
    except (OSError, EOFError, wave.Error) as error:
        raise NoAudio(f"{path} cannot be read: {error}") from error
    program = shutil.which("ffmpeg")
    if program is None:
        raise NoAudio("Hermes' voice gives files that only ffmpeg reads, and it is not installed")
    longest_s = MAX_SPEECH_BYTES // 2 // FFMPEG_RATE_HZ
    # `file:` so that no name is taken for an address.
    wanted = ["-t", str(longest_s), "-i", f"file:{path}", "-f", "s16le", "-ac", "1", "-ar", str(FFMPEG_RATE_HZ), "-"]
    try:
        done = subprocess.run(
            [program, "-nostdin", "-loglevel", "error", *wanted],
            capture_output=True, stdin=subprocess.DEVNULL, timeout=FFMPEG_TIMEOUT_S, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise NoAudio(f"ffmpeg took more than {FFMPEG_TIMEOUT_S:.0f} s for {path}") from error
    except OSError as error:
        raise NoAudio(f"{program} cannot be run: {error}") from error
    if done.returncode != 0:
        raise NoAudio(f"ffmpeg cannot read {path}: {done.stderr.decode(errors='replace').strip()[:200]}")
    return FFMPEG_RATE_HZ, done.stdout[:MAX_SPEECH_BYTES]


def frames(turn: str, rate_hz: int, pcm: bytes) -> Iterator[dict[str, Any]]:
    """As the bridge takes it; half a sample at the end is dropped."""
    pcm = pcm[: len(pcm) - len(pcm) % 2]
    for at in range(0, len(pcm), PIECE_BYTES):
        piece = base64.b64encode(pcm[at : at + PIECE_BYTES]).decode("ascii")
        yield {"type": "turn.audio", "turn": turn, "rate_hz": rate_hz, "pcm": piece}
