"""The outside of a message about a game: the public facts for its glance, and the name of a reply."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from felix_async.follow_up.answer import CARD_TURNED, Answer
from felix_async.game.story import Step
from felix_async.language.grammar import Order, read_line
from felix_async.language.words import AHEAD, DISPUTE_WORDS, WORD_OF
from felix_async.time.times import day_text, until
from felix_events.model import AbsenceDeclared, AbsenceEnded, BidPlaced, CardPlaced, PlayerPassed, SackSold
from felix_notifiers.content.glance import Glance, glance_of
from felix_notifiers.content.glance import subject_of as _subject_of
from felix_notifiers.content.occasion import BEHIND, Occasion
from felix_notifiers.content.public import Facts, Said
from felix_notifiers.content.snapshot import Snapshot

_MOVES: Final[Mapping[type, Said]] = {PlayerPassed: "passed", BidPlaced: "bid", CardPlaced: "placed"}
_SHOWN: Final[Mapping[str, Said]] = {
    "status": "standing",
    "hand": "shown_hand",
    "rules": "shown_rules",
    "help": "shown_help",
    "history": "shown_history",
    "games": "shown_games",
}
_TOLD: Final[Mapping[str, Said]] = {
    "SAY": "talked",
    "AWAY": "away_noted",
    "NOTIFY": "settings",
    "RECEIPTS": "settings",
    "TIMEZONE": "settings",
    "QUIET": "settings",
    "DISPUTE": "dispute",
    "STANDS": "stands",
}
_WHY: Final[Mapping[str, Said]] = {
    "replay/too_often": "sent_already",
    "replay/not_over": "not_over",
    "game/never_began": "never_began",
    "game/over": "game_over",
    "dispute/again": "no_use",
    "dispute/over": "no_use",
    "dispute/too_often": "no_use",
    "dispute/too_many": "no_use",
}
"""Refusals after which there is nothing to try again."""
_SAY: Final = f"{WORD_OF['SAY']} "


def glance_for(occasion: Occasion) -> Glance:
    """Return what the mail shows to its reader before it is opened."""
    game = occasion.game
    return glance_of(game.public, game.seat, occasion.kinds, _facts(occasion))


def reply_to_table(game: Snapshot) -> str:
    """Return the subject of what a reader writes about a table now."""
    return reply_subject(_subject_of(game.public, game.seat, set(), Facts(is_sequel=game.sequel is not None)))


def reply_subject(subject: str) -> str:
    """Return the subject of an answer, with one `Re: `."""
    return subject if subject.startswith("Re: ") else f"Re: {subject}"


def _facts(occasion: Occasion) -> Facts:
    timeout = occasion.timeouts[-1] if occasion.timeouts else None
    return Facts(
        said=_said(occasion, occasion.answer) if occasion.answer is not None else "",
        mice=_mice(occasion.made),
        rung=occasion.rung,
        talk=[(one.name, one.text) for one in occasion.speeches],
        sold=_sold(occasion),
        away=_away(occasion),
        denied=occasion.denied,
        lapsed="" if timeout is None else "passed" if timeout.card is None else "placed",
        is_sequel=occasion.game.sequel is not None,
    )


def _sold(occasion: Occasion) -> tuple[int | None, int] | None:
    """Return who bought the last sack, and its price, if the reader was not told before."""
    last, own = occasion.sack or occasion.sale, occasion.made
    if last is None or (own is not None and own.before.round != last.before.round):
        return None
    return (last.event.seat, last.event.price) if isinstance(last.event, SackSold) else (None, 0)


def _mice(made: Step | None) -> int:
    """Return the mice that a move brought, or that it bids."""
    if made is None:
        return 0
    return getattr(made.event, "mice", 0) or getattr(made.event, "amount", 0)


def _away(occasion: Occasion) -> tuple[int, str, str] | None:
    """Return who is away, from when if that is later, and until when; '' if they are back."""
    game = occasion.game
    event = None if occasion.absence is None else occasion.absence.event
    if isinstance(event, AbsenceEnded):
        return event.seat, "", ""
    if not isinstance(event, AbsenceDeclared):
        return None
    start = day_text(event.start, game.zone) if event.start > game.now else ""
    return event.seat, start, until(event.back, game.zone)


def _said(occasion: Occasion, answer: Answer) -> Said:
    """Return how the mail went that is answered, the most pressing of its lines first."""
    verdicts = {line.verdict: line for line in answer.lines}
    codes = {line.code for line in answer.lines}
    offers = [offer for offer in answer.offers if not offer.startswith(_SAY)]
    if "taken" in verdicts:
        return "taken" if verdicts["taken"].due_at else "at_once"
    if any(line.order for line in answer.lines):
        return "undone"
    if answer.asks_text:
        return "sure"
    if "asked" in verdicts or answer.tries == 1:
        if answer.offers and not offers:
            return "saying"
        if offers and "asked" in verdicts:
            return "denied" if answer.doubt == "denied" else "asked" if len(offers) > 1 else "sure"
    if answer.tries:
        return "unread" if answer.tries == 1 else "unread_again"
    if codes & set(BEHIND):
        return "card_turned" if CARD_TURNED in codes else "behind"
    if "refused" in verdicts:
        why = {_WHY.get(code, "refused") for code in codes}
        return "partly" if len(verdicts) > 1 else why.pop() if len(why) == 1 else "refused"
    if any(line.verdict == "done" and _is_joining(line.text) for line in answer.lines):
        return "joined"
    if "forward" in answer.show and occasion.game.table.phase == "inviting":
        return "open"
    if set(verdicts) & {"not understood", "ambiguous", "asked"}:
        return "unread"
    return _done(occasion, answer)


def _done(occasion: Occasion, answer: Answer) -> Said:
    """Return what was done, or is shown, where nothing is left to ask."""
    if occasion.made is not None:
        for kind, moved in _MOVES.items():
            if isinstance(occasion.made.event, kind):
                return moved
    done = [line.text for line in answer.lines if line.verdict == "done"]
    if any(map(_is_ahead, done)):
        return "planned"
    orders = [order for order in map(read_line, done) if isinstance(order, Order)]
    words = {order.word for order in orders}
    if answer.show:
        return _SHOWN.get(answer.show[0], "shown") if len(answer.show) == 1 else "shown"
    if words == {"DISPUTE"} and orders[-1].text.lower() in DISPUTE_WORDS["off"]:
        return "dispute_off"
    return _TOLD.get(next(iter(words)), "done") if len(words) == 1 else "done"


def _is_joining(text: str) -> bool:
    order = read_line(text)
    return isinstance(order, Order) and order.word == "JOIN"


def _is_ahead(text: str) -> bool:
    """Return True if a line says something in advance."""
    order = read_line(text)
    if not isinstance(order, Order):
        return False
    return order.word in AHEAD or order.limit is not None or order.next is not None
