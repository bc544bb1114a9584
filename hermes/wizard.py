"""The step of `hermes gateway setup`: switches the platform on, and says what comes next. Asks little, and nothing twice.

Runs in the wizard's process, with its questions. Writes config.yaml only by what `hermes config set` uses.
"""

from __future__ import annotations

import shutil
from typing import Any, Callable, Mapping

from . import compat
from .owner import OwnerClient, OwnerError

DISPLAY = {
    "tool_progress": "off",
    "interim_assistant_messages": "false",
    "long_running_notifications": "false",
    "busy_ack_detail": "false",
}


def ask(question: str, default: bool) -> bool:
    """By the wizard's own prompt, else a line. No answer (no terminal): the default."""
    prompt = compat.yes_no_prompt()
    try:
        if prompt is not None:
            return bool(prompt(f"  {question}", default))
        answer = input(f"  {question} [{'Y/n' if default else 'y/N'}] ").strip().lower()
    except EOFError:
        return default
    return default if not answer else answer.startswith("y")


def run(
    client: OwnerClient,
    ours: Mapping[str, Any],
    whole: Mapping[str, Any],
    yes: Callable[[str, bool], bool] = ask,
    write: Callable[[str, str], bool] = compat.set_option,
    say: Callable[[str], None] = print,
) -> None:
    """`ours`: platforms.gadget, `whole`: config.yaml."""
    say("\nHermes Gadget: desk devices with microphone, speaker and screen")
    _hub(client, ours, say)
    extra = ours.get("extra") if isinstance(ours.get("extra"), Mapping) else {}
    changed = False
    if ours.get("enabled") is not True and yes("Switch the gadget platform on?", True):
        changed = _write(write, {"platforms.gadget.enabled": "true"}, say)
    if not {"host", "hub_url"} & {*ours, *extra} and yes("Let devices of your network connect, not only those of this machine?", False):
        changed = _write(write, {"platforms.gadget.extra.host": "0.0.0.0"}, say) or changed
        say("  Without TLS and an access token anybody in your network can listen, and ask for a code: see SECURITY.md.")
    if "display_tier" not in compat.platform_entry_fields():
        changed = _display(whole, yes, write, say) or changed
    if changed:
        say("  Saved. It counts from the next start of the gateway: hermes gateway restart")
    say("  A new device shows a code. Run then: hermes pairing approve gadget CODE")


def _hub(client: OwnerClient, ours: Mapping[str, Any], say: Callable[[str], None]) -> None:
    try:
        say(f"  A hub runs. Devices connect to {client.get('info').get('url')}")
        return
    except OwnerError as error:
        if error.code == "unauthorized":
            say(f"  {error.text}: {error.hint}")
            return
    extra = ours.get("extra") if isinstance(ours.get("extra"), Mapping) else {}
    values = {**ours, **extra}
    if values.get("hub_url"):
        say(f"  No hub answers at {values['hub_url']}: start it there, with owner_listen and agent = \"hermes\".")
        return
    command = str(values.get("hub_command") or "hermes-gadget")
    if shutil.which(command) is None:
        say(f"  {command} is not installed: the gateway needs it to start the hub (docs/install.md).")
    else:
        say("  No hub runs yet; the gateway starts it.")


def missing_display(whole: Mapping[str, Any]) -> dict[str, str]:
    """Keys of config.yaml that a version which does not know small screens needs, and that are not set."""
    display = ((whole.get("display") or {}).get("platforms") or {}).get(compat.PLATFORM) or {}
    values = {f"display.platforms.gadget.{key}": value for key, value in DISPLAY.items() if key not in display}
    if (whole.get("streaming") or {}).get("enabled") is not True:
        # The cursor would stand in every partial text.
        values |= {"streaming.enabled": "true", "streaming.cursor": ""}
    return values


def _display(whole: Mapping[str, Any], yes: Callable[[str, bool], bool], write: Callable[[str, str], bool], say: Callable[[str], None]) -> bool:
    """Versions that do not know that our screens are small."""
    values = missing_display(whole)
    if not values or not yes("Write the display settings that small screens need (answers as they grow, no progress bubbles)?", True):
        return False
    return _write(write, values, say)


def _write(write: Callable[[str, str], bool], values: Mapping[str, str], say: Callable[[str], None]) -> bool:
    for key, value in values.items():
        try:
            done = write(key, value)
        except (Exception, SystemExit) as error:  # a key that an administrator holds ends the process there
            say(f"  {key} could not be written: {error}")
            return False
        if not done:
            say(f"  This version of Hermes cannot write it; put it into config.yaml: {key}: {value}")
            return False
    return True
