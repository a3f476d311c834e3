"""The words of a language as the terminals of `grammar.lark`.

A terminal is a regular expression over a cleaned line in small letters. Longer phrases come first, as the
lexer takes the first that fits and does not come back.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from felix_async.game.cards import PET_CARDS
from felix_async.language.data import any_of
from felix_async.language.words import (
    ADDRESS_OFF,
    AFTER_AN_ORDER,
    AFTER_YES,
    AFTERTHOUGHTS,
    AHEAD,
    AHEAD_WORDS,
    ARTICLES,
    AWAY_WORDS,
    BEFORE_AN_ORDER,
    CARD_WORDS,
    CONDITIONS,
    COURTESIES,
    DOG,
    I_WORDS,
    KINDS,
    MICE,
    MINUS,
    MONTHS,
    MOVES,
    NEAR_ARTICLES,
    NEAR_CARDS,
    NEAR_CHOICES,
    NEAR_ORDERS,
    NEGATIONS,
    NOTIFY_WORDS,
    NUMBER_WORDS,
    OR,
    PLEASE,
    PLUS,
    QUIET_WORDS,
    RECEIPTS_WORDS,
    TABLE_WORDS,
    WEEKDAYS,
    WORD_OF,
)
from felix_events.model import Card

_NUMBERS: Final = {word: number for number, word in enumerate(NUMBER_WORDS)}
_NUMBERED: Final = sorted({card for card in PET_CARDS if isinstance(card, int)})
_SPELLED: Final[dict[str, Card]] = {
    f"{MINUS} {NUMBER_WORDS[-card]}" if card < 0 else NUMBER_WORDS[card]: card for card in _NUMBERED
}
NAMED_CARDS: Final[dict[str, Card]] = {**CARD_WORDS, **_SPELLED, **NEAR_CARDS}
"""Every way to write a card without a digit."""
SAID_WORDS: Final = tuple(f"{word} " for word in I_WORDS)
"""The beginnings of a line that may say of its writer that they make a move."""
ORDER_WORDS: Final = (
    *(word.lower() for word in (*WORD_OF.values(), *PLEASE, *AWAY_WORDS["back"])),
    *SAID_WORDS,
)
"""The beginnings of a line that may be an order."""
FIRST_WORDS: Final = frozenset(
    phrase.split()[0].lower()
    for phrase in (
        *WORD_OF.values(),
        *(phrase for phrases in NEAR_ORDERS.values() for phrase in phrases),
        *NEAR_CHOICES,
        *BEFORE_AN_ORDER,
        *AWAY_WORDS["back"],
        *AWAY_WORDS["near"],
        *NAMED_CARDS,
        *NUMBER_WORDS,
        *ARTICLES,
        DOG,
    )
)
"""The first words of a line that may be an order, or nearly one."""

_SILENT: Final = frozenset({"PLAY", "BID", "UPTO", "NEXT", "NOTIFY", "RECEIPTS", "ADDRESS"})
"""Orders whose word says nothing that the rule does not say."""
_ABOUT_DAYS: Final = frozenset(
    word
    for words in (
        *(AWAY_WORDS[kind] for kind in ("off", "until", "from", "for", "one", "today", "tomorrow")),
        *WEEKDAYS,
        *MONTHS,
        NUMBER_WORDS,
    )
    for word in words
)
"""The beginnings of the words behind AWAY, if that is no number."""
SEPARATOR: Final = "(?: ?[,.!]+ ?| -+ ?| ?-+ )"
"""The signs between an order and an aside behind it."""
_GAP: Final = r"[,.!:]* (?:- )?"
_FACE: Final = r" ?(?:[:;]-?[)(dp]|[☀-➿\U0001f300-\U0001faff]\ufe0f?)"
_MORE: Final = "(?![0-9])"
_TELLING: Final = frozenset(
    (
        *(word.lower().split()[0] for word in WORD_OF.values()),
        *(phrase for order in MOVES for phrase in NEAR_ORDERS[order] if " " not in phrase),
        *CONDITIONS,
        *AFTERTHOUGHTS,
        *NEGATIONS,
        *NUMBER_WORDS,
        *CARD_WORDS,
        DOG,
    )
)
"""Words that may change what the order before them means."""
_WORD: Final = r"(?:(?![\d_])[\w',.!:;()&\"☀-➿\U0001f300-\U0001faff\ufe0f-])+"
_MOST_WORDS: Final = 12
"""Words behind an order and a comma that are no more than an aside."""


def number_of(text: str) -> int:
    """Return the number in `-8`, `+ 3`, `minus 8` or `five`."""
    sign, digits = 1, text
    for mark, value in (("-", -1), (MINUS, -1), ("+", 1), (PLUS, 1)):
        if text.startswith(mark):
            sign, digits = value, text.removeprefix(mark).strip()
            break
    return sign * (_NUMBERS[digits] if digits in _NUMBERS else int(digits))


def move_pattern() -> str:
    """Return a move within a line, as a regular expression: PLAY and a card, BID and a number, or PASS.

    Behind a BID may stand its limit.
    A number with another one behind it, as in `1.5` or `5 6`, is none; nor is `the large cat` a dog.
    """
    to, article = "(?:: ?| )", f"(?:{any_of(ARTICLES)} )?"
    card = f"(?:{_CARD_NUMBER}|{_cards((*CARD_WORDS, *_SPELLED))}(?! {any_of(KINDS)}))"
    bid, play, pass_ = (WORD_OF[word].lower() for word in ("BID", "PLAY", "PASS"))
    limit = f"(?:(?:, ?| ){WORD_OF['UPTO'].lower()}{to}{_NUMBER})?"
    move = f"{play}{to}{article}{card}|{bid}{to}{_NUMBER}{limit}|{pass_}"
    return rf"(?<![\w'])(?:{move})(?![\w\ufffd]| ?[.,:/+-]? ?(?:\d|{any_of(NUMBER_WORDS)}\b))"


def terminals() -> str:
    """Return the terminals, one on each line, as the grammar's language has them."""
    order_terminals = {
        ("_" if order in _SILENT else "") + order: any_of((word.lower(),)) for order, word in WORD_OF.items()
    }
    # A near order also takes the right word; and it comes before `I` and its like, which it may begin with.
    near_terminals = {
        f"{'_' if order in _SILENT else ''}NEAR_{order}.2": any_of((word.lower(), *NEAR_ORDERS[order]))
        for order, word in WORD_OF.items()
        if order in NEAR_ORDERS
    }
    defined = {
        **order_terminals,
        "_TO": ": ?| ",
        "_ALSO.3": rf"(?: ?[,.;+&] ?| )(?:{any_of(AHEAD_WORDS['also'])} )?"
        rf"(?={any_of(WORD_OF[word].lower() for word in (*MOVES, *AHEAD))}(?:: ?| |$))",
        "_THEN_PASS.3": rf",? {any_of(map(str.lower, AHEAD_WORDS['then_pass']))}",
        "THEN_ASK.3": rf",? {any_of(map(str.lower, AHEAD_WORDS['then_ask']))}",
        "_COLON": ": ?",
        "_BLANK": " ",
        "WORDS": ".+",
        "TABLE_NAME.2": TABLE_NAME,
        "_TABLES.3": rf" {any_of(TABLE_WORDS)}(?![\w-])",
        **{
            f"{order}_{choice.upper()}": any_of(map(str.lower, words))
            for order, choices in (("NOTIFY", NOTIFY_WORDS), ("RECEIPTS", RECEIPTS_WORDS))
            for choice, words in choices.items()
        },
        "NEAR_CHOICE.2": any_of(NEAR_CHOICES),
        "ZONE": r"[^?;:\s][^?;]*",
        "_ASKING.2": r" ?\?",
        "HOURS": f"[0-9][^?;]*|{any_of(map(str.lower, QUIET_WORDS['off']))}",
        "ABSENCE": f"(?:[0-9]|{any_of(_ABOUT_DAYS)}(?![^ .,:-]))[^?;]*",
        "_NEAR_AWAY": any_of((WORD_OF["AWAY"].lower(), *AWAY_WORDS["near"])),
        "BACK": any_of(AWAY_WORDS["back"]),
        "MAIL_ADDRESS": r"[a-z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-z0-9-]+(?:\.[a-z0-9-]+)*",
        "ADDRESS_OFF": any_of(map(str.lower, ADDRESS_OFF)),
        "_MARK": r" ?[?;:]+",
        "_PLEASE": f"{any_of(PLEASE)},? ",
        "_I": f"{any_of(I_WORDS)} ",
        "_COURTESY": f",? {any_of(COURTESIES)}",
        "_ASIDE": rf"{SEPARATOR}(?!.*\b{any_of(_TELLING)}\b)(?=[^\W\d_])"
        rf"{_WORD}(?: {_WORD}){{0,{_MOST_WORDS - 1}}}",
        "_IT_WAS_ME": f",? {any_of(AFTER_YES)}",
        "_SMILE": _FACE,
        "_ARTICLE": f"{any_of(ARTICLES)} ",
        "NUMBER": _NUMBER,
        "_MICE.2": f" {any_of(MICE)}",
        "MICE.2": f" {any_of(MICE)}",
        "CARD_NUMBER": _CARD_NUMBER,
        "CARD_NAME": _cards((*CARD_WORDS, *_SPELLED)),
        **near_terminals,
        "NEAR_CARD.2": _cards(NAMED_CARDS),
        "_NEAR_ARTICLE": f"{any_of((*ARTICLES, *NEAR_ARTICLES))} ",
        "_KIND.2": f" {any_of(KINDS)}",
        "_DOG": DOG,
        "AMOUNT": rf"\+?[0-9]{{1,9}}{_MORE}|{any_of(NUMBER_WORDS)}",
        "LONE_NUMBER": f"-?[0-9]{{1,3}}{_MORE}|{any_of(NUMBER_WORDS)}",
        "LONE_CARD.2": _cards(
            name for name in (*CARD_WORDS, *NEAR_CARDS) if CARD_WORDS.get(name) == 0 or DOG in name
        ),
        "_BEFORE": any_of(BEFORE_AN_ORDER) + _GAP,
        "_AFTER": f"{_GAP}{any_of(AFTER_AN_ORDER)}|{_FACE}",
        "_OR.2": f",? {OR} ",
        "_OPEN": "[\"'([]",
        "_CLOSE": "[\"')\\]]",
    }
    return "\n".join(f"{name}: /{_escaped(pattern)}/" for name, pattern in defined.items())


