"""A digest waits for the end of quiet hours where they hold the time at which digests go out."""

from __future__ import annotations

import pytest

from felix_async.follow_up.notices import Hours, told_at
from felix_events.store.rows import Choice

MORNING = "2026-01-05T06:00:00.000000Z"


@pytest.mark.parametrize(
    ("quiet", "at"),
    [("22:00-08:00", "17:00"), ("", "17:00"), ("09:00-18:00", "18:00"), ("16:30-17:00", "17:00")],
)
def test_when_a_digest_goes_out(quiet: str, at: str) -> None:
    choices = {0: Choice("anna", notify="daily", zone="UTC", quiet=quiet)}
    assert told_at(0, choices, MORNING, Hours()) == f"2026-01-05T{at}:00.000000Z"
