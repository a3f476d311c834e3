"""How well plain language is read, over all texts of the project's own corpora."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from meaning.scoring import Answer, Label, Score, answers_in, score

pytestmark = pytest.mark.slow

FOLDER: Final = Path(__file__).parent / "corpora"
MISLEADING: Final = ("ahead.jsonl", "bids.jsonl", "misleading.jsonl", "snares.jsonl", "standing.jsonl")
"""Texts of which half are no moves, or written to be misread, which have a test of their own."""
RIGHT: Final[dict[Label, float]] = {"do": 0.92, "ask": 0.95, "info": 0.95}
"""The least share of each label's texts that is read rightly."""
ACTED: Final[dict[Label, float]] = {"do": 0.004, "ask": 0.003, "info": 0.003, "talk": 0, "none": 0}
"""The largest share that is acted on against what was meant."""


def corpora() -> list[Answer]:
    """Every labelled text of a decision."""
    return [
        answer
        for file in sorted(FOLDER.glob("*.jsonl"))
        if file.name not in MISLEADING
        for answer in answers_in(file)
        if answer.situation.decision in ("placing", "bidding")
    ]


@pytest.fixture(scope="module")
def scored() -> Score:
    """All of them, read."""
    return score(corpora())


def test_there_are_hundreds_of_texts(scored: Score) -> None:
    assert sum(scored.asked.values()) > 800


@pytest.mark.parametrize("label", list(RIGHT))
def test_most_texts_are_read_as_they_are_meant(scored: Score, label: Label) -> None:
    assert scored.share(label) >= RIGHT[label]


@pytest.mark.parametrize("label", list(ACTED))
def test_hardly_a_text_is_acted_on_against_what_was_meant(scored: Score, label: Label) -> None:
    assert scored.acted[label] <= ACTED[label] * scored.asked[label]
