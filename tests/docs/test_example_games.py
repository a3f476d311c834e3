"""The games of `examples/games` are what their script plays, and their pages tell them as felix does today.

A page is complete in itself: its script, looks and data were written together, and go on working. So a change
of what pages show and how needs no new examples, which would be half a megabyte in the history each time:
only what the story says is held to what it would say today. `make examples` writes them anew for a release.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Final

import pytest

from felix_async.audit.audit import audit
from felix_async.audit.evidence import evidence_in
from felix_async.game.moments import moments
from felix_async.game.story import Story
from felix_cli.replay.html import write_page
from felix_cli.wiring import subject_in
from felix_events.embedded import embedded_in
from felix_events.envelope import check_envelopes
from felix_events.export import read_export
from felix_events.model import Terms
from gallery.chromium import chromium, find_chromium
from golden.examples import EXAMPLES, FOLDER, Example

for_each = pytest.mark.parametrize("example", EXAMPLES, ids=[f"{one.seats}-players" for one in EXAMPLES])
_BEAT: Final = re.compile(rb'<li data-version="(\d+)"[^>]* data-kind=[^>]*>(.*?)</li>')


def told(page: bytes) -> list[tuple[bytes, bytes]]:
    """The story of a page: versions and sentences."""
    return _BEAT.findall(page)


@for_each
def test_a_file_is_what_its_script_plays(example: Example) -> None:
    assert example.log.read_bytes() == example.played(), "make examples, if it is on purpose"


@for_each
def test_a_file_is_sound(example: Example) -> None:
    assert audit(evidence_in(read_export(example.log.read_bytes()))).sound


@for_each
def test_a_page_holds_the_file_beside_it(example: Example) -> None:
    assert embedded_in(example.page.read_bytes()) == example.log.read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("clock", [None, EXAMPLES[1].clock], ids=["hurried", "clocked"])
def test_a_page_of_a_long_game_takes_no_more_than_100_kb_beside_its_log(
    tmp_path: Path, clock: Terms | None
) -> None:
    log, page = tmp_path / "game.jsonl", tmp_path / "page.html"
    log.write_bytes(replace(EXAMPLES[2], word="w0", clock=clock).played())
    write_page(subject_in(log), "all", page)
    assert page.stat().st_size - log.stat().st_size <= 100_000


@for_each
def test_a_page_tells_its_game_as_today(example: Example, tmp_path: Path) -> None:
    subject = subject_in(example.log)
    write_page(subject, "all", tmp_path / "page.html")
    today = told((tmp_path / "page.html").read_bytes())
    assert today
    assert told(example.page.read_bytes()) == today, "make examples, if it is on purpose"


@pytest.mark.slow
@pytest.mark.skipif(find_chromium() is None, reason="Chromium is not installed (apt: chromium)")
def test_each_page_finds_itself_sound() -> None:
    program = find_chromium()
    assert program is not None
    with chromium(program) as browser:
        for example in EXAMPLES:
            browser.open(example.page, width=360, scheme="light")
            assert browser.verdicts() == ["sound"], example.page


@for_each
def test_a_game_shows_what_there_is_to_see(example: Example) -> None:
    export = read_export(example.log.read_bytes())
    kinds = {moment.kind for moment in moments(Story.of(check_envelopes(export.bodies)))}
    assert {"bluff", "dog", "lead", "war"} <= kinds
    assert export.said
    assert any(b'"type":"order_done"' in body for log in export.seat_logs.values() for body in log.bodies)


def test_nothing_else_lies_beside_them() -> None:
    assert {*FOLDER.iterdir()} == {path for one in EXAMPLES for path in (one.log, one.page)}
