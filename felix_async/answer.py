"""The answer to one mail: every line of it, and what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from felix_events.model import Record

Verdict = Literal["done", "refused", "asked", "not understood", "ambiguous", "ignored"]
Section = Literal["hand", "status", "help"]


class AnsweredLine(Record):
    """A line as its writer wrote it, the verdict, and a sentence about it for the writer alone."""

    text: str
    verdict: Verdict
    why: str


class Answer(Record):
    """What the letter that answers a mail must say; `show` are the sections that were asked for.

    `asks` is the number of the question about an order that it puts to its reader, 0 where it asks nothing.
    """

    lines: list[AnsweredLine]
    show: list[Section] = Field(default_factory=list)
    in_reply_to: str = ""
    subject: str = ""
    asks: int = 0

    @classmethod
    def folded(cls, answers: Sequence[Answer]) -> Answer:
        """One answer to several mails of the same player, in their order; the thread is that of the last."""
        return cls(
            lines=[line for answer in answers for line in answer.lines],
            show=list(dict.fromkeys(section for answer in answers for section in answer.show)),
            in_reply_to=answers[-1].in_reply_to,
            subject=answers[-1].subject,
            asks=next((answer.asks for answer in reversed(answers) if answer.asks), 0),
        )

    @property
    def did_something(self) -> bool:
        """Whether an order was among the lines, a question too."""
        return any(line.verdict in ("done", "refused") for line in self.lines)

    @classmethod
    def from_json(cls, text: str) -> Answer:
        """The answer in a notice's payload."""
        return cls.model_validate_json(text)

    def to_json(self) -> str:
        """The payload of the notice that owes this answer."""
        return self.model_dump_json()
