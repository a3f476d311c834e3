"""Sentences about the table: who is waited for, what lies on it, what is the reader's own, who won."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from felix_async.game.cards import ROUNDS, cat_points
from felix_async.game.narrate import card_list, describe, told_tie
from felix_async.game.views import SeatView, View
from felix_async.language.phrases import first_capital, joined, phrase
from felix_async.time.times import moment, until
from felix_notifiers.content import ahead, deadline, lobby
from felix_notifiers.content.snapshot import Snapshot

FIRST_ROUNDS: Final = 2
"""In these more is explained: how to answer, and what dogs and the rabbit do."""
_TWO: Final = 2
Times = tuple[str, str]
"""Since when and until when; each may be ''."""


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
        return phrase("table.waiting_for.host", host=game.who(table.host)) if is_open else ""
    step = table.phase if table.phase in ("inviting", "placing") else "bidding"
    by_time = _by_time(game)
    if not by_time:
        return phrase("table.waiting.nobody")
    if game.seat in game.table.asked:
        return _waiting_for_reader(game, step, by_time)
    (times, seats), *others = by_time.items()
    key = _times_key(times)
    if key and not others:
        since, last = _moments(game, times)
        names = game.everyone(seats)
        return phrase(f"table.waiting_times.{key}.{step}", names=names, moment=since, until=last)
    return phrase(f"table.waiting.{step}", names=_since(game, by_time))


def _waiting_for_reader(game: Snapshot, step: str, by_time: Mapping[Times, Sequence[int]]) -> str:
    """The same, to somebody who is waited for."""
    if sum(map(len, by_time.values())) > 1:
        names = first_capital(_since(game, by_time))
        return phrase("mails.frame.sentence", what=phrase(f"table.waiting_us.{step}", names=names))
    (times,) = by_time
    what, key = phrase(f"table.waiting_you.{step}"), _times_key(times)
    since, last = _moments(game, times)
    told = phrase(f"table.waited.{key}", name=what, moment=since, until=last) if key else what
    return phrase("mails.frame.sentence", what=told)


def _by_time(game: Snapshot) -> dict[Times, list[int]]:
    """Return who is waited for, the reader first, grouped by since when and until when.

    For whoever has left the computer moves, as soon as somebody is at the table again.
    """
    by_time: dict[Times, list[int]] = {}
    there = [seat for seat in game.table.asked if not game.table.seats[seat].computer]
    for seat in sorted(there, key=lambda seat: seat != game.seat):
        by_time.setdefault((game.since.get(seat, ""), deadline.due_at(game, seat)), []).append(seat)
    return by_time


def _since(game: Snapshot, by_time: Mapping[Times, Sequence[int]]) -> str:
    waited: list[str] = []
    for times, seats in by_time.items():
        name, key = game.everyone(seats), _times_key(times)
        since, last = _moments(game, times)
        waited.append(phrase(f"table.waited.{key}", name=name, moment=since, until=last) if key else name)
    return joined(waited)


def _times_key(times: Times) -> str:
    return "_".join(name for name, at in zip(("since", "until"), times, strict=True) if at)


def _moments(game: Snapshot, times: Times) -> tuple[str, str]:
    since, last = times
    return moment(since, game.zone) if since else "", until(last, game.zone) if last else ""


def is_in(table: View) -> bool:
    """Return True if the reader has a seat, or may still take one."""
    return not isinstance(table.viewer, int) or table.seats[table.viewer].answer in ("", "invited", "joined")


def over(game: Snapshot) -> str:
    """That the game is over, and who won."""
    return phrase("result.over.sentence", sentence=winners(game))


def winners(game: Snapshot) -> str:
    """`Ben won`, within a sentence."""
    who = game.everyone(game.table.winners)
    if len(game.table.winners) > 1:
        return phrase("result.won.several", names=who)
    return phrase("result.won.other", names=who)


def tie(game: Snapshot) -> str:
    """Say how a tie was decided, if there was one."""
    return told_tie(game.table.scores, game.table.winners)


# ---- the table --------------------------------------------------------------------------------------


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
            dummy = [phrase("table.row.dummy")] if has_dummy else []
            placed = [_starts(game)] if game.table.phase == "placing" else []
            return [*placed, *dummy, *deadline.absences(game)]


def _starts(game: Snapshot) -> str:
    """Say who starts the round, in the first ones whose cards lie there already, and what passes bring."""
    table = game.table
    whose = "you" if table.start_seat == game.seat else "other"
    told = [phrase(f"table.placing.starts.{whose}", who=game.names[table.start_seat])]
    down = [seat for seat in table.players if table.seats[seat].placed and seat != game.seat]
    if down and table.round <= FIRST_ROUNDS:
        told.append(phrase("table.placing.down", names=game.everyone(down), count=len(down)))
    return " ".join([*told, passes(game)])


def passes(game: Snapshot) -> str:
    """Say what passes bring from now on, the next one first."""
    left = [str(card.mice) for card in game.table.mouse_cards if card.mice and not card.taken]
    if not left:
        return phrase("table.mice.none")
    return phrase("table.mice.left", taken=phrase("table.mice.then").join(left))


def roles(game: Snapshot) -> list[str]:
    """Say who hosts, for whom the computer plays, the rules and the clock; nothing once the game is over."""
    table = game.table
    if table.is_over:
        return []
    told = []
    if table.host == game.seat:
        told.append(phrase("lobby.host.named"))
    elif table.host is not None:
        told.append(phrase("table.roles.host", who=game.who(table.host)))
    away = [
        seat
        for seat in table.players
        if table.seats[seat].computer and table.seats[seat].time.absence is None
    ]
    told += [phrase("table.roles.away", names=game.everyone(away))] if away else []
    rules = phrase("table.roles.rules", edition=lobby.edition(table))
    in_turn = phrase("table.roles.in_turn") if lobby.is_in_turn(table) else ""
    times = (deadline.terms(game), in_turn, deadline.reserves(game))
    return [*told, rules, *filter(None, times), *deadline.votes(game), *_disputes(game)]


def _disputes(game: Snapshot) -> Iterator[str]:
    """Say who denies which move, and until when time stands still for it."""
    table = game.table
    for one, step in zip(table.disputes, game.disputes, strict=True):
        told = describe(step.event, game.names, you=game.seat, before=step.before)
        yield f"{told} {phrase('table.roles.dispute', until=until(one.lapses, game.zone))}"
    if table.still is not None and table.still[1] > game.now:
        yield phrase("people.dispute.still", until=until(table.still[1], game.zone))


def in_auction(game: Snapshot, seat: SeatView) -> str:
    """Say if a seat has bid, passed, or is to move."""
    if game.table.phase != "bidding":
        return ""
    if seat.passed:
        return phrase("table.auction.passed")
    leads = seat.bid and seat.bid == game.table.high_bid
    notes = (
        [phrase("table.auction.leads" if leads else "table.auction.bid", bid=seat.bid)] if seat.bid else []
    )
    # The headline asks the reader already; below their card a bid says more.
    if seat.seat == game.table.to_move and not (notes and seat.seat == game.seat):
        is_own = seat.seat == game.seat
        notes.append(phrase("table.auction.your_turn") if is_own else phrase("table.auction.to_move"))
    return ", ".join(notes) or phrase("table.auction.none")


# ---- what is the reader's own -----------------------------------------------------------------------


def belongings(game: Snapshot) -> list[str]:
    """The reader's mice, card in the row, and won cards."""
    own = game.own
    if game.table.phase in ("new", "inviting"):
        return [phrase("table.own.not_dealt")]
    lines = [phrase("table.own.mice", mice=own.mice)]
    if own.placed is not None:
        placed = phrase("table.own.placed", card=card_list([own.placed]))
        is_last = game.table.round == ROUNDS
        lines.append(f"{placed} {phrase('table.own.last_card')}" if is_last else placed)
    return [*lines, *_won(game), *ahead.said(game)]


def _won(game: Snapshot) -> list[str]:
    won = game.own.won
    if not won:
        return []
    cards, points = card_list(won), cat_points(won)
    if game.table.is_over:
        return [phrase("table.own.won_in_all", cards=cards, points=points)]
    return [phrase("table.own.won", cards=cards, points=points)]


def passing(game: Snapshot) -> str:
    """Say what a pass brings, in a few words."""
    if game.is_last_bidder:
        return phrase("table.passing.last_bidder")
    mice, table = game.next_mice, game.table
    if not mice:
        return phrase("table.passing.none")
    # Of two that are left nobody passes before the other.
    may_be_more = game.is_early and sum(not table.seats[seat].passed for seat in table.players) > _TWO
    return phrase("table.passing.early" if may_be_more else "table.passing.mice", mice=mice)
