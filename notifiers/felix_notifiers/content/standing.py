"""Sentences about the table: who is waited for, what lies on it, what is the reader's own, who won."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from felix_async.game.cards import ROUNDS, cat_points
from felix_async.game.narrate import card_list
from felix_async.game.views import SeatView, View
from felix_async.language.phrases import first_capital, joined, phrase, signed
from felix_async.time.times import moment
from felix_notifiers.content import ahead, deadline, lobby
from felix_notifiers.content.snapshot import Snapshot

Times = tuple[str, str]
"""Since when and until when; each may be ''."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the table's accounts: what it is, and how much."""

    label: str
    text: str


# ---- who is waited for, and who won -----------------------------------------------------------------


def waiting(game: Snapshot) -> str:
    """Say who is waited for, since when and until when; '' if all have moved, or the reader has left the
    table to others.
    """
    table = game.table
    if not is_in(table):
        return ""
    if not table.asked:
        is_open = table.phase == "inviting" and table.host is not None
        return phrase("mails.waiting_for.host", host=game.who(table.host)) if is_open else ""
    step = table.phase if table.phase in ("inviting", "placing") else "bidding"
    by_time = _by_time(game)
    if not by_time:
        return phrase("mails.waiting.nobody")
    if game.seat in game.table.asked:
        return _waiting_for_reader(game, step, by_time)
    (times, seats), *others = by_time.items()
    key = _times_key(times)
    if key and not others:
        since_when, until = _moments(game, times)
        names = game.everyone(seats)
        return phrase(f"mails.waiting_times.{key}.{step}", names=names, moment=since_when, until=until)
    return phrase(f"mails.waiting.{step}", names=_since(game, by_time))


def _waiting_for_reader(game: Snapshot, step: str, by_time: Mapping[Times, Sequence[int]]) -> str:
    """The same, to somebody who is waited for."""
    if sum(map(len, by_time.values())) > 1:
        names = first_capital(_since(game, by_time))
        return phrase("mails.frame.sentence", what=phrase(f"mails.waiting_us.{step}", names=names))
    (times,) = by_time
    what, key = phrase(f"mails.waiting_you.{step}"), _times_key(times)
    since, until = _moments(game, times)
    told = phrase(f"mails.waited.{key}", name=what, moment=since, until=until) if key else what
    return phrase("mails.frame.sentence", what=told)


def _by_time(game: Snapshot) -> dict[Times, list[int]]:
    """Return who is waited for, the reader first, grouped by since when and until when.

    For whoever has left the computer moves, as soon as somebody is at the table again.
    """
    by_time: dict[Times, list[int]] = {}
    there = [seat for seat in game.table.asked if not game.table.seats[seat].computer]
    for seat in sorted(there, key=lambda seat: seat != game.seat):
        by_time.setdefault((game.since.get(seat, ""), deadline.until(game, seat)), []).append(seat)
    return by_time


def _since(game: Snapshot, by_time: Mapping[Times, Sequence[int]]) -> str:
    waited: list[str] = []
    for times, seats in by_time.items():
        name, key = game.everyone(seats), _times_key(times)
        since_when, until = _moments(game, times)
        waited.append(
            phrase(f"mails.waited.{key}", name=name, moment=since_when, until=until) if key else name
        )
    return joined(waited)


def _times_key(times: Times) -> str:
    return "_".join(name for name, at in zip(("since", "until"), times, strict=True) if at)


def _moments(game: Snapshot, times: Times) -> tuple[str, str]:
    since, until = (moment(at, game.zone) if at else "" for at in times)
    return since, until


def is_in(table: View) -> bool:
    """Return True if the reader has a seat, or may still take one."""
    return not isinstance(table.viewer, int) or table.seats[table.viewer].answer in ("", "invited", "joined")


def over(game: Snapshot) -> str:
    """That the game is over, and who won."""
    return phrase("mails.opening.over", sentence=winners(game))


def winners(game: Snapshot) -> str:
    """`Ben won`, within a sentence."""
    who = game.everyone(game.table.winners)
    if len(game.table.winners) > 1:
        return phrase("mails.won.several", names=who)
    return phrase("mails.won.other", names=who)


def tie(game: Snapshot) -> str:
    """Say how a tie was decided, if there was one."""
    totals = [score.total for score in game.table.scores if score is not None]
    if not totals or totals.count(max(totals)) == 1:
        return ""
    if totals.count(max(totals)) == len(game.table.winners):
        return phrase("mails.tie.cats_too")
    return phrase("mails.tie.cats_decided")


def points(number: int) -> str:
    """`12`, `−3`."""
    return signed(number)


# ---- the table --------------------------------------------------------------------------------------


def row_title(number: int) -> str:
    """Return the heading of the row."""
    return phrase("mails.headings.row", round=number)


def facts(game: Snapshot) -> list[str]:
    """Return what is said below the cards: who is away; who is in, or how it ended."""
    match game.table.phase:
        case "new" | "inviting":
            return lobby.guests(game)
        case "abandoned":
            return [lobby.cancelled(game)]
        case "ended":
            return [over(game)]
        case _:
            has_dummy = len(game.table.players) == 3 and game.table.round == 1
            dummy = [phrase("mails.row.dummy")] if has_dummy else []
            return [*dummy, *deadline.absences(game)]


