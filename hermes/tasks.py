"""Tasks that nobody awaits: held until they end, because asyncio keeps no strong reference, and their failures are logged."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

log = logging.getLogger("gadget.tasks")


class Tasks:
    """One owner: the loop that it spawns on."""

    def __init__(self) -> None:
        self._held: set[asyncio.Task] = set()

    def spawn(self, work: Any) -> asyncio.Task:
        task = asyncio.get_running_loop().create_task(work)
        self._held.add(task)
        task.add_done_callback(self._done)
        return task

    async def stop(self) -> None:
        for task in list(self._held):
            task.cancel()
        await asyncio.gather(*self._held, return_exceptions=True)

    def _done(self, task: asyncio.Task) -> None:
        self._held.discard(task)
        if not task.cancelled() and task.exception() is not None:
            log.error("a task of the gadget platform failed", exc_info=task.exception())
