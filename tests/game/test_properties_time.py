"""What holds whenever people do what: games by the clock, with late players, absences, votes and outages.

The examples are the same in every run, so that a red test is red for everybody.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from random import Random

import pytest
from hypothesis import given

from anything import RULESETS, expect_welcome, seeds
from felix_async.audit.audit import audit
from felix_async.clock import later, seconds_between, text_of, time_of
from felix_async.draw import Dice
from felix_async.game import commands as c
from felix_async.game.disputes import AT_ONCE
from felix_async.game.folding import apply
from felix_async.game.rules import Context, Refusal, decide
from felix_async.game.state import Game, initial_state
from felix_async.game.timing import MISSES, calendar_of, running
from felix_async.game.views import choices
from felix_async.game.votes import OVER
from felix_events.disputes import LONGEST_STOP
from felix_events.envelope import Envelope
from felix_events.model import (
    BY_TYPE,
    DeadlineSet,
    DisputeRaised,
    DisputeSettled,
    GameAbandoned,
    ReserveSpent,
    Terms,
    TurnTimedOut,
)
from games import NAMES, Played, a_room, joining
from table import ALL_MICE, FULL_SET

HOUR, DAY = 3600, 24 * 3600
ABOUT_TIME = {
    "clock_set",
    "deadline_set",
    "reserve_spent",
    "turn_timed_out",
    "absence_declared",
    "absence_began",
    "absence_ended",
    "vote_cast",
    "votes_withdrawn",
    "game_paused",
    "game_resumed",
    "dispute_raised",
    "dispute_settled",
}


@dataclass(frozen=True)
class Timed:
    """A game as far as its people, and the time, brought it."""

    played: Played
    steps: list[tuple[c.Command, str, int]]
    """What was asked, when, and the log's size right after it; then the computer may have gone on."""
    dice: Dice

    def moments(self) -> Iterator[tuple[Envelope, Game]]:
        """Every event, with the state after it, which the next one changes."""
        game = initial_state()
        for envelope in self.played.envelopes:
            apply(game, envelope.data)
            yield envelope, game


@cache
def a_timed_life(seed: int) -> Timed:
    """People do whatever comes to their mind, whenever; how restless and how slow they are differs."""
    chance = Random(seed)
    seats = chance.randint(3, 5)
    terms = Terms(
        move=chance.choice([60, HOUR, 12 * HOUR, 3 * DAY]),
        reserve=chance.choice([0, 90, 7 * HOUR, 5 * DAY]),
        weekends=chance.random() < 0.5,
        zone=chance.choice(["UTC", "Europe/Berlin", "America/Sao_Paulo", "Asia/Tehran", "+05:45"]),
        away=chance.choice([DAY, 21 * DAY]),
    )
    room = a_room(f"timed/{seed}")
    room.clock.now = datetime(2018, 1, 1, tzinfo=UTC) + timedelta(hours=chance.randrange(24 * 365 * 4))
    room.clock.step = timedelta(seconds=chance.choice([0.4, 61]))
    host = chance.choice([None, 0])
    game_id = room.open(seats, ruleset=chance.choice(RULESETS), host=host, clock=terms)
    with room.store.read() as reader:
        row = reader.game(game_id)
    assert row is not None
    assert row.seed is not None
    restless, slow = chance.choice([0.1, 0.3]), chance.choice([0.05, 0.3])
    moody = chance.choice([0.1, 0.1, 0.1, 0.9])
    # Of their own dice: quarrels come on top of everything else.
    quarrels = Random(f"quarrels/{seed}")
    quarrelsome = quarrels.choice([0, 0.1])
    steps: list[tuple[c.Command, str, int]] = []
    for _ in range(250):
        with room.store.read() as reader:
            game = room.service.load(reader, game_id)
        if game.is_over:
            break
        if chance.random() < slow:
            longest = chance.choice([1, HOUR, terms.move, 2 * DAY])
            room.clock.now += timedelta(seconds=longest * chance.random())
        now = text_of(room.clock.now)
        wanted = a_whim(game, chance, now, moody) if chance.random() < restless else a_duty(game, chance, now)
        if quarrels.random() < quarrelsome:
            wanted = a_quarrel(game, quarrels)
        outcome = room.do(game_id, wanted)
        if outcome.events:
            steps.append((wanted, now, outcome.version))
    played = Played(game_id, room.evidence(game_id), NAMES[:seats])
    return Timed(played, steps, Dice(game_id, row.seed))