def _cards(names: Iterable[str]) -> str:
    return any_of(names).replace(r"\ ", "[ -]")


def _table_name() -> str:
    """The addresses of two or more friends; or a few words without a mark, that do not just say: a table."""
    words = f"(?!{any_of(TABLE_WORDS)}(?: |$))[^ ,.;:?!@]+(?: [^ ,.;:?!@]+){{0,3}}"
    return f"(?:[^:;?!@]+@[^:;?!@]+(?:@[^:;?!@]+)+|{words})"


def _digits(numbers: Iterable[int]) -> str:
    """Numbers as digits, with up to seven zeros before them."""
    return f"0{{0,7}}{any_of(str(abs(number)) for number in numbers)}"


def _escaped(pattern: str) -> str:
    return pattern.replace("/", r"\/")


_MINUS: Final = f"(?:- ?|{MINUS} )"
_PLUS: Final = rf"(?:\+ ?|{PLUS} )"
_NUMBER: Final = f"(?:{_MINUS}|{_PLUS})?(?:[0-9]{{1,9}}{_MORE}|{any_of(NUMBER_WORDS)})"
_CARD_NUMBER: Final = (
    f"(?:{_MINUS}{_digits(n for n in _NUMBERED if n <= 0)}|"
    f"{_PLUS}?{_digits(n for n in _NUMBERED if n >= 0)}){_MORE}"
)
TABLE_NAME: Final = _table_name()
"""The words that may follow NEW without a colon: `New phone, sorry for the delay` is no table."""
