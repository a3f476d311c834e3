"""Everything in a text that may be a move: cards, bids, a pass, limits; with the orders it may stand for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from felix_async.game.cards import PET_CARDS, is_cat
from felix_async.language.grammar import Order
from felix_async.meaning.lexicon import phrases, words
from felix_async.meaning.numbers import Number, number_at
from felix_async.meaning.phrases import Found, Slot
from felix_async.meaning.situation import Situation
from felix_async.meaning.text import Text
from felix_events.model import Card

Kind = Literal["number", "amount", "card", "pass", "limit"]
PASS: Final = Order("PASS")
MAX_MENTIONS: Final = 30
"""A text of more mentions is no answer to one decision."""
_LONGEST_BARE: Final = 12
_BEYOND: Final = ("more", "one_more", "double", "triple")
"""Amounts that are said of the highest bid."""
Finder = Callable[[Text, Situation], Iterator["Mention"]]


@dataclass(frozen=True, slots=True)
class Mention:
    """A span that may be a move.

    `orders` are those that it may stand for and that are possible now: one, if it is clear. Without any
    `doubt` says why. `limit` is the highest bid of an `up to 9`. `cards` are those that were named, in the
    hand or not. `is_certain` is True for a phrase that means this move whatever stands beside it.
    """

    start: int
    end: int
    kind: Kind
    orders: tuple[Order, ...] = ()
    doubt: Literal["", "not in hand", "too low", "too high", "other decision", "several"] = ""
    limit: int | None = None
    cards: tuple[Card, ...] = ()
    value: int | None = None
    is_certain: bool = False


def mentions_in(text: Text, situation: Situation) -> tuple[Mention, ...]:
    """Return all mentions in a text, in order, none within another."""
    if situation.decision == "placing":
        finders: tuple[Finder, ...] = (_limits, _leaving, _cards, _pictures, _numbers)
    elif situation.decision == "bidding":
        finders = (_refusing, _limits, _amounts, _leaving, _cards, _pictures, _numbers)
    elif situation.decision == "inviting":
        finders = (_coming,)
    else:
        return ()
    taken = [False] * len(text.tokens)
    found: list[Mention] = []
    for finder in finders:
        for mention in finder(text, situation):
            if not any(taken[mention.start : mention.end]):
                taken[mention.start : mention.end] = [True] * (mention.end - mention.start)
                found.append(mention)
            if len(found) > MAX_MENTIONS:
                break
        if len(found) > MAX_MENTIONS:
            break
    return tuple(sorted(found, key=lambda mention: mention.start))


def slots_of(situation: Situation) -> Mapping[str, Slot]:
    """The slots of the language's phrases: numbers and names."""
    names = {part.casefold() for name in situation.names for part in name.split()}

    def number(text: Text, at: int) -> int | None:
        if text.tokens[at].value is not None and text.tokens[at].word in words("numbered", "one"):
            return at + 1
        found = number_at(text, at) if text.tokens[at].kind in ("word", "number") else None
        return found.end if found is not None and found.sign != "-" else None

    def name(text: Text, at: int) -> int | None:
        token = text.tokens[at]
        is_name = token.word in names or (token.capital and token.kind == "word" and is_unknown(token.word))
        return at + 1 if is_name else None

    return {"n": number, "k": number, "name": name}


def is_unknown(word: str) -> bool:
    """Return True if a word is none of the table of the language, so that it may be a name."""
    return word not in words("light", "words") and word not in words("numbered", "kin")


def bid(amount: int, situation: Situation) -> tuple[tuple[Order, ...], Literal["", "too low", "too high"]]:
    """The order to bid an amount, or why it is impossible."""
    if amount < situation.least:
        return (), "too low"
    if amount > situation.most:
        return (), "too high"
    return (Order("BID", amount=amount),), ""


