"""One line of a mail, or of the host's desk, as an order.

A line is read strictly: an order stands alone on its line. What people's mail programs do to it (smart
dashes, bullets, bold, a full stop) is forgiven; half an order is not guessed at.

>>> read_line("bid 5.")
Order(word='BID', card=None, amount=5, text='')
>>> read_line("play dog")
Misread(kind='ambiguous', code='order/which_dog', details={})
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field
from typing import Final, Literal

from felix_async.game.cards import PET_CARDS, card_word
from felix_async.game.commands import Bid, Pass, Play
from felix_async.words import ANSWERS, CARD_WORDS, MISUNDERSTOOD, MOVES, QUESTIONS
from felix_events.model import Card

_WORDS: Final = (*MOVES, *ANSWERS, *QUESTIONS)
_NOISE: Final = dict.fromkeys(map(ord, "\ufeff\u200b\u200c\u200d\u2060\u00ad\u200e\u200f"))
_DASHES: Final = dict.fromkeys(map(ord, "−–—‐‑‒"), "-")
_ODD: Final = {"No": "?", "Cs": ""}
_BULLET: Final = re.compile(r"^[*•·‣◦]\s+|^-\s+(?=[A-Za-z])")
_BOLD: Final = re.compile(r"^([*_`]{1,3})(.*?)\1[.,!]*$")
_NUMBER: Final = re.compile(r"(?P<sign>[-+]|minus |plus )? ?(?P<digits>[0-9]{1,9})")
MAX_LINE: Final = 400
"""How many characters of a line are read; no order is longer."""
MAX_WORDS: Final = 200
"""How many characters of a JOIN's own words count."""


@dataclass(frozen=True, slots=True)
class Order:
    """A line understood. `text` is what follows a JOIN: the player's own words."""

    word: str
    card: Card | None = None
    amount: int | None = None
    text: str = ""

    def __str__(self) -> str:
        """The order as felix repeats it; `read_line` reads it back."""
        if self.card is not None:
            return f"{self.word} {card_word(self.card).upper()}"
        if self.amount is not None:
            return f"{self.word} {self.amount}"
        return f"{self.word} {self.text}".strip()

    def move(self, seat: int) -> Play | Bid | Pass | None:
        """The command of a moving order, None for the others."""
        if self.word == "PLAY" and self.card is not None:
            return Play(seat=seat, card=self.card)
        if self.word == "BID" and self.amount is not None:
            return Bid(seat=seat, amount=self.amount)
        return Pass(seat=seat) if self.word == "PASS" else None


@dataclass(frozen=True, slots=True)
class Misread:
    """A line that is no order, or might be several."""

    kind: Literal["not understood", "ambiguous"]
    code: str
    details: dict[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return MISUNDERSTOOD[self.code].format(**self.details)


def read_line(line: str) -> Order | Misread:
    """The order in a line, or why there is none."""
    words = clean(line).rstrip(".,!").strip()
    word, _, rest = words.partition(" ")
    # `ß` is SS in capitals, and `paß` is no PASS.
    word, rest = word.upper() if word.isascii() else "", rest.strip()
    if word not in _WORDS:
        return Misread("not understood", "order/unknown")
    if word == "JOIN":
        return Order(word, text=rest[:MAX_WORDS].rstrip(".,! "))
    if word == "PLAY":
        return _read_play(rest)
    if word == "BID":
        amount = _read_number(rest)
        return Misread("not understood", "order/no_amount") if amount is None else Order(word, amount=amount)
    if rest:
        return Misread("not understood", "order/too_much", {"word": word})
    return Order(word)


def clean(line: str) -> str:
    """A line without what mail programs add: odd blanks and dashes, invisible characters, bullets, bold."""
    line = line[:MAX_LINE]
    # A raised 2 is a footnote, and NFKC would make `1²` twelve; half a character is nothing at all.
    kept = "".join(_ODD.get(unicodedata.category(char), char) for char in line.translate(_NOISE))
    text = unicodedata.normalize("NFKC", kept).translate(_DASHES)
    text = " ".join(text.split())
    text = _BULLET.sub("", text)
    bold = _BOLD.match(text)
    return bold.group(2).strip() if bold else text


def _read_play(rest: str) -> Order | Misread:
    name = rest.lower()
    if not name:
        return Misread("not understood", "order/no_card")
    if name == "dog":
        return Misread("ambiguous", "order/which_dog")
    card: Card | int | None = CARD_WORDS.get(name)
    if card is None:
        card = _read_number(name)
    match = next((known for known in PET_CARDS if known == card), None)
    if match is None:
        return Misread("not understood", "order/no_card_like_that")
    return Order("PLAY", card=match)


def _read_number(text: str) -> int | None:
    found = _NUMBER.fullmatch(text.lower())
    if found is None:
        return None
    digits = int(found["digits"])
    return -digits if found["sign"] in ("-", "minus ") else digits
