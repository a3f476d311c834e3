"""What an audit finds in a game by the clock: too early, by somebody else, with a card of somebody's choice.

As in `test_audit_forged`, the bytes, the tree and the records fit.
"""

from __future__ import annotations

import pytest

from felix_async.audit.audit import audit
from felix_async.audit.evidence import Evidence
from felix_async.clock import later
from felix_events import model as m
from games import Played, cut, data_with, envelope_with, forged, found, reordered
from golden.make_golden import GOLDEN

HURRIED, DISPUTED, OUTVOTED, VOTED, DESERTED = (
    script.play() for script in GOLDEN if script.clock is not None
)


@pytest.mark.parametrize(
    "terms", [{"move": 13 * 3600}, {"move": 11 * 3600}, {"reserve": 0}, {"weekends": True}, {"zone": "UTC"}]
)
def test_changed_terms_show_at_a_deadline(terms: dict[str, object]) -> None:
    (version,) = HURRIED.versions("clock_set")
    original = HURRIED.envelopes[version - 1].model_dump()["data"]["terms"]
    evidence = forged(HURRIED.evidence, version, data_with(terms={**original, **terms}))
    assert found(evidence)["moves"] in HURRIED.versions("deadline_set")


def test_a_zone_that_is_none_is_found_where_the_table_is_opened() -> None:
    (version,) = HURRIED.versions("clock_set")
    original = HURRIED.envelopes[version - 1].model_dump()["data"]["terms"]
    terms = {**original, "zone": "Europe/Entenhausen"}
    assert found(forged(HURRIED.evidence, version, data_with(terms=terms)))["moves"] == 1


def test_less_time_away_than_was_taken_shows_at_the_absence() -> None:
    (version,) = HURRIED.versions("clock_set")
    original = HURRIED.envelopes[version - 1].model_dump()["data"]["terms"]
    evidence = forged(HURRIED.evidence, version, data_with(terms={**original, "away": 3600}))
    assert found(evidence)["moves"] == HURRIED.versions("absence_declared")[0]


def test_who_was_said_to_play_in_an_absence_shows_in_what_follows() -> None:
    for version in HURRIED.versions("absence_declared"):
        declared = HURRIED.events[version - 1]
        assert isinstance(declared, m.AbsenceDeclared)
        evidence = forged(HURRIED.evidence, version, data_with(computer=not declared.computer))
        assert found(evidence)["moves"] > version


def test_a_vote_for_something_else_shows_where_enough_are_for_it() -> None:
    last = VOTED.versions("vote_cast")[-1]
    assert found(forged(VOTED.evidence, last, data_with(on="pause")))["moves"] in (last, last + 1)


@pytest.mark.parametrize(
    "type_", ["turn_timed_out", "deadline_set", "absence_began", "absence_ended", "game_resumed"]
)
@pytest.mark.parametrize("actor", ["seat", "host", "computer"])
def test_time_is_called_by_the_clock_alone(type_: str, actor: str) -> None:
    """An extension, too: by a seat it would be a gift to itself."""
    versions = [v for v in HURRIED.versions(type_) if HURRIED.envelopes[v - 1].actor == "clock"]
    for version in versions:
        assert found(forged(HURRIED.evidence, version, envelope_with(actor=actor))) == {"moves": version}
    assert versions


@pytest.mark.parametrize("actor", ["seat", "host", "computer"])
def test_a_dispute_is_over_by_itself_by_the_clock_alone_and_by_nobody_else(actor: str) -> None:
    settled = {str(DISPUTED.envelopes[v - 1].actor): v for v in DISPUTED.versions("dispute_settled")}
    for by, other in (("clock", actor), ("seat", "clock")):
        version = settled[by]
        forgery = forged(DISPUTED.evidence, version, envelope_with(actor=other))
        assert found(forgery) == {"moves": version}


@pytest.mark.parametrize("type_", ["vote_cast", "votes_withdrawn", "absence_declared", "game_resumed"])
def test_the_clock_neither_votes_nor_goes_away(type_: str) -> None:
    versions = [v for v in HURRIED.versions(type_) if HURRIED.envelopes[v - 1].actor == "seat"]
    for version in versions:
        assert found(forged(HURRIED.evidence, version, envelope_with(actor="clock"))) == {"moves": version}
    assert versions


@pytest.mark.parametrize("seconds", [-60, -7200, 0.5, 367 * 24 * 3600])
def test_an_extension_that_is_none_is_found(seconds: float) -> None:
    """A deadline only ever moves on, by whole seconds, and not by years."""
    (version,) = [v for v in HURRIED.versions("deadline_set") if HURRIED.envelopes[v - 1].actor == "clock"]
    extended = HURRIED.events[version - 1]
    assert isinstance(extended, m.DeadlineSet)
    deadline = HURRIED.game(version - 1).seats[extended.seat].time.deadline
    assert deadline is not None
    times = {"reserve_from": later(deadline.reserve_from, seconds), "at": later(deadline.at, seconds)}
    assert found(forged(HURRIED.evidence, version, data_with(**times)))["moves"] == version


