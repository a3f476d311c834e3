"""What holds whatever people do: tables with a host, late guests, players who leave, come back and talk.

The examples are the same in every run, so that a red test is red for everybody.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from random import Random

import pytest
from hypothesis import given

from anything import RULESETS, expect_welcome, seeds
from felix_async.audit.audit import audit
from felix_async.draw import Dice
from felix_async.game import commands as c
from felix_async.game.folding import apply, fold
from felix_async.game.rules import Context, Refusal, decide
from felix_async.game.state import Game, initial_state
from felix_async.game.views import choices
from felix_events import timing
from felix_events.model import BY_TYPE, GameAbandoned, GameEnded, GameStarted, HandDealt
from games import NAMES, Played, a_room, joining
from golden.courses import saying
from table import ALL_MICE, FULL_SET


@dataclass(frozen=True)
class Step:
    """A command that did something, the state before it, and the log's size right after it.

    Then the computer went on for those who are away.
    """

    command: c.Command
    before: Game
    version: int


@dataclass(frozen=True)
class Life:
    """A game as far as its people brought it, and the steps that they took."""

    played: Played
    steps: list[Step]
    context: Context

    def states(self) -> Iterator[Game]:
        """After every event; the next one takes its place."""
        game = initial_state()
        for event in self.played.events:
            apply(game, event)
            yield game


@cache
def a_life(seed: int) -> Life:
    """People do whatever comes to their mind; how restless they are differs from game to game."""
    chance = Random(seed)
    seats = chance.randint(3, 5)
    host = chance.choice([None, *range(seats)])
    restless = chance.choice([0.03, 0.15, 0.5])
    moody = chance.choice([0.2, 0.2, 1.0])
    room = a_room(f"life/{seed}")
    game_id = room.open(seats, ruleset=chance.choice(RULESETS), host=host)
    with room.store.read() as reader:
        row = reader.game(game_id)
    assert row is not None
    assert row.seed is not None
    steps: list[Step] = []
    for _ in range(400):
        with room.store.read() as reader:
            game = room.service.load(reader, game_id)
        if game.is_over:
            break
        # Else hardly a restless table would come to play.
        whims = restless / 3 if game.phase == "inviting" else restless
        wanted = a_whim(game, chance, moody) if chance.random() < whims else a_duty(game, chance)
        outcome = room.do(game_id, wanted)
        if outcome.events:
            steps.append(Step(wanted, game, outcome.version))
    return Life(
        Played(game_id, room.evidence(game_id), NAMES[:seats]), steps, Context(Dice(game_id, row.seed))
    )


MANY = range(240)
every_life = given(seeds(len(MANY), few=12).map(a_life))


def a_whim(game: Game, chance: Random, moody: float) -> c.Command:
    """Anything that is no move, by anybody, whether it is allowed or not; the moody mostly resign."""
    seat, other = chance.randrange(len(game.seats)), chance.randrange(len(game.seats))
    host = seat if game.host is None else game.host
    rare: list[c.Command] = [c.Cancel(seat=host), c.Close(), c.Decline(seat=seat)]
    often: list[c.Command] = [
        saying(seat, f"{chance.random()}"),
        c.Leave(seat=seat, for_good=False),
        c.Leave(seat=seat, for_good=chance.random() < moody),
        c.Return(seat=seat),
        c.Return(seat=other),
        c.NameHost(seat=host, to=other),
        c.Uninvite(seat=host, whom=other),
        c.Expire(seat=other),
        c.Start(seat=host),
        c.Restore(),
    ]
    return chance.choice(rare if chance.random() < 0.1 else often)


def a_duty(game: Game, chance: Random) -> c.Command:
    """What somebody is asked for; where nobody is there to be asked, somebody comes back."""
    if game.phase == "inviting":
        return joining(chance.choice(game.asked)) if game.asked else c.Start(seat=game.host or 0)
    here = [seat for seat in game.asked if not game.seats[seat].computer]
    if not here:
        return c.Return(seat=chance.choice(game.players))
    seat = chance.choice(here)
    able = choices(game, seat)
    if able.plays:
        return c.Play(seat=seat, card=chance.choice(able.plays))
    if able.bids is None or chance.random() < 0.6:
        return c.Pass(seat=seat)
    return c.Bid(seat=seat, amount=able.bids[0])


def cards_of(game: Game) -> Counter[object]:
    cards: Counter[object] = Counter([*game.dummy, game.dummy_boxed, *game.box])
    for seat in game.seats:
        cards.update([*seat.hand, seat.boxed, seat.placed, *seat.won])
    del cards[None]
    return cards


@pytest.mark.slow
def test_lives_of_every_kind_are_among_them() -> None:
    """Else the tests below would hold for little."""
    lives = [a_life(seed) for seed in MANY]
    events = [event for life in lives for event in life.played.events]
    # Lives have no clock, which test_properties_time.py has, and no substitutes.
    untimed = {kind for kind, event in BY_TYPE.items() if event.__module__ != timing.__name__}
    assert {event.type for event in events} == untimed - {"seat_taken"}
    reasons = {event.reason for event in events if isinstance(event, GameAbandoned)}
    assert reasons == {"declined", "cancelled", "expired", "left"}
    ends = [life.played.game() for life in lives]
    assert {(len(game.seats), len(game.players)) for game in ends if game.phase == "ended"} >= {
        (3, 3),
        (4, 3),
        (4, 4),
        (5, 3),
        (5, 4),
        (5, 5),
    }
    assert [game for life in lives for game in [step.before for step in life.steps] if at_rest(game)]


def at_rest(game: Game) -> bool:
    """Everybody has left for a while."""
    return game.standing == "running" and not game.humans


@every_life
def test_mice_and_cards_are_those_of_the_players_after_every_event(life: Life) -> None:
    for game in life.states():
        if game.round:
            sets = max(4, len(game.players))
            on_cards = sum(game.mice_on_cards[game.taken :])
            assert sum(seat.mice for seat in game.seats) + game.bank + on_cards == ALL_MICE[len(game.players)]
            assert cards_of(game) == Counter(dict.fromkeys(FULL_SET, sets))


@pytest.mark.slow
@every_life
def test_a_game_is_sound_after_every_transaction(life: Life) -> None:
    ends = life.played.step_ends()
    for version in [*ends[:: 1 + len(ends) // 12], life.played.size]:
        assert audit(life.played.until(version).evidence).findings == []


@every_life
def test_the_same_again_does_nothing_except_words_and_a_restore(life: Life) -> None:
    """And except a last bid of 1 that buys the eighth sack: its seat is asked anew."""
    for step in life.steps:
        if isinstance(step.command, c.Say | c.Restore) or step.before.round == 8:
            continue
        again = decide(step.command, life.played.game(step.version), life.context)
        assert again == [] or isinstance(again, Refusal), step.command


@every_life
def test_a_table_that_has_a_host_keeps_one_who_is_there(life: Life) -> None:
    """In a running game one who plays and is at the table, as long as somebody is."""
    for end in life.played.step_ends():
        game = life.played.game(end)
        if game.host is None or game.is_over:
            continue
        if game.phase == "inviting":
            assert game.seats[game.host].answer in ("invited", "joined")
        else:
            assert game.host in (game.humans or game.players)


@every_life
def test_whoever_is_asked_is_at_the_table_or_nobody_is(life: Life) -> None:
    """Between two mails the computer has nothing left to do."""
    for step, following in zip(life.steps, [*life.steps[1:], None], strict=True):
        settled = life.played.game() if following is None else following.before
        if settled.phase in ("placing", "bidding") and settled.humans:
            assert settled.asked, step.command
            assert not [seat for seat in settled.asked if settled.seats[seat].computer], step.command


@every_life
def test_who_does_not_play_has_no_part_in_the_game(life: Life) -> None:
    game = life.played.game()
    for seat in set(range(len(game.seats))) - set(game.players):
        state = game.seats[seat]
        assert (state.hand, state.boxed, state.won, state.turn, state.computer) == ([], None, [], 0, False)


@every_life
def test_those_who_had_joined_at_the_start_play_and_are_scored(life: Life) -> None:
    for version in life.played.versions("game_started"):
        joined = life.played.game(version - 1).answered("joined")
        dealt = [event.seat for event in life.played.events if isinstance(event, HandDealt)]
        assert life.played.game(version).players == joined == dealt
        start = life.played.events[version - 1]
        assert isinstance(start, GameStarted)
        assert start.start_seat in joined
        for event in life.played.events:
            if isinstance(event, GameEnded):
                scored = [seat for seat, score in enumerate(event.scores) if score is not None]
                assert scored == joined
                assert set(event.winners) <= set(joined)


@every_life
def test_the_state_is_what_the_log_says_however_it_is_cut(life: Life) -> None:
    log = life.played.events
    whole = fold(log)
    for split in range(0, len(log) + 1, 7):
        assert fold(log[split:], fold(log[:split])) == whole


@every_life
def test_a_view_knows_what_is_welcome(life: Life) -> None:
    ends = life.played.step_ends()
    for version in ends[:: 1 + len(ends) // 3]:
        expect_welcome(life.played.game(version))