def up_to(limit: int, situation: Situation) -> tuple[tuple[Order, ...], Literal["", "too low", "too high"]]:
    """The order to bid up to a limit, or why it is impossible."""
    orders, doubt = bid(limit, situation)
    return (Order("UPTO", limit=limit),) if orders else (), doubt


def play(cards: Sequence[Card], situation: Situation) -> tuple[Order, ...]:
    """The orders to place one of these cards."""
    return tuple(Order("PLAY", card=card) for card in situation.plays if card in cards)


# ---- bids --------------------------------------------------------------------------------------------


def _value(text: Text, found: Found) -> int | None:
    if "n" not in found.slots:
        return None
    return _number(text, found.slots["n"][0])


def _number(text: Text, at: int) -> int | None:
    number = number_at(text, at)
    return number.value if number is not None else text.tokens[at].value


def _limits(text: Text, situation: Situation) -> Iterator[Mention]:
    slots = slots_of(situation)
    for found in phrases("limits", "up_to", "up_to_all", "until", "out_above").find(text, slots):
        value = situation.mice if found.key == "up_to_all" else _value(text, found)
        if value is None or (found.key == "until" and not _goes_on(text, found)):
            continue
        if situation.decision == "placing":
            yield Mention(found.start, found.end, "limit", (), "other decision", value=value)
            continue
        orders, doubt = up_to(value, situation)
        if found.key == "out_above" and _names_one(text, found, slots):
            yield Mention(found.start, found.end, "limit", orders, "several", limit=value, value=value)
            continue
        yield Mention(found.start, found.end, "limit", orders, doubt, limit=value, value=value)


def _names_one(text: Text, found: Found, slots: Mapping[str, Slot]) -> bool:
    """Return True for `pass if Ben bids more than 5`: what others may do is another thing."""
    span = range(found.start, found.end)
    return any(
        text.tokens[at].word in words("numbered", "he") or slots["name"](text, at) is not None for at in span
    )


def _goes_on(text: Text, found: Found) -> bool:
    clause = text.clauses[text.clause_of[found.start]]
    before = clause.start, found.start
    if any(True for _ in phrases("limits", "busy").find(text, {}, *before)):
        return False
    return any(True for _ in phrases("limits", "goes_on").find(text, {}, *before))


def _amounts(text: Text, situation: Situation) -> Iterator[Mention]:
    slots = slots_of(situation)
    for found in phrases("amounts").find(text, slots):
        number = _value(text, found)
        amount = _amount(found.key, number, situation)
        if found.key == "half" and amount is None:
            yield Mention(found.start, found.end, "amount", (), "several")
            continue
        if found.key.endswith("_alone") and not _is_alone(text, found):
            continue
        if found.key == "sum":
            more = _number(text, found.slots["k"][0])
            amount = number + more if number is not None and more is not None else None
        if amount is None:
            continue
        if found.key == "all" and _goes_further(text, found):
            continue
        if _is_of_others(text, found):
            yield Mention(found.start, found.end, "amount", (), "several", value=None)
            continue
        orders, doubt = bid(amount, situation)
        cards = _as_cards(number) if found.key == "more" and number is not None else ()
        if situation.is_early and orders and found.key.removesuffix("_alone") in _BEYOND:
            # Beyond the highest bid, which may be another one when it is their turn.
            yield Mention(found.start, found.end, "amount", orders, "several", value=amount, cards=cards)
            continue
        yield Mention(found.start, found.end, "amount", orders, doubt, value=amount, cards=cards)
    for at, token in enumerate(text.tokens):
        if token.sign == "+" and token.value is not None:
            value = situation.high + token.value
            orders, doubt = bid(value, situation)
            cards = _as_cards(token.value)
            yield Mention(at, at + 1, "amount", orders, doubt, value=value, cards=cards)


def _is_alone(text: Text, found: Found) -> bool:
    clause = text.clauses[text.clause_of[found.start]]
    return (clause.start, clause.end) == (found.start, found.end)


