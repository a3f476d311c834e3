"""Tell how a text would be read at the decision before a seat: nothing is done, and nobody is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from felix_async.game.cards import PET_CARDS, card_word
from felix_async.inbox.decide import LEFT_TO_THE_RULES, Weighed, weigh
from felix_async.inbox.likely import likely
from felix_async.language.grammar import Order, read_line
from felix_async.language.words import MOVES, QUESTIONS
from felix_async.meaning.lexicon import phrases
from felix_async.meaning.meaning import GRAMMAR, Meaning, Topic
from felix_async.meaning.mentions import mentions_in
from felix_async.meaning.situation import Situation
from felix_async.meaning.text import text_of
from felix_async.orders.registry import is_for_good
from felix_async.reading.reader import read_text
from felix_async.reading.understand import is_unclear, understand
from felix_async.reading.verdicts import Understood, settled
from felix_async.text import plain

_ANSWERED_BY: Final[dict[Topic | str, str]] = {
    "hand": "HAND",
    "status": "STATUS",
    "history": "HISTORY",
    "help": "HELP",
    "mice": "STATUS",
    "time": "STATUS",
    "fairness": "RULES",
    "undo": "HELP",
    "replay": "REPLAY",
    "games": "GAMES",
    "GAMES": "STATUS",
    "RESEND": "STATUS",
}
"""Of a topic or an order, the order that is answered with the same; any other topic is one of the RULES."""

_ANY_BID: Final = 99
"""More mice than there are."""


@dataclass(frozen=True, slots=True)
class Heard:
    """The move that would be made, at once if it is exact; else the answers that would be offered.

    `beside` are exact orders that are no moves, and `meaning` is all that the words mean.
    """

    do: Order | None
    is_exact: bool
    ask: tuple[Order, ...]
    beside: tuple[Order, ...]
    meaning: Meaning


def said_in(text: str) -> Sequence[Understood]:
    """Read each line of a text, as that of a message without anything around it."""
    return understand(read_text(text))


def heard(said: Sequence[Understood], situation: Situation) -> Heard:
    """Return what would come of the lines of a message in this situation."""
    weighed = weigh(said, situation)
    given = [line.order for line in said if line.verdict == "order" and line.order is not None]
    ahead = [order for order in given if order.is_ahead and order not in weighed.own.exact]
    exact = next((order for order in (*ahead, *weighed.own.exact) if situation.allows(order)), None)
    move = weighed.meaning.do
    done = {"lines": exact, "do": move, "take": move, "reply": _confirmed(weighed), "ask": None}
    do = done[weighed.step]
    do = exact if exact in ahead else do
    beside = tuple(order for order in dict.fromkeys(given) if order not in (*weighed.own.exact, *ahead))
    ask = () if do else _asked(weighed, said)
    is_exact = do is not None and (do == exact or weighed.step == "do")
    return Heard(do, is_exact, ask, beside, weighed.meaning)


def refused_order(said: Sequence[Understood], situation: Situation, found: Heard) -> Order | None:
    """Return the move that was meant, if the rules do not allow it; None if it is not clear which."""
    if found.meaning.doubt not in LEFT_TO_THE_RULES:
        return None
    anything = replace(situation, plays=tuple(PET_CARDS), least=0, most=_ANY_BID)
    if found.meaning.doubt == "other decision":
        is_placing = situation.decision == "placing"
        anything = replace(anything, decision="bidding" if is_placing else "placing")
    nearly = [order for line in said for order in (line.order, *line.choices)]
    meant = [order for order in (heard(said, anything).do, *nearly) if order is not None]
    return next((one for one in meant if one.word in MOVES and not situation.allows(one)), None)


def is_for_advice(line: str) -> bool:
    """Return True if a line asks what to do.

    >>> is_for_advice("Should I pass?"), is_for_advice("It depends")
    (True, False)
    """
    text = text_of([line])
    found = phrases("asking", "advice").find(text)
    return any(text.sentences[text.sentence_of[one.start]].is_question for one in found)


def told(found: Heard) -> dict[str, Any]:
    """Return what would be done, asked, answered and said, in the words of a file of situations."""
    meaning = found.meaning
    orders = [_ANSWERED_BY.get(order.word, order.word) for order in found.beside if order.word in QUESTIONS]
    topics = [_ANSWERED_BY.get(topic, "RULES") for topic in meaning.info]
    return {
        "do": None if found.do is None else _written(found.do),
        "next": None if found.do is None or found.do.next is None else card_word(found.do.next),
        "ask": [_written(order) for order in found.ask],
        "info": list(dict.fromkeys([*orders, *topics])),
        "talk": bool(meaning.say or meaning.talk or any(order.word == "SAY" for order in found.beside)),
        "words": [plain(words) for words in meaning.words],
        "grammar": GRAMMAR,
    }


def told_lines(found: Heard) -> list[str]:
    """Return the same for a terminal."""
    everything = told(found)
    do, after, doubt = everything["do"], everything["next"], found.meaning.doubt
    ask, info, words = (", ".join(everything[name]) for name in ("ask", "info", "words"))
    when = "at once" if found.is_exact else "after the pause, unless it is taken back"
    return [
        f"To be done: {do}, {when}" if do else "To be done: nothing",
        *([f"For the next round: {after}"] if after else []),
        *([f"To be asked: {ask}{f' ({doubt})' if doubt else ''}"] if ask else []),
        *([f"To be answered: {info}"] if info else []),
        *(["To be said to the others, or offered to be"] if everything["talk"] else []),
        *([f"By the words: {words}"] if words else []),
    ]


def _confirmed(weighed: Weighed) -> Order | None:
    waiting = weighed.situation.waiting
    is_yes = weighed.meaning.reply == "YES" and weighed.is_sure
    return waiting if is_yes and waiting is not None and not is_for_good(waiting) else None


def _asked(weighed: Weighed, said: Sequence[Understood]) -> tuple[Order, ...]:
    """Return the answers that would be offered, where no move is made."""
    meaning = weighed.meaning
    if weighed.step == "ask":
        orders = (*meaning.ask, *(() if meaning.ask else filter(None, (meaning.do, *weighed.doubted))))
        return tuple(dict.fromkeys(orders)) or (
            () if meaning.doubt == "denied" else _likely(weighed.situation)
        )
    refused = next((order for order in weighed.own.exact if order.word in MOVES), None)
    if refused is not None:
        return meaning.ask or _likely(weighed.situation, refused)
    lines = settled([line for line in said if not weighed.covers(line)])
    doubtful = [line.order for line in lines if line.verdict == "asked" and line.order is not None]
    if doubtful:
        return tuple(dict.fromkeys(doubtful))
    # An answer to talk offers moves, too; where the talk names none, they are beside the point.
    is_talk = meaning.talk and not _names_move(weighed)
    is_heard = meaning.info or meaning.say or is_talk or meaning.reply or weighed.own.exact
    is_misread = any(map(is_unclear, lines))
    return _likely(weighed.situation) if is_misread and not is_heard else ()


def _names_move(weighed: Weighed) -> bool:
    text = text_of([line.text for line in weighed.own.lines])
    return any(one.orders for one in mentions_in(text, weighed.situation))


def _likely(situation: Situation, meant: Order | None = None) -> tuple[Order, ...]:
    """The few answers that are offered where the text names none."""
    if not situation.decision:
        return ()
    read = map(read_line, likely(situation, meant))
    return tuple(order for order in read if isinstance(order, Order))


def _written(order: Order) -> str:
    """An order with its cards in small letters; a card for the next round alone, not behind another order."""
    card = order.next if order.word == "NEXT" else order.card
    now = order if order.word == "NEXT" else replace(order, next=None)
    return str(now) if card is None else f"{order.word} {card_word(card)}"
