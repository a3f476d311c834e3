"""One line of a message, or of the host's desk, as an order.

A line is read strictly: an order is alone on its line. The marks of mail programs (smart
dashes, bullets, bold, a full stop) is forgiven, and so are courtesies around a move; what is nearly an
order is asked about, and not acted on.
The grammar is `grammar.lark`, in two parts: what is acted on, and what is asked about. Its words are those of
the language that felix speaks.

>>> read_line("bid 5.") == Order("BID", amount=5)
True
>>> str(read_line("I pass, thanks")), str(read_line("I pass this time"))
('PASS', 'Did you mean PASS?')
>>> str(read_line("I will pass by tomorrow"))
"I didn't understand this line. Write one order on a line of its own, or HELP."
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from importlib.resources import files
from itertools import islice
from string import printable
from typing import Final, Literal, cast

from lark import Lark, Token, Transformer, UnexpectedCharacters, UnexpectedToken, v_args

from felix_async.game.cards import PET_CARDS
from felix_async.language.dates import is_absence
from felix_async.language.order import Order as Order
from felix_async.language.order import joined
from felix_async.language.terminals import (
    FIRST_WORDS,
    NAMED_CARDS,
    ORDER_WORDS,
    SAID_WORDS,
    SEPARATOR,
    TABLE_NAME,
    move_pattern,
    number_of,
    terminals,
)
from felix_async.language.words import (
    ADDRESS_OFF,
    ANSWERS,
    ARTICLES,
    AWAY_WORDS,
    CONDITIONS,
    CONTINUATIONS,
    EXPECTED,
    I_WORDS,
    MISUNDERSTOOD,
    NEAR_CHOICES,
    NEGATIONS,
    NOTIFY_WORDS,
    NUMBER_WORDS,
    PLEASE,
    RECEIPTS_WORDS,
    WORD_OF,
    WORDY,
)
from felix_async.text import MAX_LINE as MAX_LINE
from felix_async.text import clean as clean
from felix_async.text import without_struck
from felix_events.model import Card

_LETTER: Final = f"[a-z{''.join(sorted(set(''.join(FIRST_WORDS)) - set(printable)))}]"
_FIRST_WORD: Final = re.compile(rf"[\"'(\[]?(?:(?P<number>-?[0-9])|(?P<letters>{_LETTER}+(?:'{_LETTER}+)?))")
_IS_TABLE_NAME: Final = re.compile(TABLE_NAME).fullmatch
_NAMES: Final = {word.lower(): order for order, word in WORD_OF.items()}
"""The word that players write -> the order."""
_MOVE: Final = re.compile(move_pattern())
_ANSWER: Final = re.compile(rf"(?:{'|'.join(WORD_OF[word].lower() for word in ANSWERS)})(?![\w'])")
_POLITE: Final = re.compile(rf"(?:(?:{'|'.join(map(re.escape, (*PLEASE, *I_WORDS)))}),? )?")
_BEHIND: Final = re.compile(SEPARATOR)
_WORDS: Final = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
_MOST_MICE: Final = 108
"""Mice in the largest game: a number alone that is above it is no bid, but a year or a street."""
_CONTINUATIONS: Final = frozenset(word.lower() for word in CONTINUATIONS)
_THINGS: Final = tuple({*"0123456789+-", *NUMBER_WORDS, *NAMED_CARDS, *(f"{word} " for word in ARTICLES)})
"""The beginnings of a line that names a number or a card, and does not say what for."""
NEEDED: Final = {
    "NEW": "order/no_table_name",
    "HOST": "order/no_name",
    "UNINVITE": "order/no_guest",
    "SUBSTITUTE": "order/no_substitute",
    "SAY": "order/no_words",
    "NOTIFY": "order/no_choice",
    "RECEIPTS": "order/no_receipts",
    "TIMEZONE": "order/no_zone",
    "QUIET": "order/no_hours",
    "AWAY": "order/no_days",
    "ADDRESS": "order/no_address",
}
"""Order that is not complete alone -> the code of what is missing behind it."""
_IS_AHEAD: Final = re.compile(
    rf"(?:(?P<limit>{WORD_OF['UPTO'].lower()})|{WORD_OF['NEXT'].lower()}):?(?P<number> ?-?\d+)?"
)
"""An order in advance that lacks what belongs behind it, or names a card or a number that there is not."""
_EVERYDAY: Final = ("NEXT", "DROP")
"""Orders whose words begin many a sentence that is none."""
_BACK: Final = AWAY_WORDS["off"][0]
_MOST_MOVES: Final = 10
MAX_WORDS: Final = 200
"""Characters of a JOIN's own words that count."""
_CHOICES: Final = {word: choice for choice, words in NOTIFY_WORDS.items() for word in words}
"""The word behind NOTIFY -> what the player wants to be told."""
_RECEIPTS: Final = {word: choice for choice, words in RECEIPTS_WORDS.items() for word in words}
"""The word behind RECEIPTS -> `on` or `off`."""


