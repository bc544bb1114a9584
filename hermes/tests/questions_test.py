"""Questions: only a pressed yes is consent."""

from __future__ import annotations

import asyncio
import unittest

from hermes.bridge import BridgeError
from hermes.questions import MAX_CHOICES, Gate, Questions

from .frames import validator

KITCHEN = "hg-630dcd2966c43366"


class Person:
    """Plays hub, person and gateway."""

    def __init__(self) -> None:
        self.asked: list[tuple[str, str, asyncio.Future]] = []
        self.withdrawn: list[str] = []
        self.approvals: list[tuple[str, str]] = []
        self.confirmed: list[tuple[str, str, str]] = []
        self.clarified: list[tuple[str, str]] = []
        self.open: list[str] = []
        self.text_taken: list[str] = []
        self.shown: list[str] = []
        self.pending = 1  # what resolve_approval answers
        self._validator = validator()
        self.arrived = asyncio.Event()

    def gate(self) -> Gate:
        async def confirm(key: str, confirm_id: str, choice: str) -> str:
            self.confirmed.append((key, confirm_id, choice))
            return "Session reset."

        return Gate(
            request=self.request,
            withdraw=self.withdrawn.append,
            resolve_approval=lambda key, choice: (self.approvals.append((key, choice)), self.pending)[1],
            resolve_confirmation=confirm,
            resolve_clarification=lambda clarify_id, answer: (self.clarified.append((clarify_id, answer)), True)[1],
            take_next_text=lambda clarify_id: (self.text_taken.append(clarify_id), True)[1],
            ask_openly=lambda device, question: self.open.append(question),
            show=lambda device, text: self.shown.append(text),
        )

    async def request(self, call: str, args: dict, ref: str | None = None, timeout: float | None = None) -> dict:
        self._validator.validate({"type": "request", "id": "q", "call": call, "args": args, "ref": ref})
        answer = asyncio.get_running_loop().create_future()
        self.asked.append((ref, args["text"], answer))
        self.arrived.set()
        return await answer

    async def next(self, count: int) -> None:
        async with asyncio.timeout(5):
            while len(self.asked) < count:
                self.arrived.clear()
                await self.arrived.wait()

    async def press(self, answer: str) -> None:
        self.asked[-1][2].set_result({"answer": answer})
        await asyncio.sleep(0.01)


