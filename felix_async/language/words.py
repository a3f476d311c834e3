"""The words that players read and write, out of the folder of a language (`felix_async.language.data`).

Words that a player may type, and their answers, have names here. Sentences that stand in messages are told by
`felix_async.language.phrases`. No rule looks at a word. README.md says how a language is added.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any, Final, cast, get_args

from felix_async.language.data import RULES_FILE, folder, read_text, table
from felix_events.shapes import Card, Pace, Ruleset

_ORDERS: Final = table("orders.toml")
_ANSWERS: Final = table("answers.toml")
_WORDS: Final[Mapping[str, Any]] = _ORDERS["words"]
_TOLD: Final[Mapping[str, str]] = _ANSWERS["told"]
_CARDS: Final[Mapping[str, Card]] = {"rabbit": 0, "large_dog": "large_dog", "small_dog": "small_dog"}


CARD_NAMES: Final[Mapping[Card, str]] = {card: _ORDERS["cards"][name][0] for name, card in _CARDS.items()}
"""Card that has a name -> the name that felix writes."""


def _cards(by_card: Mapping[str, list[str]]) -> dict[str, Card]:
    return {word: _CARDS[card] for card, words in by_card.items() for word in words}


MARKER: Final[str] = _ORDERS["marker"]
"""Everything from an unquoted marker line on is ours, not the player's."""

WAIT: Final[str] = _ORDERS["wait"]
"""The word that takes back an order out of plain words. It is no order, and read as plain words are."""

WORD_OF: Final[Mapping[str, str]] = _ORDERS["orders"]
"""Order -> the word that players write, and felix repeats, in capitals."""
AHEAD_WORDS: Final[Mapping[str, list[str]]] = _ORDERS["ahead"]
"""What is done above a limit (the words that felix repeats first), and what stands between two orders."""
_GRAMMAR: Final = files("felix_async.language").joinpath("grammar.lark").read_text("utf-8")


def _in_rules(*names: str) -> tuple[str, ...]:
    """The orders that these rules of the grammar read."""
    rules = re.findall(rf"^\??(?:{'|'.join(names)}): .*", _GRAMMAR, re.MULTILINE)
    words = re.findall(r"\b[A-Z]+\b", " ".join(rules))
    return tuple(order for order in WORD_OF if order in words)


