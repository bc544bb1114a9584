"""Starts the hub and keeps it running, when none runs on its state folder and no `hub_url` is set. Owner: the gateway's loop.

The hub belongs to this gateway then: it ends with it. One that was there before (a service of the machine, or of a gateway
that was killed) is used as it is and never ended from here.
"""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
from pathlib import Path
from typing import Any

from .settings import Settings

log = logging.getLogger("gadget.hub")

LOOK_EVERY_S = 2.0
FIRST_PAUSE_S, LONGEST_PAUSE_S = 1.0, 30.0
STEADY_S = 30.0  # a hub that ran for so long may be started again at once
STOP_PATIENCE_S = 5.0
WRONG_USAGE = 2  # exit code: trying again does not help before something was changed


def command_line(settings: Settings, program: str) -> list[str]:
    line = [program, "hub", "--agent", "hermes", "--state", str(settings.state)]
    for option in ("host", "port", "path"):
        value = getattr(settings, option)
        if value is not None:
            line += [f"--{option}", str(value)]
    for key in ("heartbeat_s", "max_utterance_s", "speak_replies", "tls_cert", "tls_key"):
        value = getattr(settings, key)
        if value is not None:
            line += ["--set", f"{key}={str(value).lower() if isinstance(value, bool) else value}"]
    return line


async def runs(socket: Path) -> bool:
    try:
        async with asyncio.timeout(2.0):
            _, writer = await asyncio.open_unix_connection(str(socket))
    except (OSError, TimeoutError):
        return False
    writer.close()
    return True


class HubProcess:
    def __init__(self, settings: Settings, log_file: Path) -> None:
        self._settings, self._log_file = settings, log_file
        self._task: asyncio.Task | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._said = ""

    def start(self) -> None:
        if self._task is None and self._settings.start_hub and not self._settings.hub_url:
            self._task = asyncio.get_running_loop().create_task(self._supervise(), name="gadget-hub")

    async def stop(self) -> None:
        task, self._task = self._task, None
        if task is not None:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
        process, self._process = self._process, None
        if process is None or process.returncode is not None:
            return
        process.terminate()
        try:
            async with asyncio.timeout(STOP_PATIENCE_S):
                await process.wait()
        except TimeoutError:
            process.kill()
            await process.wait()

    async def _supervise(self) -> None:
        pause = FIRST_PAUSE_S
        while True:
            if await runs(self._settings.socket):
                await asyncio.sleep(LOOK_EVERY_S)
                continue
            program = shutil.which(os.path.expanduser(self._settings.hub_command))
            if program is None:
                self._say_once(
                    f"no hub runs on {self._settings.state}, and {self._settings.hub_command} was not found: "
                    "install it, or set platforms.gadget.extra.hub_command or hub_url"
                )
                await asyncio.sleep(LONGEST_PAUSE_S)
                continue
            loop = asyncio.get_running_loop()
            began = loop.time()
            code = await self._run_once(program)
            if code == WRONG_USAGE:
                self._say_once(f"the hub refuses its settings; see {self._log_file}")
                await asyncio.sleep(LONGEST_PAUSE_S)
                continue
            pause = FIRST_PAUSE_S if loop.time() - began >= STEADY_S else min(pause * 2, LONGEST_PAUSE_S)
            log.warning("the hub ended with %s; it is started again in %.0f s (%s)", code, pause, self._log_file)
            await asyncio.sleep(pause)

    async def _run_once(self, program: str) -> Any:
        self._log_file.parent.mkdir(parents=True, exist_ok=True)
        environment = dict(os.environ)
        if self._settings.access_token:
            environment["GADGET_ACCESS_TOKEN"] = self._settings.access_token
        try:
            with open(self._log_file, "ab") as out:
                self._process = await asyncio.create_subprocess_exec(
                    *command_line(self._settings, program),
                    stdin=asyncio.subprocess.DEVNULL,
                    stdout=out,
                    stderr=out,
                    env=environment,
                    start_new_session=True,  # Ctrl-C at the gateway's terminal is the gateway's to pass on
                )
        except OSError as error:
            self._say_once(f"{program} cannot be started: {error}")
            return error
        log.info("started the hub (process %s)", self._process.pid)
        return await self._process.wait()

    def _say_once(self, text: str) -> None:
        if text != self._said:
            self._said = text
            log.warning("%s", text)