def _goes_further(text: Text, found: Found) -> bool:
    """Return True for `all in favour`: the phrase goes on with a word that is none around a move."""
    behind = text.tokens[found.end : found.end + 1]
    return bool(behind) and behind[0].kind == "word" and is_unknown(behind[0].word)


def _is_of_others(text: Text, found: Found) -> bool:
    """Return True for `one more than Dan has left`: nobody knows how many that is."""
    behind = text.tokens[found.end : found.end + 2]
    return bool(behind) and behind[0].word in words("numbered", "having")


def _amount(key: str, number: int | None, situation: Situation) -> int | None:
    if key == "more":
        return situation.high + number if number is not None else None
    if key == "half":
        return situation.mice // 2 if situation.mice % 2 == 0 else None
    if key == "after":
        return number + 1 if number is not None else None
    amounts: dict[str, int | None] = {
        "sum": None,
        "two": 2,
        "four": 4,
        "six": 6,
        "eight": 8,
        "thirteen": 13,
        "one_more": situation.high + 1,
        "least": situation.least,
        "all": situation.mice,
        "double": situation.high * 2,
        "triple": situation.high * 3,
    }
    return amounts[key.removesuffix("_alone")]


# ---- cards -------------------------------------------------------------------------------------------


def _cards(text: Text, situation: Situation) -> Iterator[Mention]:
    for found in phrases("cards").find(text, slots_of(situation)):
        is_name = found.key == "rabbit" or (found.key.endswith("_dog") and found.end - found.start > 1)
        if situation.decision != "placing" and not is_name:
            continue
        key = found.key.removesuffix("_bare")
        if key != found.key and not _is_bare(text, found):
            continue
        if key == "middle" and text.said_words & words("numbered", "several_cats"):
            key = "middle_cat"
        yield _card(text, found.start, found.end, _named(key, situation), situation)


def _card(text: Text, start: int, end: int, cards: Sequence[Card], situation: Situation) -> Mention:
    if situation.decision != "placing":
        return Mention(start, end, "card", (), "other decision", cards=tuple(cards))
    orders = play(cards, situation)
    doubt: Literal["", "not in hand", "several"] = (
        "not in hand" if not orders else "several" if orders[1:] else ""
    )
    return Mention(start, end, "card", orders, doubt, cards=tuple(cards))


