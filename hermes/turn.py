"""What a turn is made of, and what a `send` of the gateway means. The rules are in turns.py."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Any, Mapping, Protocol


class Phase(Enum):
    GIVEN = "given"  # the hub gave it
    TAKEN = "taken"  # the gateway has it
    BEGAN = "began"  # the model works on it
    ENDED = "ended"


class Kind(Enum):
    """What a `send` of the gateway is."""

    ANSWER = "answer"  # the final text, a slash command's reply, or commentary in draft mode
    STREAM = "stream"  # the first part of a message that is edited as it grows
    NOTICE = "notice"  # of the gateway: providers, home channel, transcript echo
    PROGRESS = "progress"  # a tool's bubble
    BUSY = "busy"  # the acknowledgement of a message that came during a turn
    SHUTDOWN = "shutdown"
    PROMPT = "prompt"  # an approval as text: we have buttons
    DELIVERY = "delivery"  # of a scheduled job
    SWALLOWED = "swallowed"  # replies to commands that a button gave


def classify(metadata: Mapping[str, Any] | None, reply_to: str | None, current: str | None) -> Kind:
    """By what the gateway passes along; `current` is the open turn of the device."""
    if metadata is None or not metadata:
        if reply_to is not None and reply_to != current:
            return Kind.BUSY
        return Kind.NOTICE if reply_to is not None or current is None else Kind.PROGRESS
    if metadata.get("job_id"):
        return Kind.DELIVERY
    if metadata.get("is_approval_prompt"):
        return Kind.PROMPT
    if metadata.get("_interim_send"):
        return Kind.SHUTDOWN
    if metadata.get("notify"):
        return Kind.ANSWER
    if metadata.get("expect_edits"):
        return Kind.STREAM
    return Kind.NOTICE


@dataclass
class Run:
    id: str
    device: str
    turn: "Turn | None"
    asked: str = ""
    answered: str | None = None
    error: str = ""
    over: bool = False
    interrupted: bool = False
    segment: str = ""  # what streamed since the last tool call
    mark: Any = None  # iteration or draft of the segment
    closed: Any = None  # the mark of the segment that became commentary: what comes late is dropped
    tool: str = ""  # that it uses now


@dataclass
class Turn:
    id: str
    device: str
    source: str
    text: str = ""  # as the gateway got it
    phase: Phase = Phase.GIVEN
    run: Run | None = None
    candidate: str | None = None  # answer or commentary: the next event tells
    said: set[str] = field(default_factory=set)  # commentary, squeezed
    delta: str = ""
    status: str = ""
    final_sent: bool = False
    cancelled: bool = False
    closing: str = ""  # the gateway goes down: why
    held_since: float | None = None
    orphan: bool = False  # the hub that gave it is gone, and with it the turn; its answer is not
    successor: "Turn | None" = None  # the turn that answers this one's question, and goes on with its run


class Effects(Protocol):
    def emit(self, frame: dict[str, Any]) -> None: ...
    def stop(self, turn: Turn) -> None:
        """The run of this turn must end: `/stop`."""

    def say(self, device: str, text: str) -> None:
        """The answer of a turn that its hub forgot."""


@dataclass
class Sent:
    """What became of a `send`: when it belongs to no turn, the adapter delivers it and tells the gateway whether that worked."""

    kind: Kind
    message_id: str
    device: str
    aloud: str = ""  # said and shown when the device's turn comes
    card: str = ""  # shown, never spoken