class QuestionsTest(unittest.IsolatedAsyncioTestCase):
    async def asyncSetUp(self) -> None:
        self.person = Person()
        self.questions = Questions(self.person.gate(), "0123456789abcdef")

    async def asyncTearDown(self) -> None:
        await self.questions.stop()

    async def approve(self, count: int = 1, command: str = "rm -rf /tmp/x") -> str:
        ref = self.questions.approval(KITCHEN, "key", command, "dangerous", 60)
        await self.person.next(count)
        return ref

    async def test_yes_and_no(self) -> None:
        for number, (answer, choice) in enumerate((("yes", "once"), ("no", "deny"))):
            await self.approve(number + 1)
            await self.person.press(answer)
            self.assertEqual(self.person.approvals[-1], ("key", choice))
            self.questions.approval_settled("key")

    async def test_silence_is_neither(self) -> None:
        for number, answer in enumerate(("expired", "withdrawn", "")):
            await self.approve(number + 1)
            await self.person.press(answer)
            self.assertEqual(self.person.approvals, [])
            self.questions.approval_settled("key")

    async def test_hub_cannot_ask(self) -> None:
        await self.approve()
        self.person.asked[0][2].set_exception(BridgeError("not_found", "no such device"))
        await asyncio.sleep(0.01)
        self.assertEqual(self.person.approvals, [])

    async def test_gateway_gave_up_first(self) -> None:
        ref = await self.approve()
        self.questions.approval_settled("key")
        await asyncio.sleep(0.01)
        self.assertEqual(self.person.withdrawn, [ref])

    async def test_late_press(self) -> None:
        self.person.pending = 0
        await self.approve()
        await self.person.press("yes")
        self.assertEqual(self.person.shown, ["That question has expired."])

    async def test_one_after_the_other(self) -> None:
        # The gateway gives an answer to the oldest: a second question on the screen would approve the first command.
        await self.approve(1, "first")
        self.questions.approval(KITCHEN, "key", "second", "dangerous", 60)
        await asyncio.sleep(0.01)
        self.assertEqual([text for _, text, _ in self.person.asked], ["first"])
        await self.person.press("yes")
        self.questions.approval_settled("key")
        await self.person.next(2)
        self.assertEqual(self.person.asked[1][1], "second")

    async def test_prompt_is_edited_away(self) -> None:
        ref = await self.approve()
        self.questions.withdraw("nobody")
        self.assertEqual(self.person.withdrawn, [])
        self.questions.withdraw(ref)
        self.assertEqual(self.person.withdrawn, [ref])

    async def test_command_of_many_lines_is_cut(self) -> None:
        await self.approve(1, "x" * 100_000)
        self.assertLessEqual(len(self.person.asked[0][1].encode()), 480)

    async def test_confirmation(self) -> None:
        for number, (answer, choice) in enumerate((("yes", "once"), ("no", "cancel"), ("expired", "cancel"))):
            self.questions.confirmation(KITCHEN, "key", "1", "/new", "**Start over?**\nEverything is forgotten.")
            self.assertTrue(self.questions.guarded(KITCHEN))
            await self.person.next(number + 1)
            await self.person.press(answer)
            self.assertEqual(self.person.confirmed[-1], ("key", "1", choice))
            self.assertFalse(self.questions.guarded(KITCHEN))
        self.assertEqual(self.person.asked[0][1], "Start over?")

    async def test_clarify_by_steps(self) -> None:
        self.questions.clarification(KITCHEN, "c1", "What to drink?", ["Tea (Recommended)", "Coffee"])
        await self.person.next(1)
        self.assertEqual(self.person.asked[0][1], "Tea (Recommended)?")
        await self.person.press("no")
        await self.person.next(2)
        await self.person.press("yes")
        self.assertEqual(self.person.clarified, [("c1", "Coffee")])
        self.assertNotEqual(self.person.asked[0][0], self.person.asked[1][0])

    async def test_clarify_none_of_them(self) -> None:
        self.questions.clarification(KITCHEN, "c1", "What to drink?", ["Tea", "Coffee"])
        for number in (1, 2):
            await self.person.next(number)
            await self.person.press("no")
        self.assertEqual(self.person.clarified, [])
        self.assertEqual(self.person.text_taken, ["c1"])
        self.assertEqual(self.person.open, ["What to drink?\n- Tea\n- Coffee"])

    async def test_clarify_nobody_there(self) -> None:
        self.questions.clarification(KITCHEN, "c1", "What to drink?", ["Tea", "Coffee"])
        await self.person.next(1)
        await self.person.press("expired")
        self.assertEqual((self.person.clarified, self.person.open, len(self.person.asked)), ([], [], 1))

    async def test_clarify_openly(self) -> None:
        self.questions.clarification(KITCHEN, "c1", "Which room?", None)
        self.questions.clarification(KITCHEN, "c2", "Which one?", [str(n) for n in range(MAX_CHOICES + 1)])
        self.assertEqual(self.person.text_taken, ["c1", "c2"])
        self.assertEqual(self.person.open[0], "Which room?")

    async def test_cancel_takes_the_steps_away(self) -> None:
        self.questions.clarification(KITCHEN, "c1", "What to drink?", ["Tea", "Coffee"])
        await self.person.next(1)
        self.questions.cancel(KITCHEN)
        await asyncio.sleep(0.01)
        self.assertEqual(self.person.withdrawn, [self.person.asked[0][0]])


if __name__ == "__main__":
    unittest.main()
