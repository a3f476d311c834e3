"""State from events: `evolve` for one, `fold` for many, `apply` in place.

They check nothing, ask no clock, and draw nothing: what an event says has happened, and any event that
speaks of the seats at this table can be applied. (One that names a seat that is not there is IndexError.)
Each event touches only what it names, so that what everybody sees follows from what everybody was told.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from felix_async.clock import later
from felix_async.game.cards import MATERIAL, ROUNDS
from felix_async.game.state import (
    NO_TIME,
    Absence,
    Deadline,
    Dispute,
    Game,
    SeatState,
    SeatTime,
    initial_state,
)
from felix_events import model as m
from felix_events.disputes import LONGEST_STOP


def evolve(game: Game, event: m.Event) -> Game:
    """Return the state after one more event; the state given stays as it was."""
    return fold((event,), game)


def fold(events: Iterable[m.Event], start: Game | None = None) -> Game:
    """Return the state after these events, from the beginning or from `start`."""
    game = initial_state() if start is None else start.copy()
    for event in events:
        apply(game, event)
    return game


def apply(game: Game, event: m.Event) -> None:
    """Change a state that the caller made and nobody else has seen; everybody else uses `fold`."""
    _APPLY[type(event)](game, event)
    game.version += 1


def _game_created(game: Game, event: m.GameCreated) -> None:
    game.phase = "inviting"
    game.ruleset = event.ruleset
    game.options = event.options
    game.commitment = event.commitment
    game.seats = [SeatState(player_id) for player_id in event.seats]
    _seat_players(game, list(range(len(event.seats))))


def _host_named(game: Game, event: m.HostNamed) -> None:
    game.host = event.seat


def _clock_set(game: Game, event: m.ClockSet) -> None:
    game.clock = event.terms
    for seat in game.seats:
        seat.time = replace(seat.time, reserve=event.terms.reserve)


def _player_invited(game: Game, event: m.PlayerInvited) -> None:
    game.seats[event.seat].answer = "invited"


def _player_joined(game: Game, event: m.PlayerJoined) -> None:
    seat = game.seats[event.seat]
    seat.answer = "joined"
    seat.contribution = event.contribution


def _player_declined(game: Game, event: m.PlayerDeclined) -> None:
    game.seats[event.seat].answer = "declined"


def _player_uninvited(game: Game, event: m.PlayerUninvited) -> None:
    game.seats[event.seat].answer = "uninvited"


def _invitation_expired(game: Game, event: m.InvitationExpired) -> None:
    game.seats[event.seat].answer = "expired"


def _game_started(game: Game, event: m.GameStarted) -> None:
    game.phase = "between"
    game.start_seat = event.start_seat
    for seat in game.answered("invited"):
        # Anybody who has not answered by now is too late.
        game.seats[seat].answer = "uninvited"
    _seat_players(game, game.answered("joined"))
    for state in game.seats:
        if state.answer != "joined":
            # The material is that of those who play, and so is the time.
            state.mice = 0
            state.time = NO_TIME


def _hand_dealt(game: Game, event: m.HandDealt) -> None:
    seat = game.seats[event.seat]
    seat.hand = event.cards.copy()
    seat.boxed = event.boxed


def _dummy_dealt(game: Game, event: m.DummyDealt) -> None:
    game.dummy = event.pile.copy()
    game.dummy_boxed = event.boxed


def _round_started(game: Game, event: m.RoundStarted) -> None:
    game.phase = "placing"
    game.round = event.round
    game.start_seat = event.start_seat
    game.mice_on_cards = event.mice_on_cards
    game.bank = event.bank
    game.taken = 0
    game.high_bid = 0
    game.to_move = None
    game.bidders = game.players
    game.fill_next = True
    asked = 0 if event.round == ROUNDS else 1
    for number in game.players:
        seat = game.seats[number]
        seat.bid = 0
        seat.passed = False
        seat.turn += asked


def _card_placed(game: Game, event: m.CardPlaced) -> None:
    seat = game.seats[event.seat]
    if seat.placed is not None:
        seat.hand.append(seat.placed)
    if event.card in seat.hand:
        seat.hand.remove(event.card)
    seat.placed = event.card
    seat.has_placed = True
    if game.round != ROUNDS:
        # The last card is placed by the rules: nobody decided anything.
        _decided(seat, "card")


def _cards_turned(game: Game, event: m.CardsTurned) -> None:
    game.turned += event.cards
    if game.phase == "placing":
        game.phase = "bidding"
        _ask(game, game.start_seat)


def _bid_placed(game: Game, event: m.BidPlaced) -> None:
    seat = game.seats[event.seat]
    seat.bid = event.amount
    _decided(seat, "bid")
    game.high_bid = event.amount
    _ask_next(game, event.seat)


def _player_passed(game: Game, event: m.PlayerPassed) -> None:
    seat = game.seats[event.seat]
    if not game.must_pass(event.seat):
        # Of a pass that the rules make nobody decided anything.
        _decided(seat, "pass")
    seat.passed = True
    seat.bid = 0
    game.bidders = [bidder for bidder in game.bidders if bidder != event.seat]
    seat.mice += event.mice
    game.taken += 1
    _ask_next(game, event.seat)


def _sack_sold(game: Game, event: m.SackSold) -> None:
    seat = game.seats[event.seat]
    seat.mice -= event.price
    seat.won += event.prize
    game.bank += event.price
    game.start_seat = event.seat
    _clear_row(game, event.prize)


def _sack_discarded(game: Game, event: m.SackDiscarded) -> None:
    game.fill_next = False
    _clear_row(game, [])


def _seat_handed_over(game: Game, event: m.SeatHandedOver) -> None:
    seat = game.seats[event.seat]
    seat.computer = event.to == "computer"
    seat.gone = event.for_good
    if seat.computer:
        seat.time = replace(seat.time, deadline=None)
        game.votes = frozenset(vote for vote in game.votes if vote[1] != event.seat)
    else:
        absence = seat.time.absence
        absence = None if absence is None else replace(absence, covering=False)
        seat.time = replace(seat.time, missed=0, absence=absence)


def _seat_taken(game: Game, event: m.SeatTaken) -> None:
    """The new player has the whole reserve, and has not been away."""
    seat = game.seats[event.seat]
    game.former |= {(event.seat, seat.player_id)}
    seat.player_id = event.player_id
    seat.computer = seat.gone = False
    seat.moves = {}
    seat.time = NO_TIME if game.clock is None else SeatTime(reserve=game.clock.reserve)


def _deadline_set(game: Game, event: m.DeadlineSet) -> None:
    seat = game.seats[event.seat]
    seat.time = replace(seat.time, deadline=Deadline(event.turn, event.reserve_from, event.at))


def _reserve_spent(game: Game, event: m.ReserveSpent) -> None:
    seat = game.seats[event.seat]
    seat.time = replace(seat.time, reserve=event.left)


def _turn_timed_out(game: Game, event: m.TurnTimedOut) -> None:
    seat = game.seats[event.seat]
    seat.time = replace(seat.time, deadline=None, missed=event.in_a_row, defaulted=True)


def _absence_declared(game: Game, event: m.AbsenceDeclared) -> None:
    seat = game.seats[event.seat]
    covering = seat.time.absence is not None and seat.time.absence.covering
    absence = Absence(event.start, event.back, event.computer, covering=covering)
    seat.time = replace(seat.time, absence=absence, away_spent=event.spent)


def _absence_began(game: Game, event: m.AbsenceBegan) -> None:
    seat = game.seats[event.seat]
    absence = seat.time.absence
    if absence is not None:
        absence = replace(absence, began=True, covering=absence.covering or not seat.computer)
        seat.time = replace(seat.time, absence=absence)


def _absence_ended(game: Game, event: m.AbsenceEnded) -> None:
    seat = game.seats[event.seat]
    seat.time = replace(seat.time, absence=None, away_spent=event.spent)


def _player_said(game: Game, event: m.PlayerSaid) -> None:
    """Words change nothing."""


def _server_restored(game: Game, event: m.ServerRestored) -> None:
    """What was lost with the old database is in no log."""


def _vote_cast(game: Game, event: m.VoteCast) -> None:
    game.votes |= {(event.on, event.seat)}


def _votes_withdrawn(game: Game, event: m.VotesWithdrawn) -> None:
    game.votes = frozenset(vote for vote in game.votes if vote[1] != event.seat)


def _game_paused(game: Game, event: m.GamePaused) -> None:
    game.paused_until = event.until
    game.votes = frozenset()
    for seat in game.seats:
        seat.time = replace(seat.time, deadline=None)


def _game_resumed(game: Game, _event: m.GameResumed) -> None:
    game.paused_until = ""


def _dispute_raised(game: Game, event: m.DisputeRaised) -> None:
    game.seats[event.seat].moves.pop(event.turn, None)
    game.disputes += (Dispute(event.seat, event.turn, event.what, event.lapses),)
    game.stopped = event.stopped
    left = LONGEST_STOP - event.stopped
    game.still = (later(event.until, -left), event.until) if event.until and left else None


def _dispute_settled(game: Game, event: m.DisputeSettled) -> None:
    game.disputes = tuple(one for one in game.disputes if one.seat != event.seat)
    game.votes = frozenset(vote for vote in game.votes if vote[0] != f"seat {event.seat}")
    game.stopped = event.stopped
    if not game.disputes:
        game.still = None


def _game_ended(game: Game, event: m.GameEnded) -> None:
    game.phase = "ended"
    game.scores = event.scores
    game.winners = event.winners


def _game_abandoned(game: Game, event: m.GameAbandoned) -> None:
    game.phase = "abandoned"
    game.reason = event.reason
    game.to_move = None


def _seat_logs_closed(game: Game, event: m.SeatLogsClosed) -> None:
    """The seats' own logs change nothing at the table."""