@dataclass(frozen=True, slots=True)
class Misread:
    """A line that is no order, or might be one.

    `meant` is the order to ask about, if there is a single one: never one to act on without a YES.
    `choices` are those that it may be, if there are several.
    `column` says where the reading failed, from 1 on, in the cleaned line, and `expected` what should have
    stood there.
    """

    kind: Literal["not understood", "ambiguous"]
    code: str
    details: dict[str, str] = field(default_factory=dict)
    meant: Order | None = None
    choices: tuple[Order, ...] = field(default=(), compare=False)
    column: int | None = field(default=None, compare=False)
    expected: str = field(default="", compare=False)

    def __str__(self) -> str:
        return MISUNDERSTOOD[self.code].format(**self.details)


def read_line(line: str) -> Order | Misread:
    """Return the order in a line, or why there is none. Words beside others struck out are asked about.

    >>> str(read_line("~~BID 7~~ BID 8"))
    'Did you mean BID 8?'
    """
    return read_clean(clean(line), line)


@lru_cache(maxsize=64)
def read_clean(cleaned: str, line: str) -> Order | Misread:
    """`read_line` for a line that is cleaned already."""
    read = _read(cleaned)
    if isinstance(read, Order) or (left := without_struck(line)) == line[:MAX_LINE]:
        return read
    kept = _read(clean(left))
    if isinstance(kept, Misread):
        return kept
    details, expected = {"order": str(kept)}, EXPECTED["order"]
    return Misread("ambiguous", "order/did_you_mean", details, kept, column=1, expected=expected)


def _read(cleaned: str) -> Order | Misread:
    text = cleaned.rstrip(".,! ")
    # The grammar knows small letters only; a player's own words are taken from the line as it was written.
    small = text.lower()
    misread = Misread("not understood", "order/unknown", column=1, expected=EXPECTED["order"])
    first = _FIRST_WORD.match(small)
    # Most lines that are no order do not begin like one: they cost no parsing.
    if first is None or not (first["number"] or first["letters"] in FIRST_WORDS):
        return misread
    if small.startswith(ORDER_WORDS):
        try:
            order = cast("Order | Misread", parser().parse(small, start="order"))
            if isinstance(order, Order) and _is_list(order):
                bare = Order(order.word)
                return Misread("ambiguous", "order/did_you_mean", {"order": str(bare)}, bare, column=1)
            return order if isinstance(order, Misread) else _with_own_words(order, text, cleaned)
        except (UnexpectedCharacters, UnexpectedToken) as error:
            if not small.startswith(SAID_WORDS):
                misread = _why_not(small, error)
    try:
        near = cast("Misread | None", parser().parse(small, start="near"))
    except (UnexpectedCharacters, UnexpectedToken):
        near = _with_more(small)
    return misread if near is None else replace(near, column=misread.column, expected=misread.expected)


def _is_list(order: Order) -> bool:
    """Return True if a JOIN's own words begin with another order: they are a list of answers."""
    return order.word == "JOIN" and order.text.partition(" ")[0].rstrip(",.") in _NAMES


def moves_in(small: str) -> tuple[Order, ...]:
    """Return the different moves that are named in a line, in small letters."""
    found = (parser().parse(move[0], start="order") for move in islice(_MOVE.finditer(small), _MOST_MOVES))
    return tuple(dict.fromkeys(cast("Order", order) for order in found))


