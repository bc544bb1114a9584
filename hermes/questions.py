"""Questions of the gateway to the person at the device: approvals, confirmations of commands, clarifications.

Each is an `ask` to the hub with a `ref` that stays the same over broken connections. Only a pressed "yes" is consent: an answer that is
missing, late or withdrawn changes nothing at the gateway, whose own time-out then counts. One owner: the adapter's loop.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict, deque
from dataclasses import dataclass
from typing import Any, Awaitable, Callable

from . import text as texts
from .bridge import BridgeError
from .tasks import Tasks

log = logging.getLogger("gadget.questions")

# The gateway's own limit for clarifications is an hour; a step on the screen is given up earlier.
STEP_TTL_S = 300
MAX_CHOICES = 8  # as yes/no steps; more are read out and answered in words
TITLE_BYTES, TEXT_BYTES = 80, 480  # of the screen (hub/core/limits.hpp)


@dataclass
class Gate:
    """What of the gateway and the hub is needed here; the tests give their own."""

    request: Callable[..., Awaitable[dict[str, Any]]]  # Bridge.request
    withdraw: Callable[[str], None]
    resolve_approval: Callable[[str, str], int]
    resolve_confirmation: Callable[[str, str, str], Awaitable[str]]
    resolve_clarification: Callable[[str, str], bool]
    take_next_text: Callable[[str], bool]
    ask_openly: Callable[[str, str], None]  # device, question: as the answer of the turn
    show: Callable[[str, str], None]


@dataclass
class _Approval:
    ref: str
    device: str
    session_key: str
    title: str
    text: str
    ttl_s: int
    task: asyncio.Task | None = None


class Questions:
    def __init__(self, gate: Gate, instance: str) -> None:
        self._gate = gate
        self._instance = instance
        self._serial = 0
        # The gateway answers the oldest approval of a session first: they are asked one after the other.
        self._approvals: dict[str, deque[_Approval]] = {}
        self._confirmations: dict[str, str] = {}  # device -> ref: words of the gateway must not count meanwhile
        self._tasks = Tasks()
        self._clarify: OrderedDict[str, tuple[str, asyncio.Task | None]] = OrderedDict()  # id -> (device, steps)

    # ---- a dangerous command

    def approval(self, device: str, session_key: str, command: str, description: str, ttl_s: int) -> str:
        ref = self._ref("approval")
        title = texts.cut(texts.one_line(description or "Run this command?", 80), TITLE_BYTES)
        approval = _Approval(ref, device, session_key, title, texts.cut(command.strip(), TEXT_BYTES), ttl_s)
        waiting = self._approvals.setdefault(session_key, deque())
        waiting.append(approval)
        if len(waiting) == 1:
            approval.task = self._tasks.spawn(self._ask_approval(approval))
        return ref

    def approval_settled(self, session_key: str) -> None:
        """The gateway has an answer (from here, from elsewhere, or by time): the oldest is no question any more."""
        waiting = self._approvals.get(session_key)
        if not waiting:
            return
        gone = waiting.popleft()
        if gone.task is not None and not gone.task.done() and gone.task is not asyncio.current_task():
            gone.task.cancel()
            self._gate.withdraw(gone.ref)
        if waiting:
            waiting[0].task = self._tasks.spawn(self._ask_approval(waiting[0]))
        else:
            del self._approvals[session_key]

    def withdraw(self, ref: str) -> None:
        """The gateway edits a prompt: it has expired."""
        for session_key, waiting in list(self._approvals.items()):
            if waiting and waiting[0].ref == ref:
                self.approval_settled(session_key)

    async def _ask_approval(self, approval: _Approval) -> None:
        answer = await self._ask(approval.device, approval.title, approval.text, approval.ttl_s, approval.ref)
        if answer not in ("yes", "no"):
            return
        if not self._gate.resolve_approval(approval.session_key, "once" if answer == "yes" else "deny"):
            self._gate.show(approval.device, "That question has expired.")
            self.approval_settled(approval.session_key)

    # ---- a command that wants to be confirmed

    def confirmation(self, device: str, session_key: str, confirm_id: str, title: str, message: str) -> str:
        ref = self._ref("confirm")
        self._confirmations[device] = ref
        self._tasks.spawn(self._ask_confirmation(ref, device, session_key, confirm_id, title, message))
        return ref

    def guarded(self, device: str) -> bool:
        return device in self._confirmations

    async def _ask_confirmation(self, ref: str, device: str, session_key: str, confirm_id: str, title: str, message: str) -> None:
        try:
            first = next((line for line in message.splitlines() if line.strip()), title)
            answer = await self._ask(device, texts.one_line(title, 80), texts.one_line(first.replace("*", ""), 240), STEP_TTL_S, ref)
            # No answer: the confirmation is cancelled, or it would stay open and count a later word.
            choice = "once" if answer == "yes" else "cancel"
            reply = await self._gate.resolve_confirmation(session_key, confirm_id, choice)
            if reply and answer == "yes":
                self._gate.show(device, reply)
        finally:
            if self._confirmations.get(device) == ref:
                del self._confirmations[device]

    # ---- a clarification

    def clarification(self, device: str, clarify_id: str, question: str, choices: list[str] | None) -> str:
        ref = self._ref("clarify")
        question = texts.without_keys(question) or "?"
        options = [texts.one_line(str(choice), 120) for choice in choices or [] if str(choice).strip()]
        if not options or len(options) > MAX_CHOICES:
            self._open_question(device, clarify_id, question, options)
            self._clarify[clarify_id] = (device, None)
        else:
            originals = [str(choice) for choice in choices or [] if str(choice).strip()]
            task = self._tasks.spawn(self._steps(ref, device, clarify_id, question, options, originals))
            self._clarify[clarify_id] = (device, task)
        while len(self._clarify) > 64:
            self._clarify.popitem(last=False)
        return ref

    def clarification_over(self, clarify_id: str) -> None:
        _, task = self._clarify.pop(clarify_id, ("", None))
        if task is not None and task is not asyncio.current_task():
            task.cancel()

    def cancel(self, device: str) -> None:
        """The turn is cancelled: its steps leave the screen."""
        for clarify_id, (owner, _) in list(self._clarify.items()):
            if owner == device:
                self.clarification_over(clarify_id)

    def _open_question(self, device: str, clarify_id: str, question: str, options: list[str]) -> None:
        self._gate.take_next_text(clarify_id)
        self._gate.ask_openly(device, question if not options else f"{question}\n" + "\n".join(f"- {option}" for option in options))

    async def _steps(self, ref: str, device: str, clarify_id: str, question: str, options: list[str], originals: list[str]) -> None:
        step = ""
        try:
            for number, option in enumerate(options):
                step = f"{ref}-{number + 1}"
                title = texts.cut(texts.one_line(question, 80), TITLE_BYTES)
                answer = await self._ask(device, title, f"{option}?", STEP_TTL_S, step)
                step = ""
                if answer == "yes":
                    self._gate.resolve_clarification(clarify_id, originals[number])
                    return
                if answer != "no":
                    return  # nobody is there: the gateway's own time-out counts
            self._open_question(device, clarify_id, question, options)
        except asyncio.CancelledError:
            if step:
                self._gate.withdraw(step)
            raise

    # ---- inside

    async def _ask(self, device: str, title: str, text: str, ttl_s: int, ref: str) -> str:
        args = {"device": device, "title": title, "text": text, "ttl_s": ttl_s}
        try:
            answer = await self._gate.request("ask", args, ref=ref, timeout=None)
        except BridgeError as error:
            log.warning("a question could not be asked on %s: %s", device, error)
            return "withdrawn"
        return str(answer.get("answer") or "withdrawn")

    def _ref(self, kind: str) -> str:
        self._serial += 1
        return f"{kind}-{self._instance[:8]}-{self._serial}"

    async def stop(self) -> None:
        await self._tasks.stop()
