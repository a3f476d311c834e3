"""What should happen in some golden game: each situation by its name, and how a game is seen to hold it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Final

from felix_async.game.cards import DOGS, is_cat
from felix_async.game.folding import evolve
from felix_async.game.state import Game, initial_state
from felix_events import model as m
from games import RULESETS, Played

Situation = Callable[[Played], bool]


def moments(played: Played) -> Iterator[tuple[Game, m.Event]]:
    """Every event, with the state that it met."""
    game = initial_state()
    for event in played.events:
        yield game, event
        game = evolve(game, event)


def unsold_rounds(played: Played) -> list[int]:
    return [game.round for game, event in moments(played) if isinstance(event, m.SackDiscarded)]


def has_an_unsold_sack(played: Played) -> bool:
    return bool(unsold_rounds(played))


def has_two_unsold_sacks_in_a_row(played: Played) -> bool:
    return any(second == first + 1 for first, second in pairwise(unsold_rounds(played)))


def has_an_unsold_ninth_sack(played: Played) -> bool:
    return 9 in unsold_rounds(played)


def has_a_bank_too_poor_to_fill(played: Played) -> bool:
    return any(
        isinstance(event, m.RoundStarted) and game.fill_next and not any(event.mice_on_cards)
        for game, event in moments(played)
    )


def has_a_last_seat_without_a_mouse_in_an_unbid_auction(played: Played) -> bool:
    return any(
        isinstance(event, m.PlayerPassed) and game.bidders == [event.seat] and not game.seats[event.seat].mice
        for game, event in moments(played)
    )


def can_only_pass(game: Game, event: m.Event) -> bool:
    """A seat in turn that has too few mice to bid passes."""
    return (
        isinstance(event, m.PlayerPassed)
        and game.to_move == event.seat
        and game.seats[event.seat].mice < game.high_bid + 1
    )


def has_a_pass_by_the_rules(played: Played) -> bool:
    """The rules pass for a seat that has too few mice, where nobody's time was up."""
    return any(
        can_only_pass(game, event) and envelope.actor == "rules"
        for (game, event), envelope in zip(moments(played), played.envelopes, strict=True)
    )


def has_two_passes_by_the_rules_in_one_step(played: Played) -> bool:
    """A card is turned over between them."""
    kinds = [can_only_pass(game, event) for game, event in moments(played)]
    step = zip(kinds, kinds[1:], kinds[2:], played.events[1:], strict=False)
    return any(one and two and isinstance(turned, m.CardsTurned) for one, _, two, turned in step)


def has_a_pass_by_the_rules_as_round_9_begins(played: Played) -> bool:
    """The buyer of round 8 has paid its last mouse."""
    return any(
        can_only_pass(game, event) and game.round == 9 and len(game.turned) == 1 and not game.high_bid
        for game, event in moments(played)
    )


def has_a_last_seat_that_buys_for_one_mouse(played: Played) -> bool:
    return any(
        isinstance(event, m.BidPlaced) and game.bidders == [event.seat] for game, event in moments(played)
    )


def has_a_card_exchanged(played: Played) -> bool:
    return any(
        isinstance(event, m.CardPlaced) and game.seats[event.seat].has_placed
        for game, event in moments(played)
    )


def has_two_cards_turned_together(played: Played) -> bool:
    return any(isinstance(event, m.CardsTurned) and len(event.cards) == 2 for event in played.events)


def has_two_dogs_in_a_sold_row(played: Played) -> bool:
    return any(len([card for card in row if card in DOGS]) == 2 for row in sold_rows(played))


def has_a_dog_without_a_cat(played: Played) -> bool:
    return any(set(row) & DOGS and not any(map(is_cat, row)) for row in sold_rows(played))


def sold_rows(played: Played) -> list[list[m.Card]]:
    return [game.turned for game, event in moments(played) if isinstance(event, m.SackSold)]


def has_a_large_dog_with_only_negative_cats(ruleset: m.Ruleset, chased: m.Card) -> Situation:
    """Both −5 and −8 lie there, so that the rulesets differ."""

    def found(played: Played) -> bool:
        return any(
            isinstance(event, m.SackSold)
            and game.ruleset == ruleset
            and event.chased == chased
            and {-8, -5, "large_dog"} <= {*game.turned} <= {-8, -5, 0, "large_dog"}
            for game, event in moments(played)
        )

    return found


def ending(played: Played) -> m.GameEnded | None:
    return next((event for event in played.events if isinstance(event, m.GameEnded)), None)


def has_a_shared_win(played: Played) -> bool:
    ended = ending(played)
    return ended is not None and len(ended.winners) > 1


def has_a_tie_decided_by_cats(played: Played) -> bool:
    ended = ending(played)
    if ended is None:
        return False
    totals = [score.total for score in ended.scores if score is not None]
    return totals.count(max(totals)) > len(ended.winners)


def is_abandoned(reason: str) -> Situation:
    return lambda played: any(
        isinstance(event, m.GameAbandoned) and event.reason == reason for event in played.events
    )


def has_an_end_made_by(actor: str) -> Situation:
    """Somebody ended it; mostly an end follows by the rules."""
    return lambda played: any(
        envelope.actor == actor and isinstance(envelope.data, m.GameAbandoned)
        for envelope in played.envelopes
    )


def has_an_empty_seat(played: Played) -> bool:
    ended = ending(played)
    return ended is not None and None in ended.scores


def has_a_join_after_a_refusal(played: Played) -> bool:
    return any(
        isinstance(event, m.PlayerJoined) and game.seats[event.seat].answer == "declined"
        for game, event in moments(played)
    )


