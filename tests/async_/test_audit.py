"""The audit: sound games are sound, and each check finds what it is for, at the first bad version."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import pytest

from each import each, one_in
from felix_async.audit.audit import Report, audit
from felix_async.audit.evidence import Evidence, evidence_in, evidence_of
from felix_async.game.commands import Bid, Pass, Play
from felix_async.game.players import ComputerPlayer, random_player
from felix_async.game.scoring import score, winners
from felix_async.game.sensible import sensible_player
from felix_events.export import read_export
from felix_events.model import Ruleset
from felix_events.store.rows import GameRow, Sealed
from felix_events.store.sqlite import SqliteStore
from games import (
    NAMES,
    RULESETS,
    Fields,
    Played,
    a_declined_game,
    a_game_played,
    a_room,
    a_running_game,
    data_with,
    envelope_with,
    forged,
    found,
    reordered,
    with_kept,
)

CHECKS = ["bytes", "tree", "moves", "draws", "count", "scores", "time", "seats", "causes"]


def sentence(evidence: Evidence, check: str) -> str:
    """What a check says that it found."""
    return next(str(finding) for finding in audit(evidence).findings if finding.check == check)


# ---- sound games ------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("seats", "ruleset", "kind"),
    one_in(5, product([3, 4, 5], RULESETS, [random_player, sensible_player])),
)
def test_a_game_as_the_service_wrote_it_is_sound(seats: int, ruleset: Ruleset, kind: ComputerPlayer) -> None:
    for seed in ("x", "y", "z"):
        played = a_game_played(seats, seed=seed, ruleset=ruleset, kinds=(kind,))
        assert audit(played.evidence) == Report(played.game_id, played.size, passed=CHECKS)


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_a_game_whose_start_player_was_named_is_sound(seats: int) -> None:
    played = a_game_played(seats, start=seats - 1)
    assert audit(played.evidence).sound
    assert played.game(played.versions("game_started")[0]).start_seat == seats - 1


def test_a_game_read_from_its_export_is_sound() -> None:
    played = a_game_played(3)
    evidence = evidence_in(read_export(played.export()))
    assert audit(evidence) == Report(played.game_id, played.size, passed=CHECKS)


def test_an_export_without_private_records_is_a_finding() -> None:
    evidence = replace(evidence_in(read_export(a_game_played().export())), private_records={})
    assert found(evidence) == {"tree": 1}


def test_a_declined_game_is_sound() -> None:
    played = a_declined_game()
    assert audit(played.evidence) == Report(played.game_id, played.size, passed=CHECKS)


@pytest.mark.parametrize("seats", one_in(2, [3, 5]))
def test_a_log_that_ends_where_a_transaction_ended_is_sound(seats: int) -> None:
    """And while the game runs, its draws are not checked and not a finding."""
    played = a_game_played(seats)
    for version in played.step_ends()[:-1]:
        report = audit(played.until(version).evidence)
        assert report.sound, version
        assert report.not_checked == {"draws": "the game still runs; its seed is shown at the end"}


@each("played", lambda: [a_game_played(3), a_declined_game()])
def test_a_log_cut_within_a_step_lacks_the_next_event(played: Played) -> None:
    """The seed that must be shown at each end of a game is one of them."""
    for version in sorted({*range(1, played.size)} - {*played.step_ends()}):
        assert found(played.until(version).evidence)["moves"] == version + 1


@each("played", lambda: [a_game_played(3), a_declined_game()])
def test_a_seed_that_was_never_shown_is_named(played: Played) -> None:
    evidence = played.until(played.size - 1).evidence
    assert "expected seed_revealed" in sentence(evidence, "moves")
    assert "found the end of the log" in sentence(evidence, "moves")


def test_a_finding_reads_as_a_sentence() -> None:
    evidence = forged(a_game_played().evidence, 3, data_with(seat=4))
    assert sentence(evidence, "moves") == (
        "version 3: moves: expected player_invited {'seat': 1}, found player_invited {'seat': 4}"
    )


# ---- who and what caused an event -------------------------------------------------------------------
def test_a_move_made_by_the_rules() -> None:
    played = a_game_played()
    for type_ in ("player_joined", "card_placed", "bid_placed", "player_passed"):
        version = played.versions(type_)[0]
        evidence = forged(played.evidence, version, envelope_with(actor="rules"))
        assert found(evidence) == {"moves": version}


def test_a_consequence_made_by_somebody() -> None:
    played = a_game_played()
    for type_ in ("player_invited", "hand_dealt", "cards_turned", "sack_sold", "seed_revealed"):
        version = played.versions(type_)[0]
        evidence = forged(played.evidence, version, envelope_with(actor="host"))
        assert found(evidence) == {"moves": version}


def test_a_consequence_that_names_a_private_record() -> None:
    played = a_game_played()
    version = played.versions("cards_turned")[0]
    evidence = forged(played.evidence, version, envelope_with(private="0" * 64))
    assert found(evidence) == {"tree": version, "moves": version}


def test_a_move_without_the_hash_of_a_private_record() -> None:
    played = a_game_played()
    version = played.versions("bid_placed")[0]
    evidence = forged(played.evidence, version, lambda event: event.pop("private"))
    records = {place: record for place, record in evidence.private_records.items() if place != version}
    assert found(replace(evidence, private_records=records)) == {"moves": version}


def test_an_event_that_no_command_causes() -> None:
    """A consequence that stands alone, as if somebody had asked for it."""
    running = a_running_game()
    evidence = running.until(running.step_ends()[-1]).evidence
    turned = running.versions("cards_turned")[0]
    evidence = reordered(evidence, [*range(1, len(evidence.bodies) + 1), turned])
    evidence = forged(evidence, len(evidence.bodies), envelope_with(actor="host"))
    assert found(evidence)["moves"] == len(evidence.bodies)


def test_a_move_that_changes_nothing() -> None:
    """The card that lies there, placed again: the rules answer such a command with no event."""
    room = a_room()
    game_id = room.open()
    room.join_all(game_id)
    card = room.game(game_id).seats[2].hand[0]
    room.do(game_id, Play(seat=2, card=card))
    evidence = room.evidence(game_id)
    last = len(evidence.bodies)
    assert found(reordered(evidence, [*range(1, last + 1), last])) == {"moves": last + 1}


# ---- draws ------------------------------------------------------------------------------------------
def test_a_seed_in_the_store_that_is_not_the_one_shown() -> None:
    evidence = a_game_played().evidence
    assert found(with_kept(evidence, seed=bytes(32))) == {"draws": len(evidence.bodies)}


def test_a_seed_in_the_store_that_a_running_game_is_not_committed_to() -> None:
    assert found(with_kept(a_running_game().evidence, seed=bytes(32))) == {"draws": 1}


def test_an_imported_game_has_no_seed_in_the_store() -> None:
    assert audit(with_kept(a_game_played().evidence, seed=None)).passed == CHECKS


def test_an_imported_running_game_has_its_draws_unchecked() -> None:
    report = audit(with_kept(a_running_game().evidence, seed=None))
    assert report.sound
    assert "draws" in report.not_checked


# ---- count ------------------------------------------------------------------------------------------
def test_a_card_that_is_there_twice() -> None:
    played = a_game_played()
    version = played.versions("sack_sold")[0]
    evidence = forged(played.evidence, version, data_with(prize=[15, 15, 15, 15, 15]))
    assert found(evidence)["count"] == version


def test_a_card_that_was_in_no_hand() -> None:
    """A card placed that its seat had boxed: it is in two places now."""
    played = a_game_played()
    version = played.versions("card_placed")[0]
    (seat,) = [seat for seat, state in enumerate(played.game(version).seats) if state.has_placed]
    boxed = played.game(version).seats[seat].boxed
    assert found(forged(played.evidence, version, data_with(card=boxed)))["count"] == version


@pytest.mark.parametrize("mice", [0, 7])
def test_mice_from_nowhere(mice: int) -> None:
    played = a_game_played()
    version = played.versions("player_passed")[0]
    evidence = forged(played.evidence, version, data_with(mice=mice))
    assert found(evidence)["count"] == version


def test_a_log_that_cannot_even_be_counted_is_a_finding() -> None:
    """A bid by a fifth seat of three: there is nobody to count."""
    played = a_game_played(3)
    version = played.versions("bid_placed")[0]
    evidence = forged(played.evidence, version, data_with(seat=4))
    assert found(evidence)["moves"] == version
    told = sentence(evidence, "count")
    assert "expected a log that can be followed, found one that breaks the rules (" in told


# ---- scores -----------------------------------------------------------------------------------------
def test_an_end_before_the_ninth_round() -> None:
    """With the scores and the winners that are right by then."""
    played = a_game_played()
    end = played.versions("game_ended")[0]
    versions = [*range(1, played.versions("round_started")[3]), *range(end, played.size + 1)]
    last = len(versions) - 2
    scores = [score(seat.won, seat.mice) for seat in played.game(last - 1).seats]
    result = data_with(scores=[each.model_dump() for each in scores], winners=winners(scores))
    evidence = forged(reordered(played.evidence, versions), last, result)
    assert sentence(evidence, "scores") == (
        f"version {last}: scores: expected an end after round 9, found one after round 3"
    )


def test_a_total_that_does_not_follow() -> None:
    played = a_game_played()
    (version,) = played.versions("game_ended")
    evidence = forged(played.evidence, version, lambda event: event["data"]["scores"][0].update(total=99))
    assert found(evidence) == {"moves": version, "scores": version}


def test_a_winner_who_did_not_win() -> None:
    played = a_game_played()
    (version,) = played.versions("game_ended")
    losers = sorted({*range(4)} - {*played.game().winners})
    evidence = forged(played.evidence, version, data_with(winners=losers))
    assert found(evidence) == {"moves": version, "scores": version}


# ---- time -------------------------------------------------------------------------------------------
def test_a_time_before_the_event_before() -> None:
    evidence = a_game_played().evidence
    evidence = forged(evidence, 20, envelope_with(at="2025-12-31T00:00:00.000000Z"))
    assert found(evidence) == {"time": 20, "moves": 20}


def test_a_time_after_the_event_that_follows() -> None:
    evidence = a_game_played().evidence
    evidence = forged(evidence, 20, envelope_with(at="2027-01-01T00:00:00.000000Z"))
    assert found(evidence) == {"time": 21, "moves": 20}


# ---- a running game's secrets -----------------------------------------------------------------------
def test_a_hidden_card_is_not_told_in_a_finding() -> None:
    running = a_running_game(3)
    for version in (running.versions(t)[-1] for t in ("hand_dealt", "dummy_dealt", "card_placed")):
        evidence = forged(running.evidence, version, swap_a_card)
        findings = audit(evidence).findings
        assert findings
        for finding in findings:
            assert "(hidden while the game runs)" in str(finding) or finding.check != "moves"
            assert not any(key in str(finding) for key in ("'boxed'", "'pile'", "'card'", "large_dog"))


def swap_a_card(event: Fields) -> None:
    """A dealt or placed card becomes another one, wrongly."""
    data = event["data"]
    if "card" in data:
        data.update(card="large_dog" if data["card"] != "large_dog" else "small_dog")
    else:
        data.update(boxed=0 if data["boxed"] != 0 else 3)


def test_a_card_that_lies_face_down_is_not_told_as_what_was_expected() -> None:
    """A last bid forged into a pass: what that pass would have turned over stays hidden."""
    room = a_room()
    game_id = room.open()
    room.join_all(game_id)
    room.play(game_id, until=lambda game: game.phase == "bidding")
    seat = room.game(game_id).to_move
    assert seat is not None
    room.do(game_id, Bid(seat=seat, amount=1))
    evidence = room.evidence(game_id)
    last = len(evidence.bodies)

    def passes(event: Fields) -> None:
        event.update(type="player_passed", data={"seat": seat, "mice": 2})

    text = sentence(forged(evidence, last, passes), "moves")
    hidden = room.game(game_id).row()[1]
    assert f"version {last + 1}" in text
    assert repr(hidden) not in text.split("expected", 1)[1]


# ---- other evidence ---------------------------------------------------------------------------------
def test_a_game_that_the_store_does_not_know_has_no_evidence() -> None:
    with SqliteStore.in_memory().read() as reader:
        assert evidence_of(reader, "k7m2p") is None


def imported(played: Played) -> Evidence:
    """The game in another store, where it came without its private records and its seed."""
    store = SqliteStore.in_memory()
    game = played.game()
    row = GameRow(played.game_id, "T", "imported", played.envelopes[0].at, None, game.standing, played.size)
    with store.write() as tx:
        tx.add_game(row)
        tx.append(played.game_id, 0, [Sealed(body) for body in played.evidence.bodies])
        evidence = evidence_of(tx, played.game_id)
    assert evidence is not None
    return evidence


def test_a_game_imported_while_it_ran_has_no_private_records() -> None:
    assert audit(imported(a_running_game())).sound


def test_a_game_imported_after_its_end_must_have_its_private_records() -> None:
    assert found(imported(a_game_played())) == {"tree": 1}


def test_a_game_without_a_log_is_a_finding() -> None:
    store = SqliteStore.in_memory()
    with store.write() as tx:
        tx.add_game(GameRow("k7m2p", "T", "played", "2026-01-01T00:00:00.000000Z", bytes(32)))
        evidence = evidence_of(tx, "k7m2p")
    assert evidence is not None
    assert found(evidence) == {"bytes": 1}


def test_a_log_whose_game_the_store_does_not_know_is_a_finding() -> None:
    played = a_game_played()
    kept = with_kept(played.evidence, size=0, state="unknown", seed=None)
    assert found(kept) == {"tree": 1, "moves": played.size}


def test_a_pass_out_of_turn_is_told_with_the_refusal() -> None:
    room = a_room()
    game_id = room.open(start=0)
    room.join_all(game_id)
    room.play(game_id, until=lambda game: game.phase == "bidding")
    room.do(game_id, Pass(seat=0))
    played = Played(game_id, room.evidence(game_id), NAMES[:4])
    version = played.versions("player_passed")[0]
    text = sentence(forged(played.evidence, version, data_with(seat=2)), "moves")
    assert text == (
        f"version {version}: moves: expected a move that the rules allow,"
        f" found player_passed {{'seat': 2, 'mice': 2}}: turn/not_yours"
    )


def test_a_join_after_the_start_is_refused_in_the_audit_too() -> None:
    played = a_game_played()
    end = played.step_ends()[10]
    joined = played.versions("player_joined")[0]
    evidence = reordered(played.evidence, [*range(1, end + 1), joined])
    assert found(evidence)["moves"] == end + 1