MOVES: Final = ("PLAY", "BID", "PASS")
AHEAD: Final = ("UPTO", "NEXT")
"""Orders that are always given in advance; a BID may have a limit, too, and any move a card to come."""
ANSWERS: Final = ("JOIN", "DECLINE")
REPLIES: Final = _in_rules("reply")
"""Answers to a question that felix asked."""
QUESTIONS: Final = _in_rules("question")
"""Orders that change nothing; they are always welcome."""
WORDY: Final = _in_rules("wordy", "own_time")
"""Orders that words of the player's own may follow."""
NOTIFY_WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    choice: tuple(words) for choice, words in _ORDERS["notify"].items()
}
"""Choice of what to be told -> the words for it, the one that felix repeats first."""
RECEIPTS_WORDS: Final[Mapping[str, tuple[str, ...]]] = {
    choice: tuple(words) for choice, words in _ORDERS["receipts"].items()
}
"""`on` or `off` -> the words for it behind RECEIPTS, the one that felix repeats first."""
DISPUTE_WORDS: Final[Mapping[str, list[str]]] = _ORDERS["dispute"]
"""The words behind DISPUTE: for each kind of move, for its round, and to take it back (`off`)."""
QUIET_WORDS: Final[Mapping[str, list[str]]] = _ORDERS["quiet"]
"""The words of quiet hours: for none (`off`), `between` two times, for the two halves of the day."""
AWAY_WORDS: Final[Mapping[str, list[str]]] = _ORDERS["away"]
"""The words of an absence: between its days, for how long it is, and for who plays meanwhile."""
WEEKDAYS: Final[Sequence[Sequence[str]]] = _ORDERS["calendar"]["weekdays"]
"""From Monday on: what each day of the week is called."""
MONTHS: Final[Sequence[Sequence[str]]] = _ORDERS["calendar"]["months"]
"""From January on: what each month is called."""
CLOCK_WORDS: Final[Mapping[str, Any]] = {**_ORDERS["clock"], "numbers": _WORDS["numbers"]}
"""The words of a game's clock (`felix_async.language.clock_terms`), and the numbers that people spell out."""
HEARS_WORDS: Final[Mapping[str, bool]] = {_ORDERS["hears"]["on"]: True, _ORDERS["hears"]["off"]: False}
"""Word alone behind SAY -> True if the player wants to hear what the others say."""
ADDRESS_OFF: Final[tuple[str, ...]] = tuple(_ORDERS["addresses"]["off"])
"""Words alone behind ADDRESS: unsigned mail is asked about from now on, wherever it comes from."""
TABLE_OPTION: Final[tuple[str, ...]] = tuple(_ORDERS["options"]["table"])
"""Words before the name of a table, on a line below NEW."""
RULES_OPTION: Final[tuple[str, ...]] = tuple(_ORDERS["options"]["rules"])
"""Words before the rules of a table, on a line below NEW."""
AND: Final[tuple[str, ...]] = tuple(_ORDERS["options"]["and"])
"""Words between friends on one line."""
ME: Final[frozenset[str]] = frozenset(_ORDERS["options"]["me"])
"""Words by which a host lists themselves."""
LIST_WORDS: Final = frozenset(
    (*TABLE_OPTION, *RULES_OPTION, *_ORDERS["options"]["players"], *_ORDERS["clock"]["names"])
)
"""Words before something else in the list below NEW: nobody's name."""
RULESET_WORDS: Final[Mapping[str, Ruleset]] = {
    word: cast(Ruleset, ruleset) for ruleset, words in _ORDERS["rulesets"].items() for word in words
}
"""Name of the rules -> ruleset."""
RULESET_NAMES: Final[Mapping[Ruleset, str]] = {
    cast(Ruleset, ruleset): words[0] for ruleset, words in _ORDERS["rulesets"].items()
}
"""Ruleset -> what felix calls it, which `rules` and this word ask for."""
PACE_LABEL: Final[tuple[str, ...]] = tuple(_ORDERS["paces"]["label"])
"""Words before the pace of a new table."""
PACE_WORDS: Final[Mapping[str, Pace]] = {
    word: pace for pace in get_args(Pace) for word in _ORDERS["paces"][pace]
}
"""Name of a pace -> pace."""
PACE_NAMES: Final[Mapping[Pace, str]] = {pace: _ORDERS["paces"][pace][0] for pace in get_args(Pace)}
"""Pace -> what felix calls it, which asks for it in a NEW."""
CONTINUATIONS: Final = tuple(word.upper() for word in _ORDERS["continuations"])
"""A line that begins with one of these belongs to the line before it: a mail program has wrapped it."""
LOOP_HEADER: Final = "X-Felix-Loop"
"""Every message of a felix server carries this header; a message that has it is never acted on."""
GREETINGS: Final[tuple[str, ...]] = tuple(_ORDERS["greetings"])
"""The beginnings of a line that only greets."""
STOP_WORDS: Final[frozenset[str]] = frozenset(_ORDERS["stop_words"])
"""A line of these alone ends the reading, as a signature does."""

CARD_WORDS: Final[Mapping[str, Card]] = _cards(_ORDERS["cards"])
"""Cards that have a name instead of a number; a hyphen may stand for the blank."""
DOG: Final[str] = _WORDS["dog"]
"""A dog without a size."""
NUMBER_WORDS: Final[tuple[str, ...]] = tuple(_WORDS["numbers"])
"""The numbers that people spell out, from 0 on."""
MINUS: Final[str] = _WORDS["minus"]
PLUS: Final[str] = _WORDS["plus"]
OR: Final[str] = _WORDS["or"]
MICE: Final[tuple[str, ...]] = tuple(_WORDS["mice"])
TABLE_WORDS: Final[tuple[str, ...]] = tuple(_WORDS["tables"])
"""Said behind NEW, these are no name of a table."""
ARTICLES: Final[tuple[str, ...]] = tuple(_WORDS["articles"])
PLEASE: Final[tuple[str, ...]] = tuple(_WORDS["please"])
I_WORDS: Final[tuple[str, ...]] = tuple(_WORDS["i"])
"""Words for the writer, which may come before a move."""
COURTESIES: Final[tuple[str, ...]] = (*PLEASE, *_WORDS["thanks"])
"""Allowed after a question and after YES or NO, which they cannot change."""