def corrected(line: str) -> tuple[Order, ...]:
    """Return the move at the end of a cleaned line that may take another one back; none if it only talks.

    >>> str(*corrected("On second thought BID 8")), str(*corrected("no! bid 8")), corrected("Ben bid 8")
    ('BID 8', 'BID 8', ())
    """
    text = line.rstrip(".,! ")
    small = text.lower()
    last = next((move for move in _MOVE.finditer(small) if move.end() == len(small)), None)
    before = small[: last.start()].rstrip() if last is not None else ""
    if last is None or not before or len(small) != len(text):
        return ()
    is_apart = text[last.start() : last.end()].isupper() or before[-1] in ".,:;!>-"
    return moves_in(last[0]) if is_apart or (" " in last[0] and changes(before)) else ()


def _with_more(small: str) -> Misread | None:
    """Return what to ask about a line that begins with a move and goes on; None if it is plain language."""
    polite = _POLITE.match(small)
    move = _MOVE.match(small, polite.end() if polite else 0) or _ANSWER.match(small)
    if move is None:
        return None
    moves = moves_in(small) or (Order(_NAMES[move[0]]),)
    if len(moves) > 1:
        return Misread("ambiguous", "order/which_one", choices=moves)
    is_plain = move.start() > 0 or len(move[0].split()) == 1
    if is_plain and _BEHIND.match(small, move.end()) is None:
        return None
    if not {*_WORDS.findall(small)}.isdisjoint(NEGATIONS):
        return Misread("ambiguous", "order/unclear")
    return Misread("ambiguous", "order/did_you_mean", {"order": str(moves[0])}, moves[0])


def card_of(number: int) -> Card:
    """Return the pet card with this number on it."""
    return next(card for card in PET_CARDS if card == number)


def changes(line: str) -> bool:
    """Return True if a word in a cleaned line may change the order beside it: a negation, a condition.

    >>> changes("but only a little"), changes("Ben")
    (True, False)
    """
    return not {*_WORDS.findall(line.lower())}.isdisjoint((*NEGATIONS, *CONDITIONS))


def names_no_order(line: str) -> bool:
    """Return True if a cleaned line begins with a number or with a card: nothing in it says what that is for.

    >>> names_no_order("The rabbit"), names_no_order("I meant 8")
    (True, False)
    """
    return line.lower().lstrip("\"'([").startswith(_THINGS)


def continues(line: str) -> bool:
    """Return True if a cleaned line belongs to the one before it, which a mail program has wrapped.

    >>> continues("if no dog shows")
    True
    """
    word = line.partition(" ")[0].rstrip(".,:;!?")
    return word.lower() in _CONTINUATIONS


@cache
def parser() -> Lark:
    """The parser of both parts of the grammar, `order` and `near`; made when the first line is read."""
    rules = files("felix_async.language").joinpath("grammar.lark").read_text("utf-8")
    return Lark(
        f"{rules}\n{terminals()}",
        start=["order", "near"],
        parser="lalr",
        maybe_placeholders=False,
        transformer=_Reading(),
    )


def _with_own_words(order: Order, text: str, cleaned: str) -> Order:
    """Words are the player's: they keep their capitals, and what is said to others its full stops."""
    if order.word not in WORDY or not order.text:
        return order
    # Some letters are longer in small; the order's own words above them are not.
    start = len(text.lower()) - len(order.text)
    if order.word == "SAY":
        return replace(order, text=cleaned[start:])
    words = text[start:]
    return replace(order, text=words[:MAX_WORDS].rstrip(".,! ") if order.word == "JOIN" else words)


def _why_not(small: str, error: UnexpectedCharacters | UnexpectedToken) -> Misread:
    """Return why a line that begins with an order's word is none, and the column at which reading failed."""
    wanted = error.expected if isinstance(error, UnexpectedToken) else error.allowed
    ended = isinstance(error, UnexpectedToken) and error.token.type == "$END"
    column = len(small) + 1 if ended else error.column
    first, _, rest = small.partition(" ")
    word = _NAMES.get(first.rstrip(":"))
    code, details = "order/unknown", {}
    if word == "PLAY":
        code = "order/no_card_like_that" if rest else "order/no_card"
    elif word == "BID":
        code = "order/no_amount"
    elif word in NEEDED:
        code = NEEDED[word]
    elif (needs := _IS_AHEAD.fullmatch(small)) is not None:
        is_card = needs["number"] and not needs["limit"]
        code = (
            "order/no_card_like_that" if is_card else "order/no_limit" if needs["limit"] else "order/no_next"
        )
    elif word is not None and word not in _EVERYDAY:
        code, details = "order/too_much", {"word": WORD_OF[word]}
    expected = "order" if column == 1 else "end"
    if {"_TO", "CARD_NUMBER", "NUMBER"} & wanted:
        expected = "card" if small.startswith(WORD_OF["PLAY"].lower()) else "number"
    return Misread("not understood", code, details, column=column, expected=EXPECTED[expected])


