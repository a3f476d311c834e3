"""What felix writes is what it wrote, to the byte; on purpose, `make snapshots` writes it anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from snapshots import kept as keeping
from snapshots.kept import FOLDER, difference, keep, kept
from snapshots.taken import PARTS, SLOW


@pytest.mark.parametrize(
    "part", [pytest.param(part, marks=pytest.mark.slow) if part in SLOW else part for part in PARTS]
)
def test_what_felix_writes_is_what_it_wrote(part: str) -> None:
    changed = difference(kept(part), PARTS[part]())
    assert not changed, f"{part} (make snapshots, if it is on purpose)\n{changed}"


def test_nothing_is_kept_that_is_not_looked_at() -> None:
    assert {folder.name for folder in FOLDER.iterdir()} == PARTS.keys()


def test_a_difference_names_the_file_and_shows_the_lines() -> None:
    before = {"turn.html": b"<p>Your turn</p><p>Bye</p>", "old.txt": b"", "same.txt": b"same"}
    after = {"turn.html": b"<p>My turn</p><p>Bye</p>", "new.txt": b"", "same.txt": b"same"}
    told = difference(before, after)
    assert told.splitlines()[:2] == ["new.txt: is new", "old.txt: is missing"]
    assert "turn.html:" in told
    assert "-<p>Your turn</p>" in told
    assert "+<p>My turn</p>" in told
    assert "same.txt" not in told


def test_what_was_kept_comes_back_and_replaces_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "FOLDER", tmp_path)
    keep("part", {"gone.txt": b"gone"})
    files = {"a.txt": b"\xc3\xa4", "a.html": b"<p>", "b.eml": b"\r\n\x00"}
    keep("part", files)
    assert kept("part") == files