def roles(game: Snapshot, *, has_terms: bool = True) -> list[str]:
    """Say who hosts the game, and for whom the computer plays; nothing once it is over.

    With `has_terms` also the rules and the clock.
    """
    table = game.table
    if table.is_over:
        return []
    told = []
    if table.host == game.seat:
        told.append(phrase("mails.opening.named_host"))
    elif table.host is not None:
        told.append(phrase("mails.roles.host", who=game.who(table.host)))
    away = [
        seat
        for seat in table.players
        if table.seats[seat].computer and table.seats[seat].time.absence is None
    ]
    told += [phrase("mails.roles.away", names=game.everyone(away))] if away else []
    if has_terms:
        rules = phrase("mails.roles.rules", edition=lobby.edition(table))
        in_turn = phrase("mails.roles.in_turn") if lobby.is_in_turn(table) else ""
        told += filter(None, (rules, deadline.terms(game), in_turn))
    return [
        *told,
        *filter(None, [deadline.reserves(game)]),
        *deadline.votes(game),
    ]


def money(game: Snapshot) -> list[Entry]:
    """The bids and the mice that everybody sees; nothing before the cards are dealt and after the end."""
    table = game.table
    if table.phase not in ("placing", "bidding"):
        return []
    entries = []
    if table.phase == "bidding":
        bidder = table.high_bidder
        if bidder is None:
            entries.append(Entry(phrase("mails.money.high_bid"), phrase("mails.money.no_bid")))
        else:
            by = phrase("mails.money.by", mice=table.high_bid, who=game.who(bidder))
            entries.append(Entry(phrase("mails.money.high_bid"), by))
    in_bank = phrase("mails.money.mice", mice=table.bank)
    return [
        *entries,
        Entry(phrase("mails.money.mouse_cards"), _mouse_cards(game)),
        Entry(phrase("mails.money.bank"), in_bank),
    ]


def _mouse_cards(game: Snapshot) -> str:
    cards = game.table.mouse_cards
    if not any(card.mice for card in cards):
        return phrase("mails.money.cards_empty")
    listed = ", ".join(
        phrase("mails.money.card_taken", mice=card.mice) if card.taken else str(card.mice) for card in cards
    )
    if game.next_mice is None:
        return listed
    return phrase("mails.money.next", cards=listed, mice=game.next_mice)


def in_auction(game: Snapshot, seat: SeatView) -> str:
    """Say if a seat has bid, passed, or is to move."""
    if game.table.phase != "bidding":
        return ""
    if seat.passed:
        return phrase("mails.auction.passed")
    notes = [phrase("mails.auction.bid", bid=seat.bid)] if seat.bid else []
    if seat.bid and seat.bid == game.table.high_bid:
        notes.append(phrase("mails.auction.highest"))
    if seat.seat == game.table.to_move:
        is_own = seat.seat == game.seat
        notes.append(phrase("mails.auction.your_turn") if is_own else phrase("mails.auction.to_move"))
    return ", ".join(notes) or phrase("mails.auction.none")


# ---- what is the reader's own -----------------------------------------------------------------------


def purse(game: Snapshot) -> str:
    """The reader's mice and card in the row, right above the bids on offer."""
    own = game.own
    if own.placed is None:
        return phrase("mails.own.mice", mice=own.mice)
    told = phrase("mails.own.mice_and_card", mice=own.mice, card=card_list([own.placed]))
    return f"{told} {phrase('mails.own.last_card')}" if game.table.round == ROUNDS else told


def belongings(game: Snapshot, *, has_purse: bool = False) -> list[str]:
    """The reader's mice, card in the row, and won cards; without what `purse` has said already."""
    own = game.own
    if game.table.phase in ("new", "inviting"):
        return [phrase("mails.own.not_dealt")]
    if has_purse:
        return [*_won(game), *ahead.said(game)]
    lines = [phrase("mails.own.mice", mice=own.mice)]
    if own.placed is not None:
        placed = phrase("mails.own.placed", card=card_list([own.placed]))
        is_last = game.table.round == ROUNDS
        lines.append(f"{placed} {phrase('mails.own.last_card')}" if is_last else placed)
    return [*lines, *_won(game), *ahead.said(game)]


def _won(game: Snapshot) -> list[str]:
    won = game.own.won
    if not won:
        return []
    cards, points = card_list(won), cat_points(won)
    if game.table.is_over:
        return [phrase("mails.own.won_in_all", cards=cards, points=points)]
    return [phrase("mails.own.won", cards=cards, points=points)]


def advice(game: Snapshot) -> list[str]:
    """Say what may be bid, and what passing brings."""
    choices = game.own.choices
    if not game.is_asked or not choices.may_pass:
        return []
    if game.is_last_bidder:
        is_poor, is_late = choices.bids is None, game.table.round == ROUNDS
        sentences = (
            phrase("mails.advice.last_bidder"),
            phrase("mails.advice.none_left") if is_poor else phrase("mails.advice.for_one"),
            phrase("mails.advice.to_the_box_at_last") if is_late else phrase("mails.advice.to_the_box"),
        )
        return [" ".join(sentences)]
    mice = game.next_mice
    if choices.bids is None:
        only = phrase("mails.advice.only_pass", mice=mice) if mice else phrase("mails.advice.only_for_none")
        return [f"{_too_poor(game)} {only}"]
    passing = phrase("mails.advice.passing", mice=mice) if mice else phrase("mails.advice.passing_for_none")
    least, most = choices.bids
    if least == most:
        return [f"{phrase('mails.advice.all_in', least=least)} {passing}"]
    return [f"{phrase('mails.advice.range', least=least, most=most)} {passing}"]


def _too_poor(game: Snapshot) -> str:
    mice = game.own.mice
    if not mice:
        return phrase("mails.advice.no_mice")
    return phrase("mails.advice.too_poor", least=game.table.high_bid + 1, mice=mice)