@v_args(inline=True)
class _Reading(Transformer[Token, Order | Misread | None]):
    """The meaning of each rule of the grammar; None if a sentence means nothing after all."""

    def play(self, card: Token) -> Order:
        return Order("PLAY", card=_card(card))

    def bid(self, number: Token) -> Order:
        return Order("BID", amount=number_of(number))

    def alone(self, word: Token) -> Order:
        return Order(word.type)

    question = reply = pass_ = alone

    def limit(self, number: Token, asks: Token | None = None) -> Order:
        return Order("UPTO", limit=number_of(number), asks=asks is not None)

    def next(self, card: Token) -> Order:
        return Order("NEXT", next=_card(card))

    def ahead(self, *parts: Order) -> Order | Misread:
        together = joined(parts)
        return together or Misread("ambiguous", "order/which_one", choices=tuple(dict.fromkeys(parts)))

    def drop(self, word: Token, which: Order | Misread | None = None) -> Order:
        # Of those that contradict each other at most one stands, and a DROP names its kind.
        which = which.choices[0] if isinstance(which, Misread) else which
        return Order(word.type, text=str(which or ""))

    def said(self, order: Order | Misread) -> Order | Misread:
        return order if isinstance(order, Misread) else replace(order, is_said=True)

    with_aside = said

    def wordy(self, word: Token, words: Token | None = None) -> Order:
        return Order(word.type, text=str(words or ""))

    def notify(self, choice: Token) -> Order:
        return Order("NOTIFY", text=_CHOICES[choice.upper()])

    def receipts(self, choice: Token) -> Order:
        return Order("RECEIPTS", text=_RECEIPTS[choice.upper()])

    def near_choice(self, words: Token) -> Order:
        word, choice = NEAR_CHOICES[words]
        return Order(word, text=choice)

    def own_time(self, word: Token, words: Token | None = None) -> Order:
        return Order(word.type, text=str(words or ""))

    def away(self, word: Token, absence: Token | None = None) -> Order:
        return Order("AWAY", text=_BACK if word.type == "BACK" else str(absence or ""))

    def near_away(self, word: Token) -> Order | None:
        if word.type == "BACK":
            return self.away(word)
        return Order("AWAY", text=str(word)) if is_absence(word) else None

    def address(self, address: Token) -> Order:
        return Order("ADDRESS", text=ADDRESS_OFF[0] if address.type == "ADDRESS_OFF" else str(address))

    near_play = lone_card = play
    near_bid = bid
    near_limit = limit
    near_next = next

    def near_word(self, word: Token) -> Order:
        return Order(word.type.removeprefix("NEAR_"))

    def which_dog(self) -> Misread:
        dogs: tuple[Card, ...] = ("large_dog", "small_dog")
        return Misread("ambiguous", "order/which_dog", choices=tuple(Order("PLAY", card=dog) for dog in dogs))

    def lone_number(self, digits: Token, mice: Token | None = None) -> Order | Misread | None:
        number = number_of(digits)
        card = number in PET_CARDS and mice is None
        bid = 0 < number <= _MOST_MICE
        if card and bid:
            choices = (Order("BID", amount=number), Order("PLAY", card=card_of(number)))
            return Misread("ambiguous", "order/bid_or_play", {"number": str(number)}, choices=choices)
        if card:
            return Order("PLAY", card=_card(digits))
        return Order("BID", amount=number) if bid else None

    def wish(self, wish: Order | Misread | None) -> Misread | None:
        if isinstance(wish, Order):
            return Misread("ambiguous", "order/did_you_mean", {"order": str(wish)}, wish)
        return wish

    def choice(self, *wishes: Order | Misread | None) -> Misread:
        choices = tuple(wish for wish in wishes if isinstance(wish, Order))
        return Misread("ambiguous", "order/which_one", choices=choices if len(choices) == len(wishes) else ())


def _card(words: Token) -> Card:
    name = words.replace("-", " ")
    return NAMED_CARDS[name] if name in NAMED_CARDS else card_of(number_of(words))
