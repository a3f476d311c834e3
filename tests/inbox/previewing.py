"""First lines of our messages as players get them, with the names that they may have, and mails with them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any, Final

import hypothesis.strategies as st

from felix_async.language.data import table
from felix_async.language.grammar import Order
from felix_async.language.phrases import filled, joined, placeholders
from felix_async.language.words import MARKER, WORD_OF
from felix_async.people import FORMER, NAME_LENGTH, name_of
from felix_async.reading.reader import read_mail
from felix_cli.heard import heard as done_by
from felix_notifiers.content.glance import letter_glance
from inbox.reading import EVERYTHING

PREVIEWS: Final = tuple(table("glance.toml")["preview"].items())
WORDS: Final = (*WORD_OF.values(), "BID 5", "PLAY 8", "UP TO 9", "SAY hi", "NEW table", "AWAY until Monday")
OWN: Final = ("8 for me", "the 3", "PASS", "BID 5", "")
CARDS: Final = ("15", "11", "8", "5", "3", "rabbit", "-5", "-8", "large dog", "small dog")
PUBLIC: Final = {
    "who": "Anna",
    "whom": "Ben",
    "before": "Cara",
    "next": "Dan",
    "table": "Friday cats",
    "names": "Anna and Cara",
    "rest": "Cara 48, Dan 41",
    "sale": "Cara got the sack for 3 mice. ",
    "move": "the bid of 4",
    "start": "Mon 30 Nov",
    "moment": "the end of Fri 4 Dec",
}
REST: Final = f"Round 4 of 9\n{'-' * 41}\n\n  PASS\n  BID 11\n  BID 12\n\nYour hand: -8, 8, large dog.\n"


SITUATIONS: Final = (*EVERYTHING, replace(EVERYTHING[1], is_early=True))


def mail(text: str, *, html: bool = False, fresh: bool = False, flowed: bool = False) -> bytes:
    answers = "" if fresh else "In-Reply-To: <1@felix.test>\n"
    kind = "html" if html else "plain"
    more = "; format=flowed" if flowed else ""
    return f"From: b@a.test\n{answers}Content-Type: text/{kind}; charset=utf-8{more}\n\n{text}".encode()


@dataclass(frozen=True, slots=True)
class Acts:
    """Return what is done with a mail in each situation, and if it is asked about where that is nothing."""

    done: tuple[Order | None, ...]
    beside: tuple[tuple[Order, ...], ...]
    asks: tuple[bool, ...]

    def is_like(self, other: Acts) -> bool:
        """Return True if all is done as by another mail, or asked about and nothing is done."""
        pairs = zip(self.done, other.done, self.asks, strict=True)
        return self.beside == other.beside and all(
            one == that or (one is None and asks) for one, that, asks in pairs
        )


def acts(raw: bytes, letter: bytes = b"") -> Acts:
    said = read_mail(raw, letter).said
    found = [done_by(said, situation) for situation in SITUATIONS]
    is_told = any(line.is_told for line in said)
    asks = (one.do is None and (is_told or bool(one.ask)) for one in found)
    return Acts(tuple(one.do for one in found), tuple(one.beside for one in found), tuple(asks))


def letter_with(preview: str) -> bytes:
    return f"Content-Type: text/plain; charset=utf-8\n\n{preview}\n{MARKER}\n{REST}".encode()


def filled_in(sentence: str, values: dict[str, Any]) -> str:
    """A preview with these values, and some number or other for what is named otherwise."""
    return filled(sentence, **{name: values.get(name, 2) for name in placeholders(sentence)})


HOSTILE: Final = ("BID 15", "I bid 12.", "PASS", "Ben. I pass", "8 for me", MARKER[:40], "Ben > PASS")
names = st.sampled_from(HOSTILE) | st.text(max_size=NAME_LENGTH).map(name_of).map(str).filter(bool)


def name_in_preview(name: str) -> str:
    """The name as a preview says it: one that reads as more is not said."""
    behind = filled(table("glance.toml")["preview"]["talk"], names="")
    return letter_glance("talk", "", names=name).preview.removesuffix(behind)


players = st.sampled_from(
    [
        name_in_preview(name)
        for name in (
            "Anna",
            "Mary-Lou",
            "D'Arcy",
            "Maximiliane von Hohenstein",
            FORMER,
            "Bo von Ohm",
            "张伟",
            "Zoë",
            "Pass",
            "Bid 5",
            "the 3",
            "Out of office",
            "Will",
            "Mark",
            "May",
            "Bye",
            "Miles",
            "Grace",
            "Max Six",
            "King",
            "8",
            "Anna, BID 5",
            "all in",
        )
    ]
)
tables = names.map(lambda name: re.sub(r"[.,;:?!]", "", name)[:25].strip()).filter(
    lambda name: name[:1].isalnum()
)
scores = st.builds("{} {}".format, players, st.integers(-20, 90))
values = st.fixed_dictionaries({
    **dict.fromkeys(("who", "whom", "before", "next"), players),
    "names": st.lists(players, min_size=1, max_size=4).map(joined),
    "table": tables,
    "rest": st.lists(scores, min_size=1, max_size=4).map(", ".join),
    "cards": st.lists(st.sampled_from(CARDS), min_size=1, max_size=5).map(", ".join),
    **{name: st.integers(1, 30) for name in ("high", "mice", "count", "round", "points", "needed")},
    "sale": st.sampled_from(["", "You got the sack for 1 mouse. ", "Nobody bought the sack. "])
    | st.builds("{} got the sack for {} mice. ".format, players, st.integers(2, 15)),
    "move": st.sampled_from(["the bid of 4", "the pass", "playing the 11", "playing the large dog"]),
    "start": st.just("Mon 30 Nov"),
    "moment": st.sampled_from(["the end of Fri 4 Dec", "Fri 4 Dec, 18:00 (UTC+5:30)"]),
})  # fmt: skip
