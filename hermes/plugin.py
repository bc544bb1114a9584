"""Tells the gateway what there is. Runs in every Hermes process, command line included: no sockets, no threads, no gateway imports
that are slow."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from typing import Any

from . import compat, settings as config, text as texts
from .owner import OwnerClient, OwnerError
from .tools import SCHEMAS, TOOLSET, Tools

log = logging.getLogger("gadget")

HINT = (
    "The person speaks to you through a small desk device with a screen and mostly a speaker. Answer in one to three plain "
    "sentences that can be read aloud; no tables, code blocks or links unless asked for."
)


def _whole() -> dict[str, Any]:
    try:
        from hermes_cli.config import load_config

        return load_config() or {}
    except Exception:
        return {}


def _extra() -> dict[str, Any]:
    """platforms.gadget of config.yaml, for processes that are no gateway. Keys may stand in `extra` or beside it."""
    ours = _section(_whole())
    extra = ours.get("extra") if isinstance(ours.get("extra"), dict) else {}
    return {**ours, **extra}


def _section(whole: dict[str, Any]) -> dict[str, Any]:
    for place in (whole, whole.get("gateway") or {}):
        ours = (place.get("platforms") or {}).get(compat.PLATFORM)
        if isinstance(ours, dict):
            return ours
    return {}


def _is_set_up(platform_config: Any) -> bool:
    """Whether the owner wants gadgets; the plugin alone switches nothing on. Asked with a made-up `enabled` as well."""
    if _section(_whole()).get("enabled") is not None:
        return _section(_whole()).get("enabled") is True
    return bool(getattr(platform_config, "extra", None) or _enabled_by_environment())


def _client() -> OwnerClient:
    from .runtime import current

    runtime = current()
    return OwnerClient(runtime.settings if runtime is not None else config.read(_extra()))


def _adapter(platform_config: Any) -> Any:
    from .adapter import GadgetAdapter

    return GadgetAdapter(platform_config)


def _enabled_by_environment() -> dict[str, Any] | None:
    """Extra settings that stand in the environment (.env of Hermes)."""
    home = os.environ.get("GADGET_HOME_CHANNEL", "").strip()
    url = os.environ.get("GADGET_HUB_URL", "").strip()
    found: dict[str, Any] = {}
    if url:
        found["hub_url"] = url
    if home:
        found["home_channel"] = {"chat_id": home, "name": "Gadget"}
    return found or None


def _from_yaml(_whole: dict[str, Any], ours: dict[str, Any]) -> dict[str, Any] | None:
    """Keys beside `enabled` count as `extra`, as in configurations of the public plugin."""
    known = config.KEYS
    return {key: ours[key] for key in known if key in ours} or None


def _target(reference: str) -> tuple[str, None] | None:
    """`gadget:hg-…`, or `gadget:kitchen`: the hub knows its devices by name as well."""
    named = reference.strip()
    return (named, None) if named else None


async def _standalone_send(
    _config: Any, chat_id: str, message: str, *, thread_id: Any = None, media_files: Any = None, force_document: bool = False
) -> dict[str, Any]:
    """`hermes send` and cron outside of the gateway: the hub keeps it for a device that is away."""
    try:
        await asyncio.to_thread(_client().post, "say", {"device": str(chat_id), "text": texts.cut(message)})
    except OwnerError as error:
        return {"error": error.text}
    return {"success": True, "message_id": f"say-{os.urandom(6).hex()}"}


def _set_up_wizard() -> None:
    from . import wizard

    wizard.run(_client(), _section(_whole()), _whole())


def _register_hooks(ctx: Any) -> None:
    from .hooks import HOOKS

    for name, callback in HOOKS.items():
        if compat.has_hook(name):
            ctx.register_hook(name, callback)


def register(ctx: Any) -> None:
    optional = {
        "display_tier": "minimal",
        "is_connected": _is_set_up,
        "setup_fn": _set_up_wizard,
        "apply_yaml_config_fn": _from_yaml,
        "parse_target_ref_fn": _target,
    }
    fields = compat.platform_entry_fields()
    ctx.register_platform(
        name=compat.PLATFORM,
        label="Gadget",
        adapter_factory=_adapter,
        check_fn=_has_websockets,
        install_hint="pip install websockets",
        env_enablement_fn=_enabled_by_environment,
        cron_deliver_env_var="GADGET_HOME_CHANNEL",
        standalone_sender_fn=_standalone_send,
        allowed_users_env="GADGET_ALLOWED_USERS",
        allow_all_env="GADGET_ALLOW_ALL_USERS",
        max_message_length=0,
        emoji="🔘",
        pii_safe=False,
        allow_update_command=False,
        platform_hint=HINT,
        **{key: value for key, value in optional.items() if key in fields},
    )
    tools = Tools(_client)
    for name, schema in SCHEMAS.items():
        ctx.register_tool(
            name=name, toolset=TOOLSET, schema=schema, handler=tools.handler(name), description=schema["description"], emoji="🔘"
        )
    _register_hooks(ctx)
    from . import cli

    commands = cli.Commands(_client, _whole)

    def handle(args: Any) -> int:
        code = commands.run(args)
        if code:
            sys.exit(code)
        return 0

    ctx.register_cli_command("gadget", "Desk devices: who is there, pairing, updates", cli.set_up, handle, "Hermes Gadget")


def _has_websockets() -> bool:
    import importlib.util

    return importlib.util.find_spec("websockets") is not None
