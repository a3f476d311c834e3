"""By which of the two rules a table plays: everybody is told before it begins, and whenever they ask."""

from __future__ import annotations

import pytest

from notifiers.friends import ANNA, who_meet

OLD = "rules 2007"


@pytest.mark.parametrize(("line", "edition"), [(OLD, "2007"), ("3 days a move", "2017")])
def test_the_answer_to_new_names_the_rules_beside_the_clock(line: str, edition: str) -> None:
    text = who_meet("Ben", "Cara", line).text(ANNA)
    clock = "There is no clock." if line == OLD else "The clock: 3 days a move."
    assert f"Invited: Ben and Cara. The rules: those of {edition}. {clock}" in text
