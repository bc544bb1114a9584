"""A language model that plays a script: the only thing in the gateway tests that is not real.

It serves POST /v1/chat/completions as a stream, and plays a recognizer and a voice as well (/v1/audio/...). What it answers depends on the newest message of the person: the first rule whose words
are in it counts, and its steps are taken in order, one for each result of a tool that has come since. A step is a dict:
`text` (sent word by word, `pause` seconds apart), `tool` and `args` (with `text` before it), or `status` (an HTTP error; with `times` only
so often, then the rest of the step).
"""

from __future__ import annotations

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from ..audio import wav

Steps = list[dict[str, Any]]
SPEECH_SECONDS, SPEECH_RATE_HZ = 2, 24_000  # of its voice


class ModelStub:
    def __init__(self) -> None:
        self.rules: list[tuple[str, Steps]] = []
        self.requests: list[dict[str, Any]] = []
        self.by_rule: dict[str, dict[str, Any]] = {}  # the newest request of each
        self.transcript = "what is the time"  # of whatever is recorded
        self.recordings: list[bytes] = []
        self.spoken: list[str] = []
        self.first_delta_at: dict[str, float] = {}  # by rule: when its first word left
        stub = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: Any) -> None:
                pass

            def do_GET(self) -> None:
                self._plain(404, {"error": {"message": "not here"}})

            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                if self.path.endswith("/audio/transcriptions"):
                    stub.recordings.append(body)
                    self._bytes("text/plain", stub.transcript.encode())
                    return
                if self.path.endswith("/audio/speech"):
                    asked = json.loads(body)
                    stub.spoken.append(str(asked.get("input")))
                    pcm = bytes(SPEECH_SECONDS * SPEECH_RATE_HZ * 2)
                    self._bytes("audio/wav", pcm if asked.get("response_format") == "pcm" else wav(pcm, SPEECH_RATE_HZ))
                    return
                if not self.path.endswith("/chat/completions"):
                    self._plain(404, {"error": {"message": "not here"}})
                    return
                try:
                    stub._answer(self, json.loads(body))
                except (BrokenPipeError, ConnectionResetError):
                    self.close_connection = True

            def _bytes(self, kind: str, raw: bytes) -> None:
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)

            def _plain(self, status: int, value: dict[str, Any]) -> None:
                raw = json.dumps(value).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(raw)))
                self.end_headers()
                self.wfile.write(raw)

        class Server(ThreadingHTTPServer):
            daemon_threads = True

            def handle_error(self, *_: Any) -> None:
                pass  # a gateway that is killed breaks its connections

        self._server = Server(("127.0.0.1", 0), Handler)
        self.port = self._server.server_address[1]
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def rule(self, words: str, *steps: dict[str, Any]) -> None:
        self.rules.insert(0, (words, list(steps)))

    def messages(self, rule: str) -> list[dict[str, Any]]:
        """What the model was told with the newest request of that rule."""
        return self.by_rule[rule]["messages"]

    def _step(self, request: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        messages = request.get("messages", [])
        newest = max((n for n, m in enumerate(messages) if m.get("role") == "user"), default=-1)
        words = _text_of(messages[newest]) if newest >= 0 else ""
        done = sum(1 for m in messages[newest + 1 :] if m.get("role") == "tool")
        for rule, steps in self.rules:
            if rule in words:
                return rule, steps[min(done, len(steps) - 1)]
        return "", {"text": "I have no answer to that."}

    def _answer(self, handler: Any, request: dict[str, Any]) -> None:
        rule, step = self._step(request)
        self.requests.append(request)
        self.by_rule[rule] = request
        if "status" in step and step.get("times", 1) > 0:
            if "times" in step:
                step["times"] -= 1
            handler._plain(step["status"], {"error": {"message": step.get("message", "no"), "type": "error"}})
            return
        if not request.get("stream"):
            message = {"role": "assistant", "content": step.get("text", "fine")}
            choice = {"index": 0, "message": message, "finish_reason": "stop"}
            handler._plain(200, {"id": "s", "object": "chat.completion", "choices": [choice], "usage": _USAGE})
            return
        handler.send_response(200)
        handler.send_header("Content-Type", "text/event-stream")
        handler.send_header("Connection", "close")
        handler.end_headers()
        handler.close_connection = True

        def event(delta: dict[str, Any], finish: str | None = None, **more: Any) -> None:
            choice = {"index": 0, "delta": delta, "finish_reason": finish}
            chunk = {"id": "s", "object": "chat.completion.chunk", "choices": [choice], **more}
            handler.wfile.write(f"data: {json.dumps(chunk)}\n\n".encode())
            handler.wfile.flush()

        event({"role": "assistant", "content": ""})
        for number, word in enumerate(_words(step.get("text", ""))):
            if number == 0:
                self.first_delta_at[rule] = time.monotonic()
            event({"content": word})
            time.sleep(step.get("pause", 0.01))
        if "tool" in step:
            name, args = self._call(request, step)
            function = {"name": name, "arguments": json.dumps(args)}
            event({"tool_calls": [{"index": 0, "id": f"call_{len(self.requests)}", "type": "function", "function": function}]})
            event({}, "tool_calls", usage=_USAGE)
        else:
            event({}, "stop", usage=_USAGE)
        handler.wfile.write(b"data: [DONE]\n\n")

    @staticmethod
    def _call(request: dict[str, Any], step: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        offered = {tool.get("function", {}).get("name") for tool in request.get("tools", [])}
        if step["tool"] not in offered and "tool_call" in offered:  # deferred tools
            return "tool_call", {"calls": [{"name": step["tool"], "arguments": step.get("args", {})}]}
        return step["tool"], step.get("args", {})


_USAGE = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}


def _words(text: str) -> list[str]:
    parts = text.split(" ")
    return [part + (" " if n + 1 < len(parts) else "") for n, part in enumerate(parts)] if text else []


def _text_of(message: dict[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, list):
        return " ".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return str(content or "")
