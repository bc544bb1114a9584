"""A real gateway in a folder of its own: configured as shared with the docs, quiet, with the plugin installed as a user would."""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
PLUGIN = HERE.parent
READY = "Press Ctrl+C to stop"  # in gateway.log, after messages that were held have been given
START_LIMIT_S = 60.0
STOP_LIMIT_S = 20.0

CONFIG = """\
model: {{provider: custom, base_url: "http://127.0.0.1:{port}/v1", api_key: stub-key, default: stub-model, context_length: 131072}}
plugins: {{enabled: [gadget], auto_update_check_hours: 0}}
platforms:
  gadget:
    enabled: true
    extra: {{{extra}}}
security: {{tirith_enabled: false}}
model_catalog: {{enabled: false}}
updates: {{check: false}}
auxiliary: {{title_generation: {{enabled: false}}}}
streaming: {{enabled: true, cursor: ""}}
approvals: {{timeout: {approval_timeout}}}
cron: {{wrap_response: false}}
{display}
{more}
"""

# What docs/hermes.md asks for in versions before 0.22.
DISPLAY = """\
display: {platforms: {gadget: {tool_progress: "off", interim_assistant_messages: false, long_running_notifications: false, busy_ack_detail: false}}}
"""

# The third-party build of 0.22 carries no texts: keys stand where pairing codes should. Any other version's texts do.
LOCALES = "locales"


signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))


class Gateway:
    def __init__(
        self, venv: Path, folder: Path, model_port: int, extra: dict[str, Any], *, approval_timeout: int = 60, more: str = "",
        display: bool = True, copy_plugin: bool = True,
    ) -> None:  # fmt: skip
        self.venv, self.folder = venv, folder
        self.home = folder / "home"
        self.process: subprocess.Popen | None = None
        self._starts = 0
        atexit.register(self.stop)  # also when the tests are ended
        self.home.mkdir(parents=True)
        self.more_environment: dict[str, str] = {}
        if copy_plugin:
            copy_of_plugin(self.home / "plugins" / "gadget")
        pairs = ", ".join(f"{key}: {_yaml(value)}" for key, value in extra.items())
        text = CONFIG.format(port=model_port, extra=pairs, approval_timeout=approval_timeout, more=more, display=DISPLAY if display else "")
        (self.home / "config.yaml").write_text(text)

    def environment(self) -> dict[str, str]:
        keep = {key: os.environ[key] for key in ("PATH", "LANG", "TZ") if key in os.environ}
        user = self.folder / "user"
        user.mkdir(exist_ok=True)
        keep |= {
            "HOME": str(user),
            "HERMES_HOME": str(self.home),
            "HERMES_GATEWAY_LOCK_DIR": str(self.folder / "locks"),
            "NO_PROXY": "127.0.0.1,localhost",
        }
        locales = os.environ.get("HERMES_BUNDLED_LOCALES")
        if locales:
            keep["HERMES_BUNDLED_LOCALES"] = locales
        return keep | self.more_environment

    def hermes(self, *args: str, timeout: float = 60.0, check: bool = True) -> subprocess.CompletedProcess:
        done = subprocess.run(
            [str(self.venv / "bin" / "hermes"), *args],
            env=self.environment(), cwd=self.folder, capture_output=True, text=True, timeout=timeout, stdin=subprocess.DEVNULL,
        )
        if check and done.returncode != 0:
            raise AssertionError(f"hermes {' '.join(args)}: {done.returncode}\n{done.stdout}\n{done.stderr}")
        return done

    def start(self, wait: bool = True) -> None:
        ready = self._ready_lines()
        self._starts += 1
        with open(self.folder / f"gateway-{self._starts}.out", "wb") as out:
            self.process = subprocess.Popen(
                [str(self.venv / "bin" / "hermes"), "gateway", "run"],
                env=self.environment(), cwd=self.folder, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True,
            )
        if wait:
            self.wait_ready(ready)

    def wait_ready(self, before: int = 0) -> None:
        deadline = time.monotonic() + START_LIMIT_S
        while self._ready_lines() <= before:
            if self.process is None or self.process.poll() is not None:
                raise AssertionError(f"the gateway ended with {self.process and self.process.returncode}\n{self.tail()}")
            if time.monotonic() > deadline:
                raise AssertionError(f"the gateway was not ready in {START_LIMIT_S:.0f} s\n{self.tail()}")
            time.sleep(0.1)

    def _ready_lines(self) -> int:
        log = self.home / "logs" / "gateway.log"
        return log.read_text(errors="replace").count(READY) if log.exists() else 0

    def stop(self) -> None:
        process, self.process = self.process, None
        if process is None or process.poll() is not None:
            return
        process.send_signal(signal.SIGINT)
        try:
            process.wait(STOP_LIMIT_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.process = None

    def tail(self, lines: int = 40) -> str:
        out = []
        for file in [*sorted((self.home / "logs").glob("*.log")), *sorted(self.folder.glob("gateway-*.out"))]:
            text = [line for line in file.read_text(errors="replace").splitlines() if "check_fn" not in line][-lines:]
            out.append(f"---- {file.name}\n" + "\n".join(text))
        return "\n".join(out)


def copy_of_plugin(place: Path) -> None:
    """As a user would copy it."""
    shutil.copytree(PLUGIN, place, ignore=shutil.ignore_patterns("tests", "__pycache__", "*.egg-info", "build"))


def _yaml(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value) if isinstance(value, int) else f'"{value}"'


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
