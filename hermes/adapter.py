"""The gateway's platform adapter: translates its calls to Turns and Questions, and the hub's frames to its messages."""

from __future__ import annotations

import asyncio
import logging
import os
from typing import Any

from gateway.config import Platform
from gateway.platforms.base import BasePlatformAdapter, MessageEvent, MessageType, SendResult

from . import compat, settings as config, text as texts
from .runtime import Runtime
from .turn import Kind, Phase, Turn

log = logging.getLogger("gadget")

STOP_PATIENCE_S = 3.0  # for `/stop`, until the run is interrupted directly


class GadgetAdapter(BasePlatformAdapter):
    supports_status_text = True
    splits_long_messages = True  # the hub pages them
    MAX_MESSAGE_LENGTH = texts.MAX_TEXT_BYTES // 4

    def __init__(self, platform_config: Any) -> None:
        super().__init__(platform_config, Platform(compat.PLATFORM))
        self._settings = config.read(getattr(platform_config, "extra", None))
        self._runtime: Runtime | None = None

    # ---- life

    async def connect(self, *, is_reconnect: bool = False) -> bool:
        self._runtime = Runtime.attach(self, self._settings)
        self._mark_connected()
        return True

    async def disconnect(self) -> None:
        if self._runtime is not None:
            await self._runtime.detach(self)
        self._mark_disconnected()

    async def get_chat_info(self, chat_id: str) -> dict[str, Any]:
        name = self._runtime.name_of(chat_id) if self._runtime else chat_id
        return {"name": name, "type": "dm", "chat_id": chat_id}

    def is_authorized(self, device: str) -> bool | None:
        return self._is_sender_authorized(device, "dm", device)

    def offer_home(self, device: str) -> None:
        """The first approved device becomes the home channel, as by /sethome."""
        if os.environ.get("GADGET_HOME_CHANNEL") or getattr(self.config, "home_channel", None):
            return
        try:
            if not compat.home_channel(device):
                return
            os.environ["GADGET_HOME_CHANNEL"] = device
            from gateway.config import HomeChannel

            name = self._runtime.name_of(device) if self._runtime else device
            self.config.home_channel = HomeChannel(platform=self.platform, chat_id=device, name=name)
            log.info("%s is the home channel now", device)
        except Exception:
            log.warning("the home channel could not be set; /sethome does it", exc_info=True)

    # ---- the hub's frames, one after the other for a device

    def _event(self, device: str, text: str, message_id: str, kind: MessageType = MessageType.TEXT) -> MessageEvent:
        assert self._runtime is not None
        name = self._runtime.name_of(device)
        source = self.build_source(
            chat_id=device, chat_name=name, chat_type="dm", user_id=device, user_name=name, message_id=message_id
        )
        return MessageEvent(text=text, message_type=kind, source=source, message_id=message_id)

    async def hand_over(self, turn: Turn, frame: dict[str, Any]) -> None:
        runtime = self._runtime
        assert runtime is not None
        if turn.phase is Phase.ENDED:
            return  # cancelled while it waited
        if self.is_authorized(turn.device) is False:
            runtime.turns.refuse(turn, "Hermes does not know this device")
            return
        if turn.source == "event":
            # What a device reports is content, whatever it is called.
            data = texts.cut(str(frame["text"]), 16 * 1024)
            text = f"[The device reports the event “{texts.one_line(str(frame.get('event') or '?'), 64)}” with the data {data}]"
        else:
            text = texts.as_content(
                texts.cut(str(frame["text"])),
                self._settings.allowed_commands if turn.source == "typed" else frozenset(),
                runtime.questions.guarded(turn.device),
            )
        kind = MessageType.VOICE if turn.source == "spoken" else MessageType.TEXT
        event = self._event(turn.device, text, turn.id, kind)
        recording = runtime.recordings.take(turn.id)
        if recording is not None:  # Hermes recognizes it
            path = await asyncio.to_thread(compat.keep_recording, recording)
            event.media_urls, event.media_types = [path], ["audio/wav"]
        event.channel_prompt = runtime.prompt_for(turn.device)
        turn.text = text
        runtime.turns.taken(turn)
        # The answer to an open question reaches the run that asked; anything else begins one.
        answers = turn.source != "event" and compat.clarification_waits(self._session_key(event))
        if answers and runtime.turns.resume(turn):
            runtime.questions.cancel(turn.device)
        await self.handle_message(event)

    async def stop_run(self, turn: Turn) -> None:
        runtime = self._runtime
        assert runtime is not None
        command = f"stop-{turn.id}"
        runtime.turns.swallow(command)
        event = self._event(turn.device, "/stop", command)
        try:
            async with asyncio.timeout(STOP_PATIENCE_S):
                await self.handle_message(event)
            if turn.run is not None and not turn.run.over and self._session_key(event) in self._active_sessions:
                await self.interrupt_session_activity(self._session_key(event), turn.device)
        except TimeoutError:
            log.warning("/stop took too long on %s", turn.device)
        finally:
            runtime.turns.stopped(turn.id)

    async def new_session(self, device: str) -> None:
        if self._runtime is None or self.is_authorized(device) is False:
            return
        command = f"new-{os.urandom(6).hex()}"
        self._runtime.turns.swallow(command)
        await self.handle_message(self._event(device, "/new", command))

    def _session_key(self, event: MessageEvent) -> str:
        return compat.session_key(event.source, getattr(self.config, "extra", None) or {})

    # ---- what the gateway says

    async def send(self, chat_id: str, content: str, reply_to: str | None = None, metadata: dict | None = None) -> SendResult:
        runtime = self._runtime
        if runtime is None:
            return SendResult(success=False, error="not connected", retryable=True)
        sent = runtime.turns.sent(str(chat_id), str(content or ""), reply_to, metadata)
        log.debug("send %s to %s", sent.kind.value, chat_id)
        return await self._outside(str(chat_id), sent)

    async def edit_message(
        self, chat_id: str, message_id: str, content: str, *, finalize: bool = False, metadata: dict | None = None
    ) -> SendResult:
        runtime = self._runtime
        if runtime is None:
            return SendResult(success=False, error="not connected")
        runtime.questions.withdraw(message_id)
        return await self._outside(str(chat_id), runtime.turns.edited(str(chat_id), message_id, str(content or ""), finalize))

    async def _outside(self, device: str, sent: Any) -> SendResult:
        assert self._runtime is not None
        problem = None
        if sent.aloud:
            problem = await self._runtime.deliver(device, sent.aloud)
        elif sent.card:
            await self._runtime.show(device, sent.card)
        if problem is not None and sent.kind is not Kind.NOTICE:
            return SendResult(success=False, error=problem, retryable=True)
        return SendResult(success=True, message_id=sent.message_id)

    def supports_draft_streaming(self, chat_type: str | None = None, metadata: dict | None = None, **_: Any) -> bool:
        return True

    async def send_draft(
        self, chat_id: str, draft_id: int, content: str, metadata: dict | None = None, **_: Any
    ) -> SendResult:
        if self._runtime is not None:
            self._runtime.turns.draft(str(chat_id), draft_id, str(content or ""))
        return SendResult(success=True)

    async def delete_message(self, chat_id: str, message_id: str) -> bool:
        return True

    def set_status_text(self, chat_id: str, text: str | None) -> None:
        """From the agent's thread."""
        if self._runtime is not None:
            self._runtime.from_thread(self._runtime.turns.status, str(chat_id), text)

    async def on_processing_complete(self, event: MessageEvent, outcome: Any) -> None:
        if self._runtime is None:
            return
        device = str(getattr(event.source, "chat_id", "") or "")
        how = str(getattr(outcome, "value", outcome))
        # What its hooks put on the loop before comes first.
        self._runtime.loop.call_soon(self._runtime.turns.completed, str(event.message_id or ""), how, device)

    # ---- files: a path in an answer never becomes a file that is sent

    async def _no_file(self, chat_id: str, caption: str | None) -> SendResult:
        return SendResult(success=True, message_id="none")

    async def send_document(self, chat_id: str, file_path: str, caption: str | None = None, *_: Any, **__: Any) -> SendResult:
        return await self._no_file(chat_id, caption)

    async def send_video(self, chat_id: str, video_path: str, caption: str | None = None, *_: Any, **__: Any) -> SendResult:
        return await self._no_file(chat_id, caption)

    async def send_voice(self, chat_id: str, audio_path: str, caption: str | None = None, *_: Any, **__: Any) -> SendResult:
        return await self.play_tts(chat_id, audio_path)

    async def play_tts(self, chat_id: str, audio_path: str, *_: Any, **__: Any) -> SendResult:
        if self._runtime is not None and self._settings.voice == "hermes":
            await self._runtime.play(str(chat_id), str(audio_path))
        return await self._no_file(chat_id, None)  # else the hub speaks

    async def send_image_file(self, chat_id: str, image_path: str, caption: str | None = None, *_: Any, **__: Any) -> SendResult:
        return await self._no_file(chat_id, caption)

    async def send_image(self, chat_id: str, image_url: str, caption: str | None = None, *_: Any, **__: Any) -> SendResult:
        return await self._no_file(chat_id, caption)

    # ---- speech that comes while the answer still grows (0.20 and later)

    def supports_streaming_tts(self, chat_id: str, audio_format: Any) -> bool:
        return self._settings.voice == "hermes" and (audio_format.channels, audio_format.sample_width) == (1, 2)

    async def begin_streaming_tts(self, chat_id: str, audio_format: Any, metadata: dict | None = None) -> Any:
        if self._runtime is None or self._runtime.turns.speaking(str(chat_id)) is None:
            return None
        return compat.speech_handle(str(chat_id), audio_format)

    async def write_streaming_tts(self, handle: Any, chunk: bytes) -> None:
        if self._runtime is None or handle.aborted:
            return
        chunk = getattr(handle, "half", b"") + bytes(chunk)
        whole = len(chunk) - len(chunk) % 2
        handle.half = chunk[whole:]  # of a sample
        if self._runtime.voice(handle.chat_id, handle.audio_format.sample_rate, chunk[:whole]):
            handle.audible = True

    async def finish_streaming_tts(self, handle: Any, *, interrupted: bool = False) -> None:
        handle.aborted = handle.aborted or interrupted

    async def abort_streaming_tts(self, handle: Any, error: str | None = None) -> None:
        handle.aborted = True

    # ---- questions

    async def send_exec_approval(
        self, chat_id: str, command: str, session_key: str, description: str = "", metadata: dict | None = None, **_: Any
    ) -> SendResult:
        if self._runtime is None:
            return SendResult(success=False, error="not connected")
        ttl_s = compat.approval_timeout_s()
        ref = self._runtime.questions.approval(str(chat_id), session_key, command, description, ttl_s)
        return SendResult(success=True, message_id=ref)

    async def _send_exec_approval_prompt(self, prompt: Any) -> SendResult:
        return await self.send_exec_approval(
            chat_id=prompt.chat_id,
            command=prompt.command,
            session_key=prompt.session_key,
            description=getattr(prompt, "description", ""),
        )

    async def send_slash_confirm(
        self, chat_id: str, title: str, message: str, session_key: str, confirm_id: str, metadata: dict | None = None, **_: Any
    ) -> SendResult:
        if self._runtime is None:
            return SendResult(success=False, error="not connected")
        ref = self._runtime.questions.confirmation(str(chat_id), session_key, confirm_id, title, message)
        return SendResult(success=True, message_id=ref)

    async def send_clarify(
        self,
        chat_id: str,
        question: str,
        choices: list | None,
        clarify_id: str,
        session_key: str,
        metadata: dict | None = None,
        **_: Any,
    ) -> SendResult:
        if self._runtime is None:
            return SendResult(success=False, error="not connected")
        ref = self._runtime.questions.clarification(str(chat_id), clarify_id, question, choices)
        return SendResult(success=True, message_id=ref)

    async def retire_clarify_card(self, clarify_id: str, *_: Any, **__: Any) -> None:
        if self._runtime is not None:
            self._runtime.questions.clarification_over(clarify_id)