def a_whim(game: Game, chance: Random, now: str, moody: float) -> c.Command:
    """Anything about time by anybody, whether it is allowed or not; the moody leave."""
    seat = chance.randrange(len(game.seats))
    turn = max(game.seats[seat].turn, 1)
    start = later(now, chance.choice([-1, 0, 1, 30]) * chance.random() * DAY)
    absent = c.Absent(
        seat=seat,
        start=start,
        back=later(start, chance.random() * chance.choice([2, 30]) * DAY),
        computer=chance.random() < 0.5,
    )
    rare: list[c.Command] = [
        c.Leave(seat=seat, for_good=chance.random() < 0.5),
        c.Close(),
        c.Vote(seat=seat, on="abandon"),
    ]
    often: list[c.Command] = [
        absent,
        absent,
        c.Recall(seat=seat),
        c.Return(seat=seat),
        c.Vote(seat=seat, on="pause"),
        c.Vote(seat=(seat + 1) % len(game.seats), on="pause"),
        c.Resume(seat=seat),
        c.TimeOut(seat=seat, turn=turn),
        c.Extend(seat=seat, turn=turn, seconds=chance.choice([0, 60, 3 * HOUR])),
        c.BeginAbsence(seat=seat),
        c.EndAbsence(seat=seat),
        c.EndPause(),
        c.Restore(),
    ]
    return chance.choice(rare if game.phase != "inviting" and chance.random() < moody else often)


def a_quarrel(game: Game, chance: Random) -> c.Command:
    """Anything about a move that is denied, and mostly a new denial, often of a move that is none."""
    seat = chance.randrange(len(game.seats))
    turn, what = chance.choice([*game.seats[seat].moves.items(), (1, "bid")])
    denial = c.Dispute(seat=seat, turn=turn, what=what)
    settling: list[c.Command] = [
        c.Withdraw(seat=seat),
        c.Stand(seat=game.host or 0, whom=seat),
        c.Lapse(seat=seat),
    ]
    settling += [c.Vote(seat=seat, on=OVER[one.seat]) for one in game.disputes]
    wanted: list[c.Command] = [denial, denial, *settling]
    return chance.choice(wanted)


def a_duty(game: Game, chance: Random, now: str) -> c.Command:
    """What somebody is asked for, or what is due; where nobody is there to be asked, somebody comes back."""
    if game.phase == "inviting":
        return joining(chance.choice(game.asked)) if game.asked else c.Start(seat=game.host or 0)
    due = what_is_due(game, now)
    if due:
        return chance.choice(due)
    if not game.awaited:
        return c.Close() if chance.random() < 0.3 else c.Return(seat=chance.choice(game.players))
    seat = chance.choice(game.awaited)
    able = choices(game, seat)
    if able.plays:
        return c.Play(seat=seat, card=chance.choice(able.plays))
    if able.bids is None or chance.random() < 0.6:
        return c.Pass(seat=seat)
    return c.Bid(seat=seat, amount=able.bids[0])


def what_is_due(game: Game, now: str) -> list[c.Command]:
    """What a scheduler would ask now."""
    due: list[c.Command] = [
        c.TimeOut(seat=seat, turn=deadline.turn) for seat, deadline in running(game) if deadline.at <= now
    ]
    for seat in game.players:
        absence = game.seats[seat].time.absence
        if absence is not None and absence.back <= now:
            due.append(c.EndAbsence(seat=seat))
        elif absence is not None and absence.computer and not absence.began and absence.start <= now:
            due.append(c.BeginAbsence(seat=seat))
    due += [c.Lapse(seat=one.seat) for one in game.disputes if one.lapses <= now]
    return due + ([c.EndPause()] if game.paused_until and game.paused_until <= now else [])


