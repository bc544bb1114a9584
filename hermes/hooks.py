"""The gateway's hooks. They come from its threads, and go to the runtime's loop in the order in which they came."""

from __future__ import annotations

import re
from typing import Any, Callable

from . import compat, text as texts
from .runtime import current


def pre_llm_call(turn_id: str = "", sender_id: str = "", platform: str = "", user_message: Any = "", **_: Any) -> None:
    runtime = current()
    if runtime is None or platform != compat.PLATFORM or not turn_id:
        return None
    device = compat.session_value("HERMES_SESSION_CHAT_ID") or sender_id
    # A run that the gateway begins by itself (after a restart, for instance) has no message of ours.
    inbound = compat.session_value("HERMES_SESSION_MESSAGE_ID") if compat.session_value("HERMES_SESSION_PLATFORM") else None
    if device:
        runtime.from_thread(runtime.turns.run_began, turn_id, device, inbound, str(user_message or ""))
    return None


def post_llm_call(turn_id: str = "", assistant_response: Any = "", platform: str = "", user_message: Any = "", **_: Any) -> None:
    runtime = current()
    if runtime is not None and platform == compat.PLATFORM:
        runtime.from_thread(runtime.turns.run_answered, turn_id, str(assistant_response or ""), str(user_message or ""))


def on_session_end(turn_id: str = "", platform: str = "", interrupted: Any = False, **_: Any) -> None:
    runtime = current()
    if runtime is not None and platform == compat.PLATFORM and turn_id:
        runtime.from_thread(runtime.turns.run_over, turn_id, bool(interrupted))


def on_stream_delta(turn_id: str = "", delta: Any = "", kind: str = "text", iteration: Any = None, **_: Any) -> None:
    runtime = current()
    if runtime is not None and turn_id:
        runtime.from_thread(runtime.turns.stream, turn_id, str(delta or ""), kind, iteration)


def on_interim_message(turn_id: str = "", **fields: Any) -> None:
    runtime = current()
    text = fields.get("text") or fields.get("content") or fields.get("message") or ""
    if runtime is not None and turn_id and isinstance(text, str):
        runtime.from_thread(runtime.turns.interim, turn_id, text)


def pre_tool_call(turn_id: str = "", tool_name: str = "", **_: Any) -> None:
    runtime = current()
    if runtime is None or compat.session_value("HERMES_SESSION_PLATFORM") != compat.PLATFORM:
        return None
    device = compat.session_value("HERMES_SESSION_CHAT_ID")
    if device:
        runtime.from_thread(runtime.turns.tool_began, turn_id or None, device, texts.one_line(str(tool_name), 64))
    return None


def api_request_error(
    turn_id: str = "", status_code: Any = None, error_message: Any = "", retryable: Any = None, reason: Any = "", **fields: Any
) -> None:
    runtime = current()
    if runtime is None or not turn_id:
        return
    error = fields.get("error")
    if not error_message and isinstance(error, dict):
        error_message = error.get("message") or ""
    runtime.from_thread(runtime.turns.run_error, turn_id, refusal(status_code, str(error_message or reason or "")), retryable is False)


def refusal(status_code: Any, message: str) -> str:
    """Why the model did not answer, as a sentence for a small screen."""
    code = f" (HTTP {status_code})" if status_code else ""
    said = re.search(r"""['"]message['"]: *(?:'([^']+)'|"([^"]+)")""", message)
    detail = texts.one_line((said.group(1) or said.group(2)) if said else message, 120)
    return f"The model did not answer{code}" + (f": {detail}" if detail else "")


def post_approval_response(session_key: str = "", surface: str = "", **_: Any) -> None:
    runtime = current()
    if runtime is not None and surface == "gateway" and session_key:
        runtime.from_thread(runtime.questions.approval_settled, session_key)


HOOKS: dict[str, Callable[..., Any]] = {
    "pre_llm_call": pre_llm_call,
    "post_llm_call": post_llm_call,
    "on_session_end": on_session_end,
    "on_stream_delta": on_stream_delta,
    "on_interim_message": on_interim_message,
    "pre_tool_call": pre_tool_call,
    "api_request_error": api_request_error,
    "post_approval_response": post_approval_response,
}
