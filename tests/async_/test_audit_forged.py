"""Every field of every event, changed so that the bytes, the tree and the records still fit: what finds it.

`FORGERIES` names, for each field of each kind of event, a change and the check that must find it at that very
event. What no rule can tell from the truth (`BOUND_BY_THE_TREE_ALONE`) is found by the tree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import pytest

from each import one_in
from felix_async.audit.audit import audit
from felix_async.audit.evidence import Evidence
from felix_async.clock import later
from felix_async.draw import Numbers
from felix_async.game.commands import Bid, Pass, Play
from felix_async.game.players import Decision
from felix_async.game.state import Game
from felix_async.game.views import View
from felix_events.envelope import canonical
from felix_events.model import BY_TYPE, Card, Ruleset
from games import (
    Played,
    a_declined_game,
    a_game_played,
    data_with,
    envelope_with,
    forged,
    found,
)
from golden.make_golden import GOLDEN, chosen


@cache
def lives() -> dict[str, Played]:
    return {script.course: script.play() for script in GOLDEN if script.course}  # people come and leave


@cache
def games() -> tuple[Played, ...]:
    whole = [a_game_played(seats) for seats in (3, 4, 5)]
    return *whole, a_game_played(4, seed="b", start=2), a_declined_game(), *lives().values()


Data = dict[str, Any]
Change = Callable[[Data, Game], object]
"""Changes the data of an event; sees the state before it. Changes nothing where it does not apply."""


@dataclass(frozen=True)
class Forgery:
    """A field, a change of it, and the check that must find it."""

    type: str
    field: str
    check: str
    change: Change


def put(field: str, value: Callable[[Data, Game], object]) -> Change:
    return lambda data, game: data.update({field: value(data, game)})


def plus(field: str, number: int) -> Change:
    return put(field, lambda data, _: data[field] + number)


def other_seat(data: Data, game: Game) -> object:
    return (data["seat"] + 1) % len(game.seats)


def seat_that(data: Data, game: Game, is_so: Callable[[int], bool]) -> int:
    """Another seat of which something is so, else the same one."""
    own: int = data["seat"]
    return next((seat for seat in range(len(game.seats)) if seat != own and is_so(seat)), own)


def swapped(cards: list[Card]) -> list[Card]:
    return [cards[1], cards[0], *cards[2:]] if len(cards) > 1 else cards


def another(card: Card | None) -> Card:
    return 3 if card != 3 else 5


def lower_cats(data: Data, _: Game) -> None:
    data["scores"][0]["cats"] -= 1


def more_mice(data: Data, _: Game) -> None:
    data["scores"][0]["mice"] += 1


def higher_total(data: Data, _: Game) -> None:
    data["scores"][0]["total"] += 1


def score_for_nobody(data: Data, _: Game) -> None:
    """A seat that did not play gets a result."""
    data["scores"] = [score or {"cats": 0, "mice": 0, "total": 0} for score in data["scores"]]


def no_score(data: Data, _: Game) -> None:
    """A seat that played gets none."""
    data["scores"][0] = None


def answered(*answers: str) -> Change:
    """Another seat, whose invitation was answered so."""
    return put(
        "seat", lambda data, game: seat_that(data, game, lambda seat: game.seats[seat].answer in answers)
    )


def seat_named_later(data: Data, game: Game) -> None:
    """A host who is not at the table; the first host is named before anybody could be there."""
    if game.host is not None:
        answered("invited", "declined", "uninvited", "expired")(data, game)


def other_side(data: Data, game: Game) -> None:
    """Of one who is away for a while it might be either: there it shows in what follows."""
    if game.seats[data["seat"]].time.absence is not None:
        return
    data["to"] = "player" if data["to"] == "computer" else "computer"


def back_for_good(data: Data, _: Game) -> None:
    data["for_good"] = data["for_good"] or data["to"] == "player"


def box_a_card_of_the_hand(data: Data, _: Game) -> None:
    """The hand and the boxed card change places in part: still ten cards, but not as drawn."""
    data["cards"][0], data["boxed"] = data["boxed"], data["cards"][0]
    data["cards"].sort(key=lambda card: [-8, -5, 0, 3, 5, 8, 11, 15, "large_dog", "small_dog"].index(card))


def by_time(field: str, seconds: float) -> Change:
    """A time that is so many seconds later, or earlier."""
    return put(field, lambda data, _: later(data[field], seconds))


def seat_without_deadline(data: Data, game: Game) -> object:
    return seat_that(data, game, lambda seat: game.seats[seat].time.deadline is None)


def by_nobody(data: Data, game: Game) -> None:
    """A pause that time ended, ended by a player, or the other way round."""
    data["seat"] = 0 if data["seat"] is None else None


FORGERIES = [
    Forgery("game_created", "seats", "moves", put("seats", lambda data, _: [data["seats"][0]] * 3)),
    Forgery("game_created", "options", "moves",
            put("options", lambda data, _: data["options"] | {"start_seat": 4} if len(data["seats"]) < 5
                else data["options"])),
    Forgery("game_created", "commitment", "draws", put("commitment", lambda *_: "0" * 64)),
    Forgery("player_invited", "seat", "moves", put("seat", other_seat)),
    Forgery("player_joined", "seat", "moves", put("seat", lambda data, game: seat_that(
        data, game, lambda seat: game.seats[seat].answer == "joined"))),
    Forgery("host_named", "seat", "moves", seat_named_later),
    Forgery("player_declined", "seat", "moves", answered("declined", "uninvited", "expired")),
    Forgery("player_uninvited", "seat", "moves", answered("declined", "uninvited", "expired")),
    Forgery("player_uninvited", "seat", "moves", put("seat", lambda _, game: game.host)),
    Forgery("invitation_expired", "seat", "moves", answered("joined", "declined", "uninvited", "expired")),
    Forgery("game_started", "start_seat", "draws", put("start_seat", lambda data, game: data["start_seat"]
            if game.options.start_seat is not None else (data["start_seat"] + 1) % len(game.seats))),
    Forgery("game_started", "start_seat", "moves", put("start_seat", lambda data, game: data["start_seat"]
            if game.options.start_seat is None else (data["start_seat"] + 1) % len(game.seats))),
    Forgery("hand_dealt", "seat", "moves", put("seat", lambda data, game:
            min(data["seat"] + 1, len(game.seats) - 1))),
    Forgery("hand_dealt", "cards", "moves", put("cards", lambda data, _: swapped(data["cards"]))),
    Forgery("hand_dealt", "boxed", "moves", put("boxed", lambda data, _: another(data["boxed"]))),
    Forgery("hand_dealt", "boxed", "draws", box_a_card_of_the_hand),
    Forgery("dummy_dealt", "pile", "draws", put("pile", lambda data, _: swapped(data["pile"]))),
    Forgery("dummy_dealt", "boxed", "moves", put("boxed", lambda data, _: another(data["boxed"]))),
    Forgery("round_started", "round", "moves", put("round", lambda data, _: data["round"] % 9 + 1)),
    Forgery("round_started", "start_seat", "moves", put("start_seat", lambda data, game:
            (data["start_seat"] + 1) % len(game.seats))),
    Forgery("round_started", "mice_on_cards", "moves", put("mice_on_cards", lambda data, _:
            [mice + 1 for mice in data["mice_on_cards"]])),
    Forgery("round_started", "bank", "moves", plus("bank", 1)),
    Forgery("round_started", "bank", "count", plus("bank", 1)),
    Forgery("card_placed", "seat", "moves", put("seat", lambda data, game: seat_that(
        data, game, lambda seat: data["card"] not in game.seats[seat].hand))),
    Forgery("card_placed", "card", "moves", put("card", lambda data, game: game.seats[data["seat"]].boxed)),
    Forgery("cards_turned", "cards", "moves", put("cards", lambda data, _: [another(data["cards"][0])])),
    Forgery("bid_placed", "seat", "moves", put("seat", other_seat)),
    Forgery("bid_placed", "amount", "moves", put("amount", lambda *_: 0)),
    Forgery("bid_placed", "amount", "moves", put("amount", lambda *_: 999)),
    Forgery("player_passed", "seat", "moves", put("seat", other_seat)),
    Forgery("player_passed", "mice", "moves", plus("mice", 1)),
    Forgery("player_passed", "mice", "count", plus("mice", 1)),
    Forgery("sack_sold", "seat", "moves", put("seat", other_seat)),
    Forgery("sack_sold", "price", "moves", plus("price", 1)),
    Forgery("sack_sold", "chased", "moves", put("chased", lambda data, _: another(data["chased"]))),
    Forgery("sack_sold", "prize", "moves", put("prize", lambda data, _: data["prize"][1:])),
    Forgery("sack_sold", "prize", "count", put("prize", lambda data, _: [15, 15, 15, 15])),
    Forgery("game_ended", "scores", "moves", lower_cats),
    Forgery("game_ended", "scores", "scores", lower_cats),
    Forgery("game_ended", "scores", "scores", more_mice),
    Forgery("game_ended", "scores", "scores", higher_total),
    Forgery("game_ended", "scores", "moves", score_for_nobody),
    Forgery("game_ended", "scores", "scores", score_for_nobody),
    Forgery("game_ended", "scores", "scores", no_score),
    Forgery("game_ended", "winners", "moves", put("winners", lambda data, game: [*range(len(game.seats))])),
    Forgery("game_ended", "winners", "scores", put("winners", lambda *_: [])),
    Forgery("seat_handed_over", "seat", "moves", answered("declined", "uninvited", "expired", "invited")),
    Forgery("seat_handed_over", "to", "moves", other_side),
    Forgery("seat_handed_over", "for_good", "moves", back_for_good),
    Forgery("seat_taken", "seat", "moves", put("seat", lambda data, game: seat_that(
        data, game, lambda seat: not game.seats[seat].computer))),
    Forgery("seat_taken", "player_id", "moves", put("player_id", lambda _, game: game.seats[0].player_id)),
    Forgery("player_said", "seat", "moves", put("seat", lambda data, game: seat_that(
        data, game, lambda seat: game.seats[seat].gone or game.seats[seat].answer == "uninvited"))),
    *[Forgery("game_abandoned", "reason", "moves", put("reason", lambda *_, reason=reason: reason))
      for reason in ("declined", "cancelled", "expired", "left", "voted", "deserted")],
    Forgery("deadline_set", "seat", "moves", put("seat", seat_without_deadline)),
    Forgery("deadline_set", "turn", "moves", plus("turn", 1)),
    Forgery("deadline_set", "reserve_from", "moves", by_time("reserve_from", -60)),
    Forgery("deadline_set", "reserve_from", "moves", by_time("reserve_from", 60)),
    Forgery("deadline_set", "at", "moves", by_time("at", -60)),
    Forgery("deadline_set", "at", "moves", by_time("at", 1)),
    Forgery("deadline_set", "at", "moves", by_time("at", -400 * 24 * 3600)),
    Forgery("deadline_set", "at", "moves", put("at", lambda *_: "8999-12-31T00:00:00.000000Z")),
    Forgery("deadline_set", "at", "bytes", put("at", lambda *_: "9999-12-31T00:00:00.000000Z")),
    Forgery("deadline_set", "at", "bytes", put("at", lambda *_: "2026-02-30T00:00:00.000000Z")),
    Forgery("reserve_spent", "seat", "moves", put("seat", other_seat)),
    Forgery("reserve_spent", "seconds", "moves", plus("seconds", 1)),
    Forgery("reserve_spent", "left", "moves", plus("left", 60)),
    Forgery("turn_timed_out", "seat", "moves", put("seat", seat_without_deadline)),
    Forgery("turn_timed_out", "turn", "moves", plus("turn", 1)),
    Forgery("turn_timed_out", "in_a_row", "moves", plus("in_a_row", 1)),
    Forgery("absence_declared", "seat", "moves", put("seat", lambda data, game: seat_that(
        data, game, lambda seat: game.seats[seat].time.away_spent != data["spent"]))),
    Forgery("absence_declared", "start", "moves", by_time("start", -3600 * 24)),
    Forgery("absence_declared", "back", "moves", put("back", lambda data, _: data["start"])),
    Forgery("absence_declared", "back", "moves", by_time("back", 22 * 24 * 3600)),
    Forgery("absence_declared", "spent", "moves", plus("spent", 1)),
    Forgery("absence_began", "seat", "moves", put("seat", other_seat)),
    Forgery("absence_ended", "seat", "moves", put("seat", other_seat)),
    Forgery("absence_ended", "early", "moves", put("early", lambda data, _: not data["early"])),
    Forgery("absence_ended", "spent", "moves", plus("spent", 1)),
    Forgery("vote_cast", "seat", "moves", put("seat", lambda data, game: seat_that(
        data, game, lambda seat: (data["on"], seat) in game.votes))),
    Forgery("votes_withdrawn", "seat", "moves", put("seat", other_seat)),
    Forgery("game_paused", "until", "moves", by_time("until", 60)),
    Forgery("game_resumed", "seat", "moves", by_nobody),
    Forgery("dispute_raised", "seat", "moves", put("seat", lambda data, game: seat_that(
        data, game, lambda seat: game.seats[seat].moves.get(data["turn"]) != data["what"]))),
    Forgery("dispute_raised", "turn", "moves", plus("turn", 500)),
    Forgery("dispute_raised", "what", "moves", put("what", lambda data, _:
            "pass" if data["what"] == "card" else "card")),
    Forgery("dispute_raised", "lapses", "moves", by_time("lapses", 60)),
    Forgery("dispute_raised", "until", "moves", put("until", lambda data, _:
            data["lapses"] if data["until"] is None else later(data["until"], 60))),
    Forgery("dispute_raised", "stopped", "moves", put("stopped", lambda data, _: 7)),
    Forgery("dispute_settled", "seat", "moves", put("seat", other_seat)),
    Forgery("dispute_settled", "turn", "moves", plus("turn", 1)),
    Forgery("dispute_settled", "what", "moves", put("what", lambda data, _:
            "pass" if data["what"] == "card" else "card")),
    Forgery("dispute_settled", "how", "moves", put("how", lambda data, _:
            "withdrawn" if data["how"] == "expired" else "expired")),
    Forgery("dispute_settled", "stopped", "moves", put("stopped", lambda data, _: 7)),
    Forgery("game_abandoned", "reason", "bytes", put("reason", lambda *_: "annulled")),
    Forgery("seat_logs_closed", "roots", "seats", put("roots", lambda data, _:
            [*data["roots"][1:], "0" * 64])),
    Forgery("seat_logs_closed", "roots", "seats", put("roots", lambda data, _: data["roots"][:3])),
]  # fmt: skip

BOUND_BY_THE_TREE_ALONE = {
    ("absence_declared", "computer"),  # the player's own choice; what follows from it must fit: see below
    ("vote_cast", "on"),  # the same
    ("clock_set", "terms"),  # agreed before the game; every deadline must fit them: see below
    ("game_created", "ruleset"),  # unless a large dog met no positive cat: see below
    ("player_said", "text_hash"),  # only who has the words can tell
    ("player_joined", "contribution"),  # it changes the draws that follow: see below
    ("seed_revealed", "seed"),  # the commitment at version 1 does not fit it: see below
}


def forgeable(forgery: Forgery) -> Iterator[tuple[Played, int]]:
    """Every event that the change applies to."""
    for played in games():
        for version in played.versions(forgery.type):
            event = played.events[version - 1].model_dump()
            before = canonical(event)
            forgery.change(event, played.game(version - 1) if version > 1 else Game())
            if canonical(event) != before:
                yield played, version


def forge(forgery: Forgery, played: Played, version: int) -> Evidence:
    state = played.game(version - 1) if version > 1 else Game()
    return forged(played.evidence, version, lambda event: forgery.change(event["data"], state))


@pytest.mark.parametrize("forgery", one_in(4, FORGERIES), ids=lambda f: f"{f.type}.{f.field} by {f.check}")
def test_a_changed_field_is_found_at_its_event(forgery: Forgery) -> None:
    cases = list(forgeable(forgery))
    assert cases
    for played, version in cases[:: 1 + len(cases) // 6]:
        # A seat's own log has versions of its own.
        findings = [one for one in audit(forge(forgery, played, version)).findings if one.seat is None]
        assert (forgery.check, version) in [(finding.check, finding.version) for finding in findings]
        assert min(finding.version for finding in findings) >= (1 if forgery.check == "draws" else version)


def test_every_field_of_every_event_is_forged_here() -> None:
    fields = {(type_, field) for type_, event in BY_TYPE.items() for field in event.model_fields}
    assert {(forgery.type, forgery.field) for forgery in FORGERIES} | BOUND_BY_THE_TREE_ALONE == fields


# ---- what shows only later, or earlier ------------------------------------------------------------
def hunter(table: View, seat: int, _: Numbers) -> Decision:
    """Everybody wants to make a sack of a large dog and negative cats, and Anna buys it."""
    plays = table.own[seat].choices.plays
    if plays:
        favourites: list[Card] = ["large_dog", -5, -8, -8]
        wanted = [favourites[seat], *plays]
        return chosen(Play(seat=seat, card=next(card for card in wanted if card in plays)))
    bids = table.own[seat].choices.bids
    return chosen(Bid(seat=seat, amount=bids[0]) if bids and not table.high_bid else Pass(seat=seat))


@pytest.mark.parametrize(
    ("ruleset", "other"), [("felicity-2017", "felix-2007"), ("felix-2007", "felicity-2017")]
)
def test_a_changed_ruleset_shows_where_a_large_dog_met_only_negative_cats(
    ruleset: Ruleset, other: Ruleset
) -> None:
    played = a_game_played(4, seed="negative", ruleset=ruleset, kinds=(hunter,))
    evidence = forged(played.evidence, 1, data_with(ruleset=other))
    first = next(
        version
        for version in played.versions("sack_sold")
        if {"large_dog", -8, -5} <= {*played.game(version - 1).turned}
    )
    assert found(evidence)["moves"] == first


def test_a_changed_contribution_shows_in_the_first_draw_that_differs() -> None:
    played = a_game_played(4)
    for version in played.versions("player_joined"):
        evidence = forged(played.evidence, version, data_with(contribution="0" * 64))
        findings = found(evidence)
        assert findings["causes"] == version, "it is not that of the words in the message"
        assert findings["draws"] in [*played.versions("game_started"), *played.versions("hand_dealt")]


def test_a_seed_that_is_not_the_committed_one_is_found_at_the_commitment() -> None:
    played = a_game_played(4)
    evidence = forged(played.evidence, played.size, data_with(seed="0" * 64))
    assert found(evidence) == {"draws": played.size}, "the store keeps the true seed"
    assert found(replace(evidence, kept=None)) == {"draws": 1}


def test_another_card_of_the_same_hand_shows_when_it_is_turned() -> None:
    """A card placed and never exchanged, forged into one that was in the hand as well."""
    played = a_game_played(4)
    end = played.versions("round_started")[1]
    for seat in range(4):
        version = next(
            version
            for version in reversed(played.versions("card_placed"))
            if version < end and played.envelopes[version - 1].model_dump()["data"]["seat"] == seat
        )
        place = (seat - played.game(version).start_seat) % 4
        card = played.game(version).seats[seat].placed
        other = next(held for held in played.game(version - 1).seats[seat].hand if held != card)
        evidence = forged(played.evidence, version, data_with(card=other))
        turned = next(v for v in played.versions("cards_turned") if len(played.game(v).turned) > place)
        assert found(evidence)["moves"] == turned


def test_a_leave_for_a_while_made_a_resignation_shows_when_the_player_comes_back() -> None:
    played = lives()["life"]
    away, back, *_ = played.versions("seat_handed_over")
    assert found(forged(played.evidence, away, data_with(for_good=True)))["moves"] == back


def test_a_resignation_made_a_leave_for_a_while_shows_where_the_game_ends_by_it() -> None:
    played = lives()["left"]
    last = played.versions("seat_handed_over")[-1]
    changed = forged(played.evidence, last, data_with(for_good=False))
    assert found(changed) == {"moves": last + 1, "causes": last}


def test_a_first_host_who_was_another_one_shows_where_that_one_joins_or_leaves() -> None:
    """The first host is named by whoever opens the table; what follows must fit."""
    played = lives()["hostless"]
    left = played.versions("player_declined")[0]
    assert found(forged(played.evidence, 2, data_with(seat=1)))["moves"] > left


@pytest.mark.parametrize("actor", ["seat", "host", "computer"])
def test_what_time_did_is_not_laid_at_anybodys_door(actor: str) -> None:
    for played, type_ in ((lives()["closed"], "game_abandoned"), (lives()["expired"], "invitation_expired")):
        version = played.versions(type_)[0]
        assert found(forged(played.evidence, version, envelope_with(actor=actor))) == {"moves": version}


def test_what_somebody_did_is_not_laid_at_times_door() -> None:
    played = lives()["cancelled"]
    version = played.versions("game_abandoned")[0]
    assert found(forged(played.evidence, version, envelope_with(actor="clock"))) == {"moves": version}


@pytest.mark.parametrize("actor", ["seat", "clock", "computer"])
def test_nobody_but_the_host_says_that_the_server_was_set_back(actor: str) -> None:
    played = lives()["voted"]
    version = played.versions("server_restored")[0]
    assert found(forged(played.evidence, version, envelope_with(actor=actor))) == {"moves": version}


def test_a_player_who_has_resigned_makes_no_move() -> None:
    played = lives()["late"]
    gone = played.versions("seat_handed_over")[0]
    version = next(
        envelope.version
        for envelope in played.envelopes[gone:]
        if envelope.actor == "computer" and getattr(envelope.data, "seat", None) == 1
    )
    assert found(forged(played.evidence, version, envelope_with(actor="seat")))["moves"] == version
