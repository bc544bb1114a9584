"""What the tests share: the schema's validator, and an emitter that checks every frame against it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema

SCHEMA = Path(__file__).resolve().parents[2] / "docs" / "bridge.schema.json"


def validator() -> Any:
    return jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text()))


class Recorder:
    """Effects for Turns: keeps what was emitted."""

    def __init__(self) -> None:
        self._validator = validator()
        self.frames: list[dict[str, Any]] = []
        self.stops: list[str] = []
        self.said: list[tuple[str, str]] = []

    def emit(self, frame: dict[str, Any]) -> None:
        self._validator.validate(frame)
        self.frames.append(frame)

    def stop(self, turn: Any) -> None:
        self.stops.append(turn.id)

    def say(self, device: str, text: str) -> None:
        self.said.append((device, text))

    def brief(self) -> list[str]:
        """`began`, `delta It is`, `end success` ..."""
        out = []
        for frame in self.frames:
            detail = frame.get("text", frame.get("outcome"))
            if frame.get("reason"):
                detail = f"{detail}: {frame['reason']}"
            kind = frame["type"].removeprefix("turn.")
            out.append(f"{kind} {detail}" if detail is not None else kind)
        return out
