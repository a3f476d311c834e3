"""What players said is checked against the log, which holds its hash."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from felix_async.audit.audit import Finding, audit
from felix_async.audit.evidence import Evidence, evidence_in, evidence_of, exported
from felix_events.export import read_export
from felix_events.lines import Said
from felix_events.store.sqlite import SqliteStore
from games import NAMES, a_game_played
from spoken import a_spoken_game


@cache
def spoken() -> Evidence:
    """Anna, Ben and Nora spoke, and Cara after the end."""
    store = SqliteStore.in_memory()
    game_id, *_ = a_spoken_game(store)
    with store.read() as reader:
        evidence = evidence_of(reader, game_id)
    assert evidence is not None
    return evidence


def said(evidence: Evidence) -> list[Said]:
    return list(evidence.said.values())


def finding(evidence: Evidence) -> Finding:
    (found,) = audit(evidence).findings
    return found


def test_words_that_the_log_hashes_are_sound_from_a_store_and_from_a_file() -> None:
    file = exported(spoken(), NAMES[:4], "", is_over=True)
    for evidence in (spoken(), evidence_in(read_export(file))):
        report = audit(evidence)
        assert (report.findings, report.not_checked) == ([], {})
        assert "words" in report.passed
        assert len(evidence.said) == 3


def test_other_words_are_a_finding_at_their_version() -> None:
    first, *others = said(spoken())
    for forged in (
        first.model_copy(update={"text": "I bid 7"}),
        first.model_copy(update={"salt": "00" * 16}),
        first.model_copy(update={"salt": ""}),
    ):
        words = {one.said: one for one in (forged, *others)}
        found = finding(replace(spoken(), said=words))
        assert (found.check, found.version) == ("words", first.said)


def test_words_where_nobody_spoke_are_a_finding() -> None:
    one = said(spoken())[0]
    assert finding(replace(spoken(), said={1: one})).version == 1
    beyond = len(spoken().bodies) + 1
    assert finding(replace(spoken(), said=dict(spoken().said) | {beyond: one})).check == "words"


def test_words_that_are_not_there_are_no_finding_and_that_is_said() -> None:
    last = said(spoken())[-1]
    report = audit(replace(spoken(), said={last.said: last}))
    assert report.sound
    assert report.not_checked == {"words": "of what was said 2 of 3 are not there, or forgotten"}


def test_a_game_without_talk_has_no_such_check() -> None:
    report = audit(a_game_played().evidence)
    assert "words" not in {*report.passed, *report.not_checked}


def test_a_checkpoint_is_left_unchecked() -> None:
    report = audit(replace(a_game_played().evidence, checkpoint="a signed note"))
    assert report.sound
    assert report.not_checked == {"checkpoint": "this felix knows no signatures"}
