"""The turns of all devices between hub and gateway: which of the gateway's calls is an answer, and when a turn has ended.

Pure: no gateway, no sockets, no clock of its own. It is told what happens (`given`, `run_began`, `sent`, `completed` ...), emits the
frames of docs/bridge.md, and says by `Sent` what is to be said or shown outside a turn. One owner: the adapter's loop.

Names: a *turn* is the hub's (one message and all that answers it), a *run* the model's work (the `turn_id` of the hooks), a *segment*
the text between two tool calls of a run. The gateway does not say which of its texts is the answer; what was measured is:

- a run begins with `pre_llm_call`; only then the turn has begun. Background reviews stream under the same session, but have no
  `pre_llm_call` of this conversation: what is no known run is dropped.
- the model's answer is `post_llm_call`; what is sent before it is commentary, or the answer that overtook the hook. So a text that
  might be either waits as `candidate` until the next event tells.
- the outcome that the gateway reports is its delivery's: a refused model is a success there. Ours is made from what was seen.
- messages that come while the gateway starts are processed at once and really later: a turn without run and text has not ended.
"""

from __future__ import annotations

from collections import OrderedDict
from typing import Any, Callable, Mapping

from . import text as texts
from .turn import Effects, Kind, Phase, Run, Sent, Turn, classify

# How long the gateway may hold a message before its run begins (its start takes up to 10 s). Beyond: failure.
HELD_LIMIT_S = 120.0
# An answer that comes again after its turn, as it is, within this time: the gateway sent it twice.
COPY_S = 30.0
# What ended is remembered: frames that come late must find that it did.
MAX_ENDED = 256
MAX_MESSAGE_IDS = 512