def has_a_new_host_by_the_rules(standing: str) -> Situation:
    return lambda played: any(
        isinstance(envelope.data, m.HostNamed)
        and envelope.actor == "rules"
        and envelope.version > 2
        and game.standing == standing
        for (game, _), envelope in zip(moments(played), played.envelopes, strict=True)
    )


def has_a_computer_move(of: str) -> Situation:
    """The computer moves for a seat whose player is away, or gone for good."""
    return lambda played: any(
        isinstance(event, m.CardPlaced | m.BidPlaced | m.PlayerPassed)
        and envelope.actor == "computer"
        and game.seats[event.seat].computer
        and game.seats[event.seat].gone == (of == "gone")
        for (game, event), envelope in zip(moments(played), played.envelopes, strict=True)
    )


def has_a_substitute(for_: str) -> Situation:
    """Somebody plays on for one who is away, or gone for good."""
    return lambda played: any(
        isinstance(event, m.SeatTaken) and game.seats[event.seat].gone == (for_ == "gone")
        for game, event in moments(played)
    )


def has_a_rest(played: Played) -> bool:
    """Everybody has left for a while, and somebody comes back."""
    return any(
        isinstance(event, m.SeatHandedOver) and event.to == "player" and not game.humans
        for game, event in moments(played)
    )


def has_after(one: str, other: str) -> Situation:
    """An event of one kind right after one of another."""
    return lambda played: any(
        before.type == one and after.type == other for before, after in pairwise(played.envelopes)
    )


def has_default(kind: str) -> Situation:
    """What is done for a seat whose time was up."""
    return has_after("turn_timed_out", kind)


def has_by(actor: str, kind: str) -> Situation:
    return lambda played: any(
        envelope.actor == actor and envelope.type == kind for envelope in played.envelopes
    )


def is_for(seats: int, ruleset: m.Ruleset) -> Situation:
    return lambda played: (
        played.game().phase == "ended" and (len(played.names), played.game().ruleset) == (seats, ruleset)
    )


def holds(type_: str) -> Situation:
    return lambda played: bool(played.versions(type_))


SITUATIONS: Final[dict[str, Situation]] = {
    **{f"{seats} players, {ruleset}": is_for(seats, ruleset) for seats in (3, 4, 5) for ruleset in RULESETS},
    **{f"event {type_}": holds(type_) for type_ in m.BY_TYPE},
    "an unsold sack": has_an_unsold_sack,
    "two unsold sacks in a row": has_two_unsold_sacks_in_a_row,
    "an unsold sack in round 9": has_an_unsold_ninth_sack,
    "a bank too poor to fill": has_a_bank_too_poor_to_fill,
    "a tie on the total decided by cats": has_a_tie_decided_by_cats,
    "a shared win": has_a_shared_win,
    "a last seat without a mouse in an unbid auction": has_a_last_seat_without_a_mouse_in_an_unbid_auction,
    "a pass by the rules": has_a_pass_by_the_rules,
    "two passes by the rules in one step": has_two_passes_by_the_rules_in_one_step,
    "a pass by the rules as round 9 begins": has_a_pass_by_the_rules_as_round_9_begins,
    "a last seat that buys for one mouse": has_a_last_seat_that_buys_for_one_mouse,
    "a large dog with only negative cats, 2017": has_a_large_dog_with_only_negative_cats("felicity-2017", -5),
    "a large dog with only negative cats, 2007": has_a_large_dog_with_only_negative_cats("felix-2007", -8),
    "a card exchanged": has_a_card_exchanged,
    "the last two cards turned together": has_two_cards_turned_together,
    "two dogs in one row": has_two_dogs_in_a_sold_row,
    "a dog without a cat": has_a_dog_without_a_cat,
    "a declined game": is_abandoned("declined"),
    "a cancelled game": is_abandoned("cancelled"),
    "a game that expired": is_abandoned("expired"),
    "a game that everybody left": is_abandoned("left"),
    "an end by the host": has_an_end_made_by("host"),
    "an end by time": has_an_end_made_by("clock"),
    "a seat that does not play": has_an_empty_seat,
    "a join after a refusal": has_a_join_after_a_refusal,
    "a new host before the start": has_a_new_host_by_the_rules("inviting"),
    "a new host in the game": has_a_new_host_by_the_rules("running"),
    "the computer plays for one who is away": has_a_computer_move("away"),
    "the computer plays for one who has resigned": has_a_computer_move("gone"),
    "a substitute for one who is away": has_a_substitute("away"),
    "a substitute for one who has resigned": has_a_substitute("gone"),
    "a rest, and a return": has_a_rest,
    "a game that the players ended": is_abandoned("voted"),
    "a game to which nobody came back": is_abandoned("deserted"),
    "a card drawn for one who was too late": has_default("card_placed"),
    "a pass for one who was too late": has_default("player_passed"),
    "a computer that takes over after two in a row": has_default("seat_handed_over"),
    "a deadline made later by the clock": has_by("clock", "deadline_set"),
    "a deadline made later by an absence": has_after("absence_declared", "deadline_set"),
    "a deadline made earlier by a return": has_after("absence_ended", "deadline_set"),
    "a computer that takes over at the deal": has_after("absence_began", "seat_handed_over"),
    "a disputed seat that the players hand over": has_after("host_named", "dispute_settled"),
    "a dispute that ends by itself": has_by("clock", "dispute_settled"),
    "a deadline made later by a dispute": has_after("dispute_raised", "deadline_set"),
    "a deadline made earlier by its end": has_after("dispute_settled", "deadline_set"),
    "a pause that ends by itself": has_by("clock", "game_resumed"),
    "a pause that a player ends": has_by("seat", "game_resumed"),
}
