"""The answer to one message: every line of it, and what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal

from pydantic import Field

from felix_async.language.words import NO_LONGER_ASKED, NO_LONGER_TAKEN, REFUSALS
from felix_async.meaning.meaning import Doubt
from felix_async.meaning.topics import Topic
from felix_events.model import Record

Verdict = Literal["done", "taken", "refused", "asked", "not understood", "ambiguous", "ignored"]
"""`taken`: read as an order that is no exact one, and done after a short pause."""
Section = Topic | Literal["games", "resend", "forward", "zone", "say"]
"""Parts of an answer; `forward` is a text that the host of a new table may send to those who are invited,
`zone` the question which time zone the reader lives in, `say` how words are passed on to the others.
"""

CARD_TURNED: Final = "turn/card_turned"
"""The code of a line that was about another card of the row."""
STALE: Final = "turn/stale"
"""The code of a line that answers an older message."""
STILL_STOPPED: Final = "mail/stopped"
"""The code of the line that tells who has stopped their mail that no order has brought it back."""


class AnsweredLine(Record):
    """A line as its writer wrote it, the verdict, and a sentence about it for the writer alone.

    `code` is that of the refusal, '' if nothing was refused, or `STILL_STOPPED`: an answer offers what can
    be written instead. `instead` is the whole text of such a message, if it takes more than a line.
    `small` is the small print at the end of the message; `while_open` is said as long as a dispute of the
    writer's is open.

    `order` is what felix took the line as, or had taken an earlier one as; it is done at `due_at` if its
    writer does not object, or is done already if that is ''.
    """

    text: str
    verdict: Verdict
    why: str
    code: str = ""
    instead: str = ""
    small: str = ""
    while_open: str = ""
    order: str = ""
    due_at: str = ""


class Answer(Record):
    """The facts of a letter that answers a message; `show` are the sections that were asked for.

    `asks` is the number of the open question that came of the message (0: none), `asks_text` the question
    itself, as in "Did you mean PASS?": YES and NO are offered, and answers go to that question's address.
    `changed` says that the message did more than ask: machines ask, too, and get so many answers and no more.
    `offers` are texts of messages that may be written now, the likeliest first, and `doubt` is why felix asks
    which of them. `tries` are the mails in a row, this one the last, in which it understood nothing. A line
    that was taken and waits has a question of that number, too, without an `asks_text`, and so have words
    that may be passed on to the others. `words` is a digest of the own words of a message, without numbers: a
    machine says the same again and again. A `quiet` one is kept, and no letter tells of it. `mails`
    are those of the reader that go with it, as they came in.
    """

    lines: list[AnsweredLine]
    show: list[Section] = Field(default_factory=list)
    in_reply_to: str = ""
    subject: str = ""
    asks: int = 0
    asks_text: str = ""
    changed: bool = False
    offers: list[str] = Field(default_factory=list)
    doubt: Doubt = ""
    tries: int = 0
    words: str = ""
    quiet: bool = False
    mails: list[int] = Field(default_factory=list)

    @classmethod
    def folded(cls, answers: Sequence[Answer]) -> Answer:
        """One answer to several messages of the same player, in their order; the thread is that of the last.

        Only one question can be answered with YES: the newest.
        """
        asking = next((answer for answer in reversed(answers) if answer.asks), answers[-1])
        offering = next((answer for answer in reversed(answers) if answer.offers), answers[-1])
        return cls(
            lines=[
                line
                for answer in answers
                for line in (answer if answer.asks == asking.asks else answer.unasked()).lines
            ],
            show=list(dict.fromkeys(section for answer in answers for section in answer.show)),
            in_reply_to=answers[-1].in_reply_to,
            subject=answers[-1].subject,
            asks=asking.asks,
            asks_text=asking.asks_text,
            changed=any(answer.changed for answer in answers),
            offers=offering.offers,
            doubt=offering.doubt,
            tries=answers[-1].tries,
            mails=list(dict.fromkeys(mail for answer in answers for mail in answer.mails)),
        )

    def unasked(self, *, is_done: bool = False) -> Answer:
        """The same answer once its question is closed: no line of it asks any more, and none waits.

        What was taken `is_done`, or does not count any more.
        """
        if not self.asks:
            return self
        closed = {"verdict": "ambiguous", "why": NO_LONGER_ASKED}
        settled = {"due_at": ""} if is_done else {"verdict": "ignored", "why": NO_LONGER_TAKEN, "order": ""}
        lines = [
            line.model_copy(update=closed)
            if line.verdict == "asked" and line.text
            else line.model_copy(update=settled)
            if line.verdict == "taken" and line.due_at
            else line
            for line in self.lines
        ]
        return self.model_copy(update={"lines": lines, "asks": 0, "asks_text": ""})

    def out_of_auction(self) -> Answer:
        """Return the same answer for a seat that is out of the auction: it offers no bid again."""
        stale = {"code": STALE, "why": REFUSALS[STALE], "instead": ""}
        lines = [line.model_copy(update=stale) if line.code == CARD_TURNED else line for line in self.lines]
        return self.model_copy(update={"lines": lines})