def _named(key: str, situation: Situation) -> Sequence[Card]:
    plays = situation.plays if situation.decision == "placing" else PET_CARDS
    cats = sorted(card for card in plays if is_cat(card) and isinstance(card, int))
    below = [card for card in cats if card < 0]
    above = [card for card in cats if card > 0]
    is_odd = len(cats) % 2 == 1 and len(cats) == len(plays)
    groups: dict[str, Sequence[Card]] = {
        "rabbit": [0],
        "large_dog": ["large_dog"],
        "small_dog": ["small_dog"],
        "dog": ["large_dog", "small_dog"],
        "cat": cats,
        "negative": [-8, -5],
        "highest": cats[-1:],
        "lowest": cats[:1],
        "lowest_positive": above[:1],
        "second_highest": cats[-2:-1],
        "second_lowest": cats[1:2],
        "less_negative": below[-1:],
        "more_negative": below[:1],
        "middle": cats[len(cats) // 2 :][:1] if is_odd else plays,
        "middle_cat": cats[len(cats) // 2 :][:1] if len(cats) % 2 else cats,
        "not_cat": [card for card in plays if not is_cat(card)],
        "not_negative": [card for card in plays if card not in below],
        "positive": above,
        "other": (),
        "vague": plays,
    }
    return groups[key]


def _pictures(text: Text, situation: Situation) -> Iterator[Mention]:
    animals = {key for key in ("rabbit", "dog", "cat") if text.said_words & words("pictures", key)}
    for at, token in enumerate(text.tokens):
        if token.kind != "emoji" or len(animals) > 1:
            continue
        if token.word in words("pictures", "pass") and situation.decision == "bidding":
            yield Mention(at, at + 1, "pass", (PASS,))
        elif situation.decision == "placing":
            for key in ("rabbit", "dog"):
                if token.word in words("pictures", key):
                    yield _card(text, at, at + 1, _named(key, situation), situation)


def _numbers(text: Text, situation: Situation) -> Iterator[Mention]:
    at = 0
    while at < len(text.tokens):
        number = number_at(text, at)
        if number is not None:
            yield from _numbered(text, number, situation)
        at = number.end if number is not None else at + 1


def _numbered(text: Text, number: Number, situation: Situation) -> Iterator[Mention]:
    start, end, value = number.start, number.end, number.value
    if situation.decision == "bidding":
        if number.sign == "-":
            yield Mention(start, end, "card", (), "other decision", cards=_as_cards(value), value=value)
            return
        orders, doubt = bid(value, situation)
        yield Mention(start, end, "number", orders, doubt, value=value, cards=_as_cards(value))
        return
    cards = _as_cards(value)
    orders = play(cards, situation)
    if orders and not number.sign and _is_either(text, number) and -value in situation.plays:
        yield Mention(
            start,
            end,
            "number",
            play((*cards, *_as_cards(-value)), situation),
            "several",
            cards=cards,
            value=value,
        )
        return
    if not orders and not number.sign and -value in situation.plays:
        near = play(_as_cards(-value), situation)
        yield Mention(start, end, "number", near, "several", cards=cards, value=value)
        return
    yield Mention(start, end, "number", orders, "" if orders else "not in hand", cards=cards, value=value)


def _as_cards(value: int) -> tuple[Card, ...]:
    return tuple(card for card in PET_CARDS if card == value)


def _is_either(text: Text, number: Number) -> bool:
    """Return True if any of the cards with this number may be meant: `an 8`."""
    before = text.tokens[number.start - 1].word if number.start else ""
    return before in words("numbered", "either")


# ---- PASS --------------------------------------------------------------------------------------------


def _refusing(text: Text, situation: Situation) -> Iterator[Mention]:
    """Find a price that is named and refused: `I'm not paying 7`, `6 was my limit`."""
    for found in phrases("leaving", "too_dear", "reached").find(text, slots_of(situation)):
        value = _value(text, found)
        most = situation.least if found.key == "too_dear" else situation.high
        if value is not None and value <= most:
            yield Mention(found.start, found.end, "pass", (PASS,), is_certain=True)


def _leaving(text: Text, situation: Situation) -> Iterator[Mention]:
    slots = slots_of(situation)
    for found in phrases("leaving", "harmless", "certain", "sure", "bare").find(text, slots):
        if found.key == "harmless":
            continue
        if found.key == "bare" and not _is_bare(text, found):
            continue
        if situation.decision == "bidding":
            yield Mention(found.start, found.end, "pass", (PASS,), is_certain=found.key == "certain")
        else:
            yield Mention(found.start, found.end, "pass", (), "other decision")


def _coming(text: Text, _situation: Situation) -> Iterator[Mention]:
    """Find what accepts an invitation, or turns it down."""
    for found in phrases("inviting", "harmless", "join", "join_bare", "decline", "decline_bare").find(text):
        if found.key == "harmless":
            continue
        word, _, bare = found.key.partition("_")
        if not bare or _is_bare(text, found, "inviting"):
            yield Mention(found.start, found.end, "pass", (Order(word.upper()),))


def _is_bare(text: Text, found: Found, section: str = "leaving") -> bool:
    """Return True if hardly anything else stands in the clause."""
    clause = text.clauses[text.clause_of[found.start]]
    if clause.end - clause.start > _LONGEST_BARE:
        return False
    around = (*text.tokens[clause.start : found.start], *text.tokens[found.end : clause.end])
    return all(token.word in words(section, "around_bare") for token in around)