def _seed_revealed(game: Game, event: m.SeedRevealed) -> None:
    game.seed = event.seed


def _seat_players(game: Game, players: list[int]) -> None:
    """These seats play: the bank and the auction are theirs."""
    game.players = players
    game.bidders = players
    if len(players) in MATERIAL:
        game.bank = game.material.bank


def _decided(seat: SeatState, what: m.Denied) -> None:
    """The decision is made; unless time ran out for it, the seat has missed none, and made a move."""
    if not (seat.computer or seat.time.defaulted):
        seat.moves[seat.turn] = what
    if seat.time is NO_TIME:
        return
    missed = seat.time.missed if seat.time.defaulted else 0
    seat.time = replace(seat.time, deadline=None, missed=missed, defaulted=False)


def _ask(game: Game, seat: int | None) -> None:
    game.to_move = seat
    if seat is not None:
        game.seats[seat].turn += 1


def _ask_next(game: Game, after: int) -> None:
    """The next seat clockwise that is still in, unless the auction is decided."""
    bidders = game.bidders
    if not bidders or (len(bidders) == 1 and game.high_bid):
        _ask(game, None)
    else:
        _ask(game, bidders[bisect(bidders, after) % len(bidders)])


def _clear_row(game: Game, kept: list[m.Card]) -> None:
    """Take the row off the table; what nobody keeps goes to the box."""
    game.phase = "between"
    game.to_move = None
    gone = game.turned.copy()
    for card in kept:
        if card in gone:
            gone.remove(card)
    game.box += gone
    game.turned = []
    game.dummy = game.dummy[1:]
    for seat in game.seats:
        seat.placed = None
        seat.has_placed = False


_APPLY: dict[type[m.Event], Callable[[Game, Any], None]] = {
    event: globals()[f"_{event.type}"] for event in m.EVENTS
}
"""The function for an event is named like its type."""
