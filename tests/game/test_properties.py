"""What holds in every game: random legal games, with 3, 4 and 5 players, under both rulesets.

The examples are the same in every run, so that a red test is red for everybody.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from anything import ANY_COMMAND, foreign_events
from felix_async.draw import Dice, commit
from felix_async.game.commands import Bid, Command, Create, Join, Pass, Play
from felix_async.game.folding import evolve, fold
from felix_async.game.rules import Context, Refusal, decide
from felix_async.game.state import Game, initial_state
from felix_events import model as m
from table import (
    ALL_MICE,
    ANNA,
    BEN,
    CARA,
    CONTEXT,
    DAN,
    FULL_SET,
    GAME_ID,
    PLAYERS,
    WORDS,
    a_game,
    by_all,
)

RULESETS: list[m.Ruleset] = ["felicity-2017", "felix-2007"]


@dataclass(frozen=True)
class Move:
    """A command, the state that it met, and what came of it."""

    command: Command
    before: Game
    events: list[m.Event]
    after: Game


@dataclass(frozen=True)
class Played:
    """A whole game, and the dice that it was played with."""

    moves: list[Move]
    context: Context

    @property
    def log(self) -> list[m.Event]:
        return [event for move in self.moves for event in move.events]

    @property
    def end(self) -> Game:
        return self.moves[-1].after


@st.composite
def games(draw: st.DrawFn) -> Played:
    """A game from the creation to the end; how eager the players are to bid differs from game to game."""
    seats = draw(st.integers(3, 5))
    ruleset = draw(st.sampled_from(RULESETS))
    options = m.Options(forced_pass=draw(st.booleans()))
    eagerness = draw(st.sampled_from([0.0, 0.1, 0.5, 0.9]))
    chance = Random(draw(st.integers(0, 2**32)))
    context = Context(Dice(GAME_ID, chance.randbytes(32)))
    moves: list[Move] = []
    game = initial_state()
    players = list(PLAYERS[:seats])
    opening: list[Command] = [
        Create(
            ruleset=ruleset,
            seats=players,
            options=options,
            commitment=commit(GAME_ID, context.dice.seed),
        ),
        *[Join(seat=seat, contribution=WORDS[seat]) for seat in chance.sample(range(seats), seats)],
    ]
    while opening or not game.is_over:
        command = opening.pop(0) if opening else a_move(game, chance, eagerness)
        answer = decide(command, game, context)
        assert isinstance(answer, list), f"{command!r}: {answer}"
        after = fold(answer, game)
        moves.append(Move(command, game, answer, after))
        game = after
    return Played(moves, context)


def a_move(game: Game, chance: Random, eagerness: float) -> Command:
    """What one of the seats that are asked may do; now and then a card is exchanged."""
    if game.phase == "placing":
        seat = chance.randrange(len(game.seats))
        if game.seats[seat].has_placed and chance.random() < 0.8:
            seat = chance.choice(game.asked)
        return Play(seat=seat, card=chance.choice(game.seats[seat].hand))
    (seat,) = game.asked
    low, high = game.high_bid + 1, game.seats[seat].mice
    if low > high or chance.random() >= eagerness:
        return Pass(seat=seat)
    last = game.bidders == [seat]
    return Bid(seat=seat, amount=1 if last else chance.randint(low, min(high, low + 3)))


def all_states(played: Played) -> list[tuple[m.Event, Game]]:
    """Each event with the state after it."""
    game, states = initial_state(), []
    for event in played.log:
        game = evolve(game, event)
        states.append((event, game))
    return states


# ---- what is there stays there ----------------------------------------------------------------------
@given(games())
def test_mice_are_neither_made_nor_lost(played: Played) -> None:
    """Purses, bank, and what lies on the mouse cards: 66, 87 or 108, after every event."""
    for event, game in all_states(played):
        on_cards = sum(game.mice_on_cards[game.taken :])
        assert sum(seat.mice for seat in game.seats) + game.bank + on_cards == ALL_MICE[len(game.seats)], (
            event
        )


@given(games())
def test_nobody_owns_less_than_nothing(played: Played) -> None:
    for event, game in all_states(played):
        assert min([game.bank, *[seat.mice for seat in game.seats]]) >= 0, event


@given(games())
def test_cards_are_neither_made_nor_lost(played: Played) -> None:
    """A full set for each seat, and one for the dummy with 3 players, after every event from round 1 on."""
    sets = 4 if len(played.end.seats) == 3 else len(played.end.seats)
    everything = Counter(dict.fromkeys(FULL_SET, sets))
    for event, game in all_states(played):
        if game.round:
            assert cards_of(game) == everything, event


def cards_of(game: Game) -> Counter[m.Card | None]:
    cards: Counter[m.Card | None] = Counter([*game.dummy, game.dummy_boxed, *game.box])
    for seat in game.seats:
        cards.update([*seat.hand, seat.boxed, seat.placed, *seat.won])
    del cards[None]
    return cards


@given(games())
def test_dogs_are_never_won(played: Played) -> None:
    won = {card for seat in played.end.seats for card in seat.won}
    assert not won & {"large_dog", "small_dog"}


# ---- decide -----------------------------------------------------------------------------------------
@given(games())
def test_the_same_move_again_does_nothing(played: Played) -> None:
    """Except where a seat is asked the very same anew, which the next tests show."""
    for move in played.moves:
        if leads_the_same_seat_into_round_9(move):
            continue
        again = decide(move.command, move.after, played.context)
        assert again == [] or isinstance(again, Refusal), move


def test_the_buyer_of_an_unbid_sack_in_round_8_may_say_the_same_in_round_9() -> None:
    """Dan buys for 1 and starts round 9, where he is asked anew: his turn count tells the two bids apart."""
    eighth = a_game().in_round(8).in_auction().after(Pass(seat=ANNA), Pass(seat=BEN), Pass(seat=CARA))
    ninth = eighth.after(Bid(seat=DAN, amount=1))
    assert decide(Bid(seat=DAN, amount=1), ninth.game, CONTEXT) == [m.BidPlaced(seat=DAN, amount=1)]
    assert ninth.game.seats[DAN].turn == eighth.game.seats[DAN].turn + 1


def test_who_buys_in_round_8_because_nobody_can_go_higher_may_say_the_same_in_round_9() -> None:
    """Anna bids 5, nobody else has as much, and she starts round 9: her turn count tells the two apart."""
    eighth = a_game().in_round(8).with_mice({BEN: 3, CARA: 3, DAN: 3}).with_empty_mouse_cards().in_auction()
    ninth = eighth.after(Bid(seat=ANNA, amount=5))
    assert isinstance(decide(Bid(seat=ANNA, amount=5), ninth.game, CONTEXT), list)
    assert ninth.game.seats[ANNA].turn == eighth.game.seats[ANNA].turn + 1


def leads_the_same_seat_into_round_9(move: Move) -> bool:
    """There the cards are placed by the rules, so that it may be asked for a bid again."""
    seat = getattr(move.command, "seat", None)
    return move.before.round == 8 and move.after.round == 9 and move.after.to_move == seat


@given(games(), st.randoms(use_true_random=False))
def test_deciding_changes_no_state(played: Played, chance: Random) -> None:
    move = chance.choice(played.moves)
    before = repr(move.before)
    decide(move.command, move.before, played.context)
    assert repr(move.before) == before


@given(games())
def test_deciding_twice_gives_the_same_answer(played: Played) -> None:
    for move in played.moves:
        assert decide(move.command, move.before, played.context) == move.events


@given(games(), st.lists(ANY_COMMAND, min_size=20, max_size=20), st.randoms(use_true_random=False))
def test_any_command_at_any_time_gets_an_answer(
    played: Played, commands: list[Command], chance: Random
) -> None:
    """Events that the fold takes, or a refusal that is a sentence."""
    for command in commands:
        game = chance.choice(played.moves).after
        answer = decide(command, game, CONTEXT)
        if isinstance(answer, Refusal):
            assert str(answer).endswith(".")
        else:
            assert fold(answer, game).version == game.version + len(answer)


# ---- fold -------------------------------------------------------------------------------------------
@given(games())
def test_folding_in_two_parts_is_folding_at_once(played: Played) -> None:
    log = played.log
    whole = fold(log)
    for split in range(len(log) + 1):
        assert fold(log[split:], fold(log[:split])) == whole, split


@given(games())
def test_the_state_played_on_is_the_state_folded_from_the_log(played: Played) -> None:
    assert fold(played.log) == played.end


@given(games())
def test_the_version_is_the_number_of_events(played: Played) -> None:
    assert [game.version for _, game in all_states(played)] == list(range(1, len(played.log) + 1))


@given(games())
def test_folding_on_never_changes_an_earlier_state(played: Played) -> None:
    game, states = initial_state(), []
    for event in played.log:
        states.append((game, repr(game)))
        game = evolve(game, event)
    assert all(repr(state) == text for state, text in states)


@given(games())
def test_folding_never_changes_an_event(played: Played) -> None:
    log = played.log
    before = repr(log)
    fold(log)
    assert repr(log) == before


@given(games(), st.data())
def test_the_fold_takes_any_event_about_the_table_at_any_time(played: Played, data: st.DataObject) -> None:
    """What an event says has happened, even where the rules could not have said it."""
    state = data.draw(st.sampled_from([move.after for move in played.moves]))
    before = repr(state)
    events = data.draw(st.lists(foreign_events(len(state.seats)), max_size=12))
    assert fold(events, state).version == state.version + len(events)
    assert repr(state) == before


# ---- the end ----------------------------------------------------------------------------------------
@given(games())
def test_a_game_has_nine_rounds_and_nine_sacks(played: Played) -> None:
    log = played.log
    rounds = [event.round for event in log if isinstance(event, m.RoundStarted)]
    sacks = [event for event in log if isinstance(event, m.SackSold | m.SackDiscarded)]
    assert (rounds, len(sacks)) == ([1, 2, 3, 4, 5, 6, 7, 8, 9], 9)


@given(games())
def test_a_game_ends_with_the_scores_and_the_seed(played: Played) -> None:
    assert [event.type for event in played.log[-3:]] == ["game_ended", "seat_logs_closed", "seed_revealed"]
    assert played.end.seed == played.context.dice.seed.hex()


@given(games())
def test_all_cards_are_played_at_the_end(played: Played) -> None:
    assert [seat.hand for seat in played.end.seats] == [[]] * len(played.end.seats)


@given(games())
def test_the_scores_are_what_the_seats_own(played: Played) -> None:
    for seat, score in zip(played.end.seats, by_all(played.end.scores), strict=True):
        cats = sum(card for card in seat.won if isinstance(card, int))
        assert (score.cats, score.mice, score.total) == (cats, seat.mice, cats + seat.mice)


@given(games())
def test_nobody_is_better_than_a_winner_and_nobody_as_good_is_left_out(played: Played) -> None:
    ranks = [(score.total, score.cats) for score in by_all(played.end.scores)]
    assert played.end.winners == [seat for seat, rank in enumerate(ranks) if rank == max(ranks)]


# ---- passes that the rules make ---------------------------------------------------------------------
def by_the_rules(played: Played) -> list[tuple[m.PlayerPassed, Game]]:
    """Each pass that nobody asked for, with the state that it met."""
    found = []
    for move in played.moves:
        game = move.before
        for place, event in enumerate(move.events):
            if isinstance(event, m.PlayerPassed) and (place or not isinstance(move.command, Pass)):
                found.append((event, game))
            game = evolve(game, event)
    return found


@given(games())
def test_the_rules_pass_for_nobody_who_could_bid(played: Played) -> None:
    for event, game in by_the_rules(played):
        assert event.seat == game.to_move
        assert game.seats[event.seat].mice < max(seat.bid for seat in game.seats) + 1


@given(games())
def test_the_rules_pass_only_where_the_table_has_agreed_on_it(played: Played) -> None:
    assert played.end.options.forced_pass or not by_the_rules(played)


@given(games())
def test_where_the_rules_pass_nobody_is_asked_who_could_only_pass(played: Played) -> None:
    for move in played.moves:
        game = move.after
        if game.options.forced_pass and game.phase == "bidding":
            (seat,) = game.asked
            assert game.seats[seat].mice > max(state.bid for state in game.seats)


@given(games())
def test_for_whom_the_rules_pass_follows_from_what_everybody_saw(played: Played) -> None:
    """Reckoned from the sheet: 15 mice each, what passes brought, prices, and the highest bid so far."""
    purses, highest = [15] * len(played.end.seats), 0
    for move in played.moves:
        for place, event in enumerate(move.events):
            match event:
                case m.RoundStarted():
                    highest = 0
                case m.BidPlaced():
                    highest = event.amount
                case m.SackSold():
                    purses[event.seat] -= event.price
                case m.PlayerPassed():
                    is_asked = place == 0 and isinstance(move.command, Pass)
                    can_bid = purses[event.seat] > highest
                    assert is_asked == (can_bid or not played.end.options.forced_pass)
                    purses[event.seat] += event.mice


@given(games())
def test_a_pass_of_the_rules_brings_what_any_pass_brings(played: Played) -> None:
    """The mice of the lowest mouse card that is left; the last seat of an unbid auction gets none."""
    for event, game in by_the_rules(played):
        on_cards = game.mice_on_cards[game.taken :]
        assert event.mice == (on_cards[0] if len(game.bidders) > 1 else 0)


# ---- while it runs ----------------------------------------------------------------------------------
@given(games())
def test_somebody_is_asked_until_the_game_is_over(played: Played) -> None:
    assert all(move.after.asked for move in played.moves[:-1])


@given(games())
def test_the_bank_fills_all_mouse_cards_or_none(played: Played) -> None:
    """None after an unsold sack, none where it is too poor, and all at any other time."""
    states = [initial_state(), *[game for _, game in all_states(played)]]
    for before, event in zip(states, played.log, strict=False):
        if isinstance(event, m.RoundStarted):
            filling = before.material.filling
            fills = before.bank >= filling and (not before.round or last_sack_was_sold(played, event))
            assert sum(event.mice_on_cards) == (filling if fills else 0)


def last_sack_was_sold(played: Played, round_started: m.RoundStarted) -> bool:
    sacks = [event for event in played.log if isinstance(event, m.SackSold | m.SackDiscarded)]
    return isinstance(sacks[round_started.round - 2], m.SackSold)


@given(games())
def test_the_buyer_starts_the_next_round_and_an_unsold_sack_changes_nothing(played: Played) -> None:
    start = None
    for event in played.log:
        if isinstance(event, m.GameStarted):
            start = event.start_seat
        if isinstance(event, m.SackSold):
            start = event.seat
        if isinstance(event, m.RoundStarted):
            assert event.start_seat == start