class Turns:
    def __init__(self, effects: Effects, clock: Callable[[], float], hook_deltas: bool) -> None:
        self._effects = effects
        self._clock = clock
        self.hook_deltas = hook_deltas  # partial texts come by on_stream_delta, and those of drafts and edits are copies
        self._open: dict[str, Turn] = {}
        self._ended: OrderedDict[str, Turn] = OrderedDict()
        self._current: dict[str, Turn] = {}  # by device: the newest that is open
        self._runs: dict[str, Run] = {}
        self._live: dict[str, Run] = {}  # by device
        self._swallow: OrderedDict[str, None] = OrderedDict()
        self._messages: OrderedDict[str, Kind] = OrderedDict()  # ids of texts that may be edited
        self._finals: dict[str, tuple[str, float]] = {}  # by device: its last answer, and when
        self._serial = 0

    # ---- the hub's side

    def given(self, frame: Mapping[str, Any]) -> Turn | None:
        """A `turn` frame. None: it is known already."""
        turn_id, device = str(frame["turn"]), str(frame["device"])
        if turn_id in self._open or turn_id in self._ended:
            return None
        turn = Turn(turn_id, device, str(frame.get("source", "typed")))
        self._open[turn_id] = turn
        self._current[device] = turn
        return turn

    def resume(self, turn: Turn) -> bool:
        """The message answers the question with which an earlier turn ended: its run goes on for this turn."""
        run = self._live.get(turn.device)
        if run is None or run.over or run.turn is None or run.turn.phase is not Phase.ENDED or run.turn.cancelled:
            return False
        self._follow(run.turn).successor = turn
        run.turn, turn.run = turn, run
        self._begin(turn)
        return True

    def taken(self, turn: Turn) -> None:
        if turn.phase is Phase.GIVEN:
            turn.phase = Phase.TAKEN
            self._emit("turn.taken", turn)

    def cancel(self, turn_id: str) -> None:
        """The person wants no answer any more."""
        turn = self._open.get(turn_id)
        if turn is None or turn.cancelled:
            return
        turn.cancelled = True
        if turn.phase is not Phase.GIVEN:
            self._effects.stop(turn)
        else:
            self._end(turn, "cancelled")

    def stopped(self, turn_id: str) -> None:
        """`/stop` was carried out."""
        turn = self._open.get(turn_id)
        if turn is not None and turn.cancelled:
            self._end(turn, "cancelled")

    def refuse(self, turn: Turn, reason: str) -> None:
        if turn.phase is not Phase.ENDED:
            self._end(turn, "failure", reason)

    def ask_openly(self, device: str, question: str) -> bool:
        """The model's question becomes the answer of this turn: the next message of the device answers it."""
        turn = self._current.get(device)
        if turn is None:
            return False
        self._settle_candidate(turn)
        self._final(turn, question)
        self._end(turn, "success")
        return True

    def open_ids(self) -> list[str]:
        return [turn.id for turn in self._open.values() if not turn.orphan]

    def current(self, device: str) -> Turn | None:
        return self._current.get(device)

    def speaking(self, device: str) -> Turn | None:
        """The turn to which the gateway's speech belongs: what was said, and is being answered."""
        turn = self._current.get(device)
        wanted = turn is not None and turn.phase is Phase.BEGAN and not turn.cancelled and not turn.orphan and turn.source == "spoken"
        return turn if wanted else None

    def orphan(self, known: set[str] | None) -> None:
        """The hub that is there now knows these turns, and none of the others. None: it does not say."""
        for turn in self._open.values():
            turn.orphan = known is not None and turn.id not in known

    def repeat(self) -> None:
        """The hub is there again: where each open turn is."""
        for turn in list(self._open.values()):
            if turn.phase is not Phase.BEGAN or turn.orphan:
                continue
            self._emit("turn.began", turn)
            if turn.status:
                self._emit("turn.status", turn, text=turn.status)
            if turn.delta:
                self._emit("turn.delta", turn, text=turn.delta)

    # ---- the gateway's hooks

    def run_began(self, run_id: str, device: str, inbound: str | None, asked: str = "") -> None:
        """`inbound`: the message that it answers; None: this gateway does not say, so it is the device's turn; "": none of ours.
        `asked`: the text that it answers: one that waited for another run begins in that run's context, with its message."""
        live = self._live.get(device)
        known = self._open.get(inbound or "") or self._ended.get(inbound or "")
        turn = self._follow(known) if known is not None else None
        waiting = self._current.get(device)
        if waiting is not None and waiting.phase is Phase.TAKEN and waiting is not turn:
            if inbound is None or (waiting.text and texts.squeezed(waiting.text) in texts.squeezed(asked)):
                turn = waiting
        if live is not None and not live.over and (turn is None or turn.run is not None):
            return  # a helper of the run that is under way
        run = Run(run_id, device, turn, asked)
        self._runs[run_id] = run
        self._live[device] = run
        if turn is None:
            return  # nobody asked: what comes of it is said
        if turn.phase is Phase.ENDED:
            if turn.cancelled:
                self._effects.stop(turn)
            return
        turn.run = run
        self._begin(turn)
        if turn.cancelled:
            self._effects.stop(turn)

    def stream(self, run_id: str, piece: str, kind: str, mark: Any = None) -> None:
        """A true delta, by hook."""
        run = self._runs.get(run_id)
        if run is None or kind != "text" or not self.hook_deltas:
            return
        if mark is not None and mark == run.closed:
            return
        if mark != run.mark and run.segment:
            self._close_segment(run)
        run.mark = mark
        self._grow(run, run.segment + piece)

    def draft(self, device: str, draft: Any, content: str) -> None:
        """All of a segment so far, by draft or edit."""
        run = self._live.get(device)
        if run is None or self.hook_deltas or draft == run.closed:
            return
        if draft != run.mark and run.segment:
            self._close_segment(run)
        run.mark = draft
        self._grow(run, texts.without_cursor(content).strip())

    def tool_began(self, run_id: str | None, device: str, tool: str = "") -> None:
        run = self._runs.get(run_id) if run_id else self._live.get(device)
        if run is None or run.over:
            return
        run.tool = tool
        self._close_segment(run)
        if run.turn is not None and run.turn.phase is not Phase.ENDED:
            self._settle_candidate(run.turn)

    def interim(self, run_id: str, text: str) -> None:
        run = self._runs.get(run_id)
        if run is None or run.turn is None or run.turn.phase is Phase.ENDED:
            return
        if run.turn.candidate and texts.squeezed(run.turn.candidate) == texts.squeezed(text):
            run.turn.candidate = None
        self._commentary(run.turn, text)

    def status(self, device: str, text: str | None) -> None:
        turn = self._current.get(device)
        line = texts.one_line(text or "", texts.MAX_STATUS)
        if texts.is_key(line):
            line = f"is using {turn.run.tool}…" if turn and turn.run and turn.run.tool else "is working…"
        if turn is None or turn.phase is not Phase.BEGAN or turn.status == line:
            return
        turn.status = line
        self._emit("turn.status", turn, text=line)

    def run_answered(self, run_id: str, text: str, asked: str = "") -> None:
        """`asked`: what it answers, with what the gateway merged into it since it began."""
        run = self._runs.get(run_id)
        if run is None or run.answered is not None:
            return
        run.answered = text
        run.error = ""
        waiting = self._current.get(run.device)
        if run.turn is None and waiting is not None and waiting.phase is Phase.TAKEN and waiting.text:
            # A gateway that merges messages put this one into the run that it had begun by itself.
            if texts.squeezed(waiting.text) in texts.squeezed(asked.removeprefix(run.asked)):
                run.turn, waiting.run = waiting, run
                self._begin(waiting)
        turn = run.turn
        if turn is None or turn.phase is Phase.ENDED or turn.candidate is None:
            return
        # A candidate from before: the answer that overtook this hook, or commentary.
        if texts.squeezed(turn.candidate) == texts.squeezed(text):
            self._final_from_candidate(turn)
        else:
            self._settle_candidate(turn)

    def run_error(self, run_id: str, reason: str, final: bool) -> None:
        run = self._runs.get(run_id)
        if run is not None and run.answered is None:
            run.error = texts.one_line(reason, texts.MAX_REASON)
            if final is False:
                self.status(run.device, run.error)

    def run_over(self, run_id: str, interrupted: bool = False) -> None:
        run = self._runs.pop(run_id, None)
        if run is not None:
            run.over = True
            run.interrupted = interrupted

    # ---- the gateway's sends

    def swallow(self, message_id: str) -> None:
        """Replies to this message (a command that a button gave) go nowhere."""
        self._remember(self._swallow, message_id, None, MAX_MESSAGE_IDS)

    def sent(self, device: str, content: str, reply_to: str | None, metadata: Mapping[str, Any] | None) -> Sent:
        """A `send` of the gateway."""
        self._serial += 1
        message_id = f"g{self._serial}"
        if reply_to in self._swallow:
            return Sent(Kind.SWALLOWED, message_id, device)
        live = self._live.get(device)
        running = live.turn if live is not None and not live.over else None
        turn = self._current.get(device)
        original = self._open.get(reply_to or "") or self._ended.get(reply_to or "")
        if original is not None:
            followed = self._follow(original)
            turn = followed if followed.phase is not Phase.ENDED or followed.cancelled else turn
            if live is not None and live.turn is not None and followed.run is not None and followed.run is not live and followed.run.over:
                turn = live.turn  # answered in the same go as the one before
        elif reply_to is None and live is not None and live.turn is None:
            turn = None  # of a run that the gateway began by itself
        base = running or turn
        current = reply_to if original is not None and self._follow(original) is base else (base.id if base else None)
        sent = Sent(classify(metadata, reply_to, current), message_id, device)
        self._remember(self._messages, message_id, sent.kind, MAX_MESSAGE_IDS)
        if sent.kind is Kind.ANSWER:
            self._answer(turn, content, sent)
        elif sent.kind is Kind.STREAM:
            self.draft(device, message_id, content)
        elif sent.kind is Kind.DELIVERY:
            sent.aloud = texts.cut(content.strip())
        elif sent.kind is Kind.SHUTDOWN:
            for one in [t for t in self._open.values() if t.device == device]:
                one.closing = "Hermes is restarting"
        elif sent.kind in (Kind.NOTICE, Kind.PROGRESS):
            self._notice(device, turn, content, sent)
        return sent

    def edited(self, device: str, message_id: str, content: str, finalize: bool) -> Sent:
        sent = Sent(self._messages.get(message_id, Kind.PROMPT), message_id, device)
        turn = self._current.get(device)
        if sent.kind is Kind.STREAM:
            if finalize:
                self._answer(turn, content, sent)
            else:
                self.draft(device, message_id, content)
        elif sent.kind in (Kind.NOTICE, Kind.PROGRESS) and turn is not None:
            self.status(device, content.strip().splitlines()[-1] if content.strip() else "")
        return sent

    def completed(self, turn_id: str, outcome: str, device: str = "") -> None:
        """on_processing_complete: `success`, `failure` or `cancelled`, as the gateway sees it."""
        known = self._open.get(turn_id) or self._ended.get(turn_id)
        if known is not None:
            self._completed(self._follow(known), outcome)
        # A message that waited for another was answered in the same go, and is not told of by itself.
        live = self._live.get(device)
        if live is not None and live.over and live.turn is not None and turn_id not in self._swallow:
            self._completed(self._follow(live.turn), outcome)

    def _completed(self, turn: Turn, outcome: str) -> None:
        run = turn.run
        if turn.phase is Phase.ENDED or turn.cancelled:
            if run is not None:
                self._retire(run)
            return  # a cancelled one ends when `/stop` was carried out: before that the gateway takes no next message
        if run is None and turn.candidate is None and outcome == "success":
            # The gateway starts, and holds the message; it comes again (or not, see tick()).
            if turn.held_since is None:
                turn.held_since = self._clock()
            return
        broken = turn.closing or ("Hermes was interrupted" if run is not None and run.interrupted else "")
        if broken and (run is None or run.answered is None):
            self._settle_candidate(turn)
            self._end(turn, "failure", broken)
        elif outcome == "cancelled":
            self._end(turn, "cancelled")
        elif run is not None and run.answered is not None:
            self._final_from_candidate(turn)
            if run.answered.strip() and not texts.is_silence(run.answered):
                self._final(turn, run.answered.strip())  # the gateway sent it in no way that was understood
            self._end(turn, "success")
        elif run is not None and run.error:
            self._end(turn, "failure", run.error)
        elif outcome == "failure":
            self._end(turn, "failure", "Hermes could not deliver its answer")
        elif turn.candidate is not None or turn.final_sent:
            self._final_from_candidate(turn)
            self._end(turn, "success")
        else:
            self._end(turn, "failure", "Hermes gave no answer")
        if run is not None:
            self._retire(run)

    def tick(self) -> None:
        """Once a second or so."""
        now = self._clock()
        for turn in list(self._open.values()):
            if turn.held_since is not None and turn.run is None and now - turn.held_since >= HELD_LIMIT_S:
                self._end(turn, "failure", "Hermes did not take the message up")

    # ---- inside

    def _follow(self, turn: Turn) -> Turn:
        while turn.successor is not None:
            turn = turn.successor
        return turn

    def _begin(self, turn: Turn) -> None:
        self.taken(turn)
        turn.held_since = None
        if turn.phase is Phase.TAKEN:
            turn.phase = Phase.BEGAN
            if not turn.cancelled:
                self._emit("turn.began", turn)

    def _grow(self, run: Run, segment: str) -> None:
        run.segment = segment
        turn = run.turn
        shown = segment.strip()
        if turn is None or turn.phase is not Phase.BEGAN or turn.cancelled or turn.final_sent or not shown:
            return
        if turn.candidate is not None:
            self._settle_candidate(turn)  # more text follows: that was commentary
        shown = texts.cut(shown)
        if shown != turn.delta:
            turn.delta = shown
            self._emit("turn.delta", turn, text=shown)

    def _close_segment(self, run: Run) -> None:
        segment, run.segment, run.closed = run.segment.strip(), "", run.mark
        # Drafts come now and then: the gateway sends the whole segment itself. Deltas by hook are all that there is.
        if self.hook_deltas and run.turn is not None and run.turn.phase is Phase.BEGAN and segment:
            self._commentary(run.turn, segment)

    def _commentary(self, turn: Turn, text: str) -> None:
        plain = texts.squeezed(text)
        if not plain or plain in turn.said or turn.cancelled:
            return
        turn.said.add(plain)
        turn.delta = ""
        self._emit("turn.interim", turn, text=texts.cut(text.strip()))

    def _final_from_candidate(self, turn: Turn) -> None:
        if turn.candidate is not None:
            text, turn.candidate = turn.candidate, None
            self._final(turn, text)

    def _settle_candidate(self, turn: Turn) -> None:
        if turn.candidate is not None:
            text, turn.candidate = turn.candidate, None
            self._commentary(turn, text)

    def _answer(self, turn: Turn | None, content: str, sent: Sent) -> None:
        content = texts.without_cursor(content).strip()
        if not content:
            return
        if turn is None:
            text, at = self._finals.get(sent.device, ("", 0.0))
            if texts.squeezed(content) != text or self._clock() - at > COPY_S:
                sent.aloud = texts.cut(content)  # nobody waits for it, it is not lost
            return
        if turn.phase is Phase.ENDED or turn.cancelled or texts.squeezed(content) in turn.said:
            return
        self._settle_candidate(turn)
        if turn.final_sent:
            if texts.squeezed(content) != texts.squeezed(turn.delta):  # not a copy: a second answer
                sent.card = texts.cut(content)
        elif turn.run is not None and turn.run.answered is not None and not turn.closing:
            self._final(turn, content)
        else:
            turn.candidate = content

    def _final(self, turn: Turn, content: str) -> None:
        if turn.final_sent:
            return
        turn.final_sent = True
        turn.delta = content  # what the device shows now
        self._finals[turn.device] = (texts.squeezed(content), self._clock())
        self._emit("turn.final", turn, text=texts.cut(content), device=turn.device)

    def _notice(self, device: str, turn: Turn | None, content: str, sent: Sent) -> None:
        content = content.strip()
        if not content:
            return
        if turn is not None and turn.phase is not Phase.ENDED:
            self.status(device, content.splitlines()[0])
        elif texts.looks_like_notice(content):
            sent.card = texts.cut(content)
        else:
            sent.aloud = texts.cut(content)

    def _retire(self, run: Run) -> None:
        run.over = True
        self._runs.pop(run.id, None)
        if self._live.get(run.device) is run:
            del self._live[run.device]

    def _end(self, turn: Turn, outcome: str, reason: str = "") -> None:
        turn.phase = Phase.ENDED
        self._open.pop(turn.id, None)
        if self._current.get(turn.device) is turn:
            del self._current[turn.device]
        self._remember(self._ended, turn.id, turn, MAX_ENDED)
        fields = {"outcome": outcome}
        if outcome == "failure":
            fields["reason"] = texts.one_line(reason, texts.MAX_REASON)
        self._emit("turn.end", turn, **fields)

    def _emit(self, kind: str, turn: Turn, **fields: Any) -> None:
        if turn.orphan:
            if kind == "turn.final":
                self._effects.say(turn.device, fields["text"])
            return
        self._effects.emit({"type": kind, "turn": turn.id, **fields})

    @staticmethod
    def _remember(store: OrderedDict, key: str, value: Any, limit: int) -> None:
        store[key] = value
        while len(store) > limit:
            store.popitem(last=False)
