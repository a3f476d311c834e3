"""Golden games: played again they are the same to the byte; they are sound; nothing is missing in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from each import each
from felix_async.audit.audit import audit
from felix_events.export import read_export
from felix_events.model import Options
from games import NAMES, TABLE_NAME, Played
from golden.make_golden import BEFORE, FOLDER, GOLDEN, Script, kept_game, situations_of
from golden.situations import SITUATIONS, can_only_pass, moments

every_script = pytest.mark.parametrize("script", GOLDEN, ids=lambda script: script.name)


def kept(script: Script) -> Played:
    """A golden game as its file tells it."""
    return kept_game(script.path)


@every_script
def test_a_golden_game_played_again_is_the_same_to_the_byte(script: Script) -> None:
    """Rules, draws, envelopes and export are what they were when it was kept."""
    assert script.play().export() == script.path.read_bytes()


@every_script
def test_a_golden_game_is_sound(script: Script) -> None:
    played = kept(script)
    report = audit(played.evidence)
    assert report.findings == []
    assert report.passed == ["bytes", "tree", "moves", "draws", "count", "scores", "time", "seats", "causes"]


@every_script
def test_an_audit_notes_where_the_server_was_set_back_to_a_backup(script: Script) -> None:
    played = kept(script)
    assert audit(played.evidence).notes == [
        f"version {version}: the server was set back to a backup; what was sent before may tell of moves that"
        " are no longer there"
        for version in played.versions("server_restored")
    ]


@each("path", sorted(BEFORE.glob("*.jsonl")))
def test_a_game_that_an_older_felix_wrote_is_sound_by_its_own_ways(path: Path) -> None:
    """Its options say nothing of forced passes, of closed logs, nor of the schema of private records."""
    played = kept_game(path)
    assert audit(played.evidence).findings == []
    then = Options(forced_pass=False, seat_logs_closed=False, records=1, pace="in turn")
    assert played.game().options == then


@each("path", [path for path in sorted(BEFORE.glob("*.jsonl")) if path.stem != "declined"])
def test_an_older_felix_asked_whoever_had_too_few_mice_to_bid(path: Path) -> None:
    played = kept_game(path)
    asked = zip(moments(played), played.envelopes, strict=True)
    assert any(can_only_pass(*moment) and envelope.actor != "rules" for moment, envelope in asked)


def test_the_games_in_which_the_computer_played_say_why() -> None:
    explained = {script.course for script in GOLDEN if kept(script).evidence.seat_logs}
    assert explained == {"life", "late", "hurried", "outvoted", "taken"}


@every_script
def test_a_golden_game_says_who_played_it_and_opens_its_private_records(script: Script) -> None:
    export = read_export(script.path.read_bytes())
    assert export.header.names == list(NAMES[: script.seats])
    assert export.header.table == TABLE_NAME
    caused = [envelope.version for envelope in kept(script).envelopes if envelope.actor != "rules"]
    assert list(export.private_records) == caused


@pytest.fixture(scope="module")
def found() -> set[str]:
    """The situations that the kept games hold."""
    return set().union(*(situations_of(kept(script)) for script in GOLDEN))


@each("situation", SITUATIONS)
def test_a_situation_occurs_in_a_golden_game(situation: str, found: set[str]) -> None:
    assert situation in found


def test_every_file_beside_the_generator_is_one_of_its_games() -> None:
    assert sorted(FOLDER.glob("*.jsonl")) == sorted(script.path for script in GOLDEN)