MANY = range(80)
every_life = given(seeds(len(MANY), few=12).map(a_timed_life))


@pytest.mark.slow
def test_lives_of_every_kind_are_among_them() -> None:
    """Else the tests below would hold for little."""
    events = [event for seed in MANY for event in a_timed_life(seed).played.events]
    assert {event.type for event in events} >= ABOUT_TIME
    assert BY_TYPE.keys() >= ABOUT_TIME
    reasons = {event.reason for event in events if isinstance(event, GameAbandoned)}
    assert reasons >= {"left", "voted", "deserted"}
    assert any(a_timed_life(seed).played.game().phase == "ended" for seed in MANY)


@every_life
def test_whoever_is_asked_has_one_deadline_for_it_and_nobody_else_has_one(life: Timed) -> None:
    ends = set(life.played.step_ends())
    for envelope, game in life.moments():
        if envelope.version not in ends or game.is_over:
            continue
        runs = game.phase != "inviting" and not game.paused_until
        for seat, state in enumerate(game.seats):
            deadline = state.time.deadline
            assert (deadline is not None) == (runs and seat in game.awaited), (envelope, seat)
            assert deadline is None or deadline.turn == state.turn


@every_life
def test_a_deadline_lies_in_the_future_and_where_time_counts(life: Timed) -> None:
    for envelope, game in life.moments():
        event = envelope.data
        if isinstance(event, DeadlineSet):
            assert event.reserve_from <= event.at
            assert event.at > envelope.at or is_late_already(life, envelope)
            at = time_of(event.at)
            assert calendar_of(game, event.seat).advance(at, 0) == at


def is_late_already(life: Timed, envelope: Envelope) -> bool:
    """A deadline that had passed before its step, and is told anew because the calendar has changed."""
    event = envelope.data
    assert isinstance(event, DeadlineSet)
    start = max(version for version in [0, *life.played.step_ends()] if version < envelope.version)
    deadline = life.played.game(start).seats[event.seat].time.deadline
    return deadline is not None and deadline.turn == event.turn and deadline.at <= envelope.at


@every_life
def test_nobody_has_less_than_the_move_time_for_a_decision(life: Timed) -> None:
    """Of time that counts, from the moment when it is asked."""
    known: set[tuple[int, int]] = set()
    for envelope, game in life.moments():
        event = envelope.data
        if isinstance(event, DeadlineSet) and (event.seat, event.turn) not in known:
            known.add((event.seat, event.turn))
            assert game.clock is not None
            calendar = calendar_of(game, event.seat)
            time = calendar.elapsed(time_of(envelope.at), time_of(event.reserve_from))
            assert game.clock.move <= time <= game.clock.move + 60
            reserve = calendar.elapsed(time_of(event.reserve_from), time_of(event.at))
            assert game.seats[event.seat].time.reserve <= reserve <= game.seats[event.seat].time.reserve + 60


@every_life
def test_a_reserve_is_spent_once_and_never_overdrawn(life: Timed) -> None:
    left: dict[int, int] = {}
    for envelope, game in life.moments():
        event = envelope.data
        if isinstance(event, ReserveSpent):
            assert game.clock is not None
            before = left.get(event.seat, game.clock.reserve)
            assert (event.seconds, event.left) == (before - event.left, before - event.seconds)
            assert event.seconds > 0
            assert event.left >= 0
            left[event.seat] = event.left


@every_life
def test_after_a_time_out_without_reserve_left_there_is_none(life: Timed) -> None:
    for envelope, _ in life.moments():
        event = envelope.data
        if isinstance(event, TurnTimedOut):
            end = next(version for version in life.played.step_ends() if version >= envelope.version)
            after = life.played.game(end)
            assert after.is_over or after.seats[event.seat].time.reserve == 0


