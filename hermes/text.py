"""Texts on their way: what a device sends is data, what goes to a device is bounded."""

from __future__ import annotations

import re
import unicodedata

MAX_TEXT_BYTES = 256 * 1024  # what the hub keeps of a reply (hub/core/limits.hpp); a frame holds 1 MiB
MAX_REASON = 200  # characters of a sentence on a small screen
MAX_STATUS = 120
MAX_NAME = 64

CURSOR = "▉"  # what the gateway appends to partial texts unless it is told otherwise

# What the gateway takes for its own business in plain text: approvals of a pending confirmation, and its restart.
_COMMAND_WORDS = re.compile(
    r"^(approve|approve once|once|always|always approve|remember|yes|ok|confirm|deny|cancel|nevermind|no|y|n)$", re.IGNORECASE
)
_KEY = re.compile(r"^[a-z_]+(\.[a-z_]+)+…?$")
_RESTART = re.compile(r"^(please\s+)?restart\s+(the\s+)?(hermes\s+)?(gateway|hermes)[.!?\s]*$", re.IGNORECASE)


def cut(text: str, limit_bytes: int = MAX_TEXT_BYTES) -> str:
    """At most so many bytes of UTF-8, on a character's border, with an ellipsis when something is missing."""
    raw = text.encode("utf-8", "replace")
    if len(raw) <= limit_bytes:
        return raw.decode("utf-8")
    return raw[: limit_bytes - 3].decode("utf-8", "ignore") + "…"


def one_line(text: str, limit: int) -> str:
    """Printable, on one line, at most `limit` characters."""
    out = "".join(" " if unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp", "Cs") else c for c in str(text))
    out = " ".join(out.split())
    return out if len(out) <= limit else out[: limit - 1] + "…"


def clean_name(name: str, fallback: str) -> str:
    """A device's name as it may stand in a prompt or a command line: no control characters, Markdown, or leading slash."""
    plain = re.sub(r"[`*_\[\]<>|#~\\\"]", "", one_line(name, MAX_NAME)).lstrip("/!@ ").strip()
    return plain or fallback


def without_cursor(text: str) -> str:
    return text.rstrip().removesuffix(CURSOR).rstrip() if text.rstrip().endswith(CURSOR) else text


def is_key(line: str) -> bool:
    """A gateway that was built without its texts shows their keys, such as `gateway.clarify.skip_hint`."""
    return bool(_KEY.match(line.strip()))


def is_silence(text: str) -> bool:
    """What a model answers when it was told that it may say nothing."""
    return squeezed(text).strip("[]*.").upper() in ("SILENT", "NO_REPLY", "HEARTBEAT_OK")


def without_keys(text: str) -> str:
    return "\n".join(line for line in text.splitlines() if not is_key(line)).strip()


def squeezed(text: str) -> str:
    """For comparing two renderings of one text."""
    return " ".join(text.split())


def as_content(text: str, allowed_commands: frozenset[str] = frozenset(), guarded: bool = False) -> str:
    """A device's text such that the gateway takes it for a message, never for one of its commands.

    `guarded`: a confirmation of the gateway is open, and its words count as well. What would be a command is put into quotation
    marks: the model sees what was said, the gateway sees no command.
    """
    plain = text.strip()
    if plain.startswith("/"):
        name = plain[1:].split(maxsplit=1)[0].split("@")[0].lower() if len(plain) > 1 else ""
        if name in allowed_commands:
            return plain
        return f"“{plain}”"
    if plain.startswith("!") or _RESTART.match(plain) or (guarded and _COMMAND_WORDS.match(plain)):
        return f"“{plain}”"
    return plain


def looks_like_notice(text: str) -> bool:
    """The gateway's own notices begin with a symbol (♻ ⚠ ⏳ 💾 …); what somebody wrote to be said does not."""
    first = text.lstrip()[:1]
    return bool(first) and unicodedata.category(first) in ("So", "Sk", "Sm", "Cs", "Co", "Cn")