def moved_to(played: Played, version: int, at: str) -> Evidence | None:
    """The step that begins with this event happened then; None where the one before it came later."""
    evidence, really = played.evidence, played.envelopes[version - 1].at
    if at < played.envelopes[version - 2].at:
        return None
    for place in range(version, played.size + 1):
        if played.envelopes[place - 1].at == really:
            evidence = forged(evidence, place, envelope_with(at=at))
    return evidence


def found_too_early(played: Played, version: int, due: str) -> bool | None:
    """Whether an audit finds a step that happened just before it was due, and not when it was."""
    just_before = moved_to(played, version, later(due, -0.000001))
    if just_before is None:
        return None
    in_time = moved_to(played, version, due)
    assert in_time is not None
    assert found(in_time).get("moves") != version
    return found(just_before).get("moves") == version


@pytest.mark.parametrize("played", [HURRIED, DESERTED], ids=["hurried", "deserted"])
def test_a_time_out_an_instant_before_its_deadline_is_found(played: Played) -> None:
    results = []
    for version in played.versions("turn_timed_out"):
        out = played.events[version - 1]
        assert isinstance(out, m.TurnTimedOut)
        deadline = played.game(version - 1).seats[out.seat].time.deadline
        assert deadline is not None
        results.append(found_too_early(played, version, deadline.at))
    assert False not in results
    assert True in results


def test_an_absence_that_begins_or_ends_an_instant_too_early_is_found() -> None:
    results = []
    for version in [*HURRIED.versions("absence_began"), *HURRIED.versions("absence_ended")]:
        event, actor = HURRIED.events[version - 1], HURRIED.envelopes[version - 1].actor
        assert isinstance(event, m.AbsenceBegan | m.AbsenceEnded)
        absence = HURRIED.game(version - 1).seats[event.seat].time.absence
        if actor == "clock" and absence is not None:
            due = absence.start if isinstance(event, m.AbsenceBegan) else absence.back
            results.append(found_too_early(HURRIED, version, due))
    assert results == [True] * 3


def test_a_pause_that_ends_an_instant_too_early_is_found() -> None:
    (version,) = [v for v in HURRIED.versions("game_resumed") if HURRIED.envelopes[v - 1].actor == "clock"]
    assert found_too_early(HURRIED, version, HURRIED.game(version - 1).paused_until)


def drawn_card(played: Played) -> int:
    """Where a card was drawn for somebody, and there were others in the hand."""
    return next(
        version
        for version in played.versions("card_placed")
        if played.envelopes[version - 2].type == "turn_timed_out"
    )


def test_another_card_than_the_drawn_one_is_found_at_the_end() -> None:
    version = drawn_card(HURRIED)
    drawn = HURRIED.events[version - 1]
    assert isinstance(drawn, m.CardPlaced)
    hand = HURRIED.game(version - 1).seats[drawn.seat].hand
    evidence = forged(HURRIED.evidence, version, data_with(card=next(c for c in hand if c != drawn.card)))
    assert found(evidence)["draws"] == version


def test_a_drawn_card_is_not_told_by_what_is_found_while_the_game_runs() -> None:
    version = drawn_card(HURRIED)
    drawn = HURRIED.events[version - 1]
    assert isinstance(drawn, m.CardPlaced)
    state = HURRIED.game(version - 1).seats[drawn.seat]
    running = cut(HURRIED.evidence, version + 1)
    assert audit(running).findings == []
    moves, *others = audit(forged(running, version, data_with(card=state.boxed))).findings
    assert (moves.check, moves.version, moves.expected) == ("moves", version, "card_placed")
    assert moves.found == "card_placed (hidden while the game runs)"
    assert all("card_placed" not in str(finding) for finding in others)


def test_a_log_of_another_year_is_a_finding_and_no_crash() -> None:
    evidence = HURRIED.evidence
    for version in range(1, HURRIED.size + 1):
        evidence = forged(evidence, version, envelope_with(at="9999-12-31T23:59:59.000000Z"))
    assert found(evidence)["moves"]


def test_a_card_for_one_who_was_too_late_before_the_first_round_is_a_finding_and_no_crash() -> None:
    version = HURRIED.versions("turn_timed_out")[0]
    first = HURRIED.versions("round_started")[0]
    order = [
        *range(1, first),
        version,
        version + 1,
        *range(first, version),
        *range(version + 2, HURRIED.size + 1),
    ]
    assert found(reordered(HURRIED.evidence, order))["moves"]


def test_a_seat_is_handed_over_with_its_dispute_and_only_by_enough_votes() -> None:
    settled = OUTVOTED.versions("dispute_settled")[0]
    over = OUTVOTED.versions("seat_handed_over")[0]
    for how in ("stands", "withdrawn", "expired"):
        evidence = forged(OUTVOTED.evidence, settled, data_with(how=how))
        assert found(evidence)["moves"] == settled
    vote = max(version for version in OUTVOTED.versions("vote_cast") if version < over)
    other = forged(OUTVOTED.evidence, vote, data_with(on="abandon"))
    assert found(other)["moves"] in (vote, over)
    nobodys = forged(OUTVOTED.evidence, vote, data_with(on="seat 3"))
    assert found(nobodys)["moves"] == vote