@every_life
def test_nobody_at_the_table_has_missed_two_in_a_row(life: Timed) -> None:
    ends = set(life.played.step_ends())
    for envelope, game in life.moments():
        if envelope.version in ends:
            assert all(game.seats[seat].time.missed < MISSES for seat in game.humans)


@every_life
def test_nobody_is_away_for_longer_than_the_game_allows(life: Timed) -> None:
    for _, game in life.moments():
        assert game.clock is None or all(seat.time.away_spent <= game.clock.away for seat in game.seats)


@every_life
def test_mice_and_cards_are_those_of_the_players_after_every_event(life: Timed) -> None:
    for _, game in life.moments():
        if game.round:
            on_cards = sum(game.mice_on_cards[game.taken :])
            assert sum(seat.mice for seat in game.seats) + game.bank + on_cards == ALL_MICE[len(game.players)]
            held = [len([*seat.hand, *seat.won]) + (seat.placed is not None) for seat in game.seats]
            boxed = len(game.players) + (game.dummy_boxed is not None) + len(game.box) + len(game.dummy)
            assert sum(held) + boxed == len(FULL_SET) * max(4, len(game.players))


@pytest.mark.slow
@every_life
def test_a_game_is_sound_after_every_transaction(life: Timed) -> None:
    ends = life.played.step_ends()
    for version in [*ends[:: 1 + len(ends) // 8], life.played.size]:
        assert audit(life.played.until(version).evidence).findings == []


@every_life
def test_what_was_due_is_not_due_again(life: Timed) -> None:
    """The same at the same moment; an extension is another one, and a seat may be asked anew for its card."""
    for command, now, version in life.steps:
        if isinstance(
            command, c.TimeOut | c.BeginAbsence | c.EndAbsence | c.EndPause | c.Recall | c.Resume | c.Close
        ):
            again = decide(command, life.played.game(version), Context(life.dice, now))
            assert isinstance(again, Refusal) or (isinstance(command, c.Resume) and again), command


@every_life
def test_a_view_knows_what_is_welcome(life: Timed) -> None:
    ends = life.played.step_ends()
    for version in ends[:: 1 + len(ends) // 3]:
        expect_welcome(life.played.game(version))


@every_life
def test_time_stands_still_for_disputes_for_two_days_at_most_in_all(life: Timed) -> None:
    """And by so much, and no more, a deadline moves: what was left of it is as long as before."""
    total = 0
    raised_at: dict[int, str] = {}
    for envelope, game in life.moments():
        event = envelope.data
        if isinstance(event, DisputeRaised):
            raised_at[event.seat] = envelope.at
            assert event.stopped == total
            assert game.still is None or total + seconds_between(*game.still) == LONGEST_STOP
            assert len(game.disputes) <= AT_ONCE
        elif isinstance(event, DisputeSettled):
            del raised_at[event.seat]
            assert total <= event.stopped <= LONGEST_STOP
            total = event.stopped
            assert (game.still is None) or raised_at
        assert {one.seat for one in game.disputes} == set(raised_at)


@every_life
def test_who_is_waited_for_has_as_much_time_after_a_dispute_as_before_it(life: Timed) -> None:
    games = [initial_state()]
    for _, game in life.moments():
        games.append(game.copy())
    ends = life.played.step_ends()
    for version, envelope in enumerate(life.played.envelopes, 1):
        if not isinstance(envelope.data, DisputeRaised | DisputeSettled) or games[version - 1].is_over:
            continue
        before, after = games[version - 1], games[min(end for end in ends if end >= version)]
        if after.is_over:
            continue
        for seat, deadline in running(before):
            left = [
                calendar_of(game, seat).elapsed(time_of(envelope.at), time_of(due.at))
                for game, due in ((before, deadline), (after, dict(running(after))[seat]))
            ]
            assert 0 <= left[0] - left[1] < 60  # that many seconds a reserve was rounded up