NEAR_ORDERS: Final[Mapping[str, tuple[str, ...]]] = {
    order: tuple(words) for order, words in _ORDERS["near_orders"].items()
}
"""Slips and other words for an order: felix asks about them, it does not act on them."""
NEAR_CHOICES: Final[Mapping[str, tuple[str, str]]] = {
    words: (order, choice)
    for order, choices in _ORDERS["near_choices"].items()
    for choice, all_words in choices.items()
    for words in all_words
}
"""Other words for an order together with the choice behind it -> these two, which are asked about as well."""
NEAR_CARDS: Final[Mapping[str, Card]] = _cards(_ORDERS["near_cards"])
NEAR_ARTICLES: Final[tuple[str, ...]] = tuple(_WORDS["near_articles"])
KINDS: Final[tuple[str, ...]] = tuple(_WORDS["kinds"])
"""Words that may follow a card's number."""
AFTER_YES: Final[tuple[str, ...]] = tuple(_WORDS["after_yes"])
"""Words that people add to a YES without changing it."""
BEFORE_AN_ORDER: Final[tuple[str, ...]] = (*COURTESIES, *_WORDS["before_an_order"])
AFTER_AN_ORDER: Final[tuple[str, ...]] = (*COURTESIES, *_WORDS["after_an_order"])
"""Words around an order that make it a sentence. A sentence is asked about."""
NEGATIONS: Final[tuple[str, ...]] = tuple(_WORDS["negations"])
CONDITIONS: Final[tuple[str, ...]] = tuple(_WORDS["conditions"])
AFTERTHOUGHTS: Final[tuple[str, ...]] = tuple(_WORDS["afterthoughts"])
"""Words behind an order on which it may depend; with a negation there, the meaning is open."""

PROPOSED: Final[Mapping[str, Sequence[str]]] = _ORDERS["proposed"]
"""Order -> the words that are as good as it where it is asked for; letters propose the first of them."""
WITH_PROPOSED: Final[tuple[str, ...]] = tuple(_WORDS["with_proposed"])
"""Words that may stand around these, beside greetings and courtesies."""

CORRECTIONS: Final[Mapping[str, Sequence[str]]] = _ORDERS["corrections"]
"""The words of a line that may take back the order above it, or put another one in its place."""

REFUSALS: Final[Mapping[str, str]] = _ANSWERS["refusals"]
"""Refusal code -> the sentence for the one who asked."""
MISUNDERSTOOD: Final[Mapping[str, str]] = _ANSWERS["misunderstood"]
"""Code -> why a line, or a whole mail, could not be read."""
EXPECTED: Final[Mapping[str, str]] = _ANSWERS["expected"]
"""Kind -> the words for what was expected at the place at which the reading of a line failed."""
DONE: Final[Mapping[str, str]] = _ORDERS["done"]
"""Order -> what it did, for the one who wrote it."""
CONTRIBUTED: Final = _TOLD["contributed"]
BESIDE_AN_ORDER: Final = _TOLD["beside_an_order"]
ANOTHER_DECISION: Final = _TOLD["another_decision"]
WHICH_ORDER: Final = _TOLD["which_order"]
TWO_MOVES: Final = _TOLD["two_moves"]
"""On the first of several lines that answer one decision in different ways."""
ANOTHER_MOVE: Final = _TOLD["another_move"]
NO_LONGER_ASKED: Final = _TOLD["no_longer_asked"]
"""Instead of a question that is closed by the time its letter is written."""
NO_LONGER_TAKEN: Final = _TOLD["no_longer_taken"]
"""Instead of a promise that is not kept any more by the time its letter is written."""
NOTHING_MEANT: Final = _TOLD["nothing_meant"]
YOURS_NOW: Final = _TOLD["yours_now"]
NOT_YOURS: Final = _TOLD["not_yours"]
OWN_YES: Final = _TOLD["own_yes"]
OWN_NOW: Final = _TOLD["own_now"]
DOUBTED_AGAIN: Final = _TOLD["doubted_again"]
WHICH_GAME: Final = _TOLD["which_game"]
NO_MORE_ANSWERS: Final[Mapping[str, str]] = _ANSWERS["no_more_answers"]
"""Bound on answers -> the end of the last one."""
LEFT_ASIDE: Final = _TOLD["left_aside"]
STILL_OPEN: Final = _TOLD["still_open"]
ALREADY_DONE: Final = _TOLD["already_done"]
KEY_CHANGED: Final = _TOLD["key_changed"]
RENEWED: Final = _TOLD["renewed"]
RESTORED: Final = _TOLD["restored"]
TOPIC_BELOW: Final = _TOLD["topic_below"]
TOPICS_BELOW: Final = _TOLD["topics_below"]

UNDERSTOOD: Final[Mapping[str, str]] = _ANSWERS["understood"]
"""Why a line of a message is an order, or none."""
ASKED: Final[Mapping[str, str]] = _ANSWERS["asked"]
"""Why felix asks about an order instead of obeying it."""
NOT_WRITTEN: Final[Mapping[str, str]] = _ANSWERS["not_written"]
"""Place of a line -> why it is no order."""

RULES: Final = read_text(folder(), RULES_FILE)
"""The rules of the game for somebody at the table, in paragraphs; a short line alone is a heading."""
HELP: Final[str] = _ORDERS["help"]
"""The orders, each with what it does, between a line before them and one after."""
