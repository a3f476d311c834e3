"""Questions in plain language: what they ask about, and what is none for felix."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final, get_args

import pytest

from each import each
from felix_async.language.data import table
from felix_async.meaning.questions import topics_in
from felix_async.meaning.situation import Situation
from felix_async.meaning.text import text_of
from felix_async.meaning.topics import Topic
from meaning.pinned import FOLDER

HERE: Final = Situation(
    "bidding", mice=12, high=4, least=5, most=12,
    names=("Tom", "Marta", "Ruth", "Jonas", "Dan", "Ben", "Anna", "Lukas"),
)  # fmt: skip
ASKED: Final = [
    json.loads(line) for line in (Path(__file__).parent / "asked.jsonl").read_text("utf-8").splitlines()
]
"""Texts, each with its topic, '' if it asks felix nothing."""


def topics(text: str) -> tuple[Topic, ...]:
    """What a text asks about."""
    return topics_in(text_of(text.split("\n")), HERE)


def test_of_our_own_questions_nineteen_of_twenty_are_found() -> None:
    wanted = [one for one in ASKED if one["topic"]]
    found = [one for one in wanted if any(topic.startswith(one["topic"]) for topic in topics(one["text"]))]
    assert len(wanted) > 400
    assert len(found) >= 0.95 * len(wanted)


def test_of_what_is_no_question_for_felix_none_is_answered() -> None:
    others = [one["text"] for one in ASKED if not one["topic"]]
    assert len(others) >= 40
    assert [text for text in others if topics(text)] == []


@each(
    ("text", "expected"),
    [
        ("can I see my hand again?", ("hand",)),
        ("phew. actually wait, can I see my hand again?", ("hand",)),
        ("I don't remember which cards I have", ("hand",)),
        ("cards plz 🙏", ("hand",)),
        ("wich crads do i hav", ("hand",)),
        ("who are we wating for", ("status",)),
        ("how many mice have the others?", ("mice",)),
        ("who is slow?", ("status",)),
        ("who's still in?", ("status",)),
        ("what did I miss?", ("history",)),
        ("who won the last row?", ("history",)),
        ("what does the large dog do again?", ("rules/large_dog",)),
        ("What's the difference between the big and the little dog?", ("rules/large_dog", "rules/small_dog")),
        ("how long do we have?", ("time",)),
        ("who is this dummy?", ("rules/dummy",)),
        ("was this dealt fairly, can I check?", ("fairness",)),
        ("can I take it back?", ("undo",)),
        ("what am I supposed to do?", ("help",)),
        ("5. And how many mice has Tom got left?", ("mice",)),
        ("history please, and how many mice…", ("history", "mice")),
        ("who won? whose turn is it? how long do we have? the rules?", ("history", "status", "time")),
    ],
)
def test_a_question_has_its_topics(text: str, expected: tuple[Topic, ...]) -> None:
    assert topics(text) == expected


@each(
    "text",
    [
        "12 mice?? are you mad?",
        "who's coming on Saturday?",
        "how are the 3 kids?",
        "Lukas, did you leave your scarf?",
        "can I bid 7?",
        "should I pass?",
        "seven?? no question mark sorry. seven.",
        "",
        "???",
    ],
)
def test_what_is_no_question_about_the_game_has_no_topic(text: str) -> None:
    assert topics(text) == ()


def test_no_more_than_three_questions_are_answered_at_once() -> None:
    assert len(topics("hand? scores? rules? help? history? deadline?")) == 3


@pytest.mark.parametrize("where", ["asks", "likely", "bare", "weights"])
def test_every_topic_of_the_table_is_one(where: str) -> None:
    assert set(table("questions.toml")[where]) - {"never"} <= set(get_args(Topic))


def test_of_our_neighbours_answers_that_are_moves_next_to_none_is_taken_for_a_question() -> None:
    lines = [
        json.loads(line) for file in FOLDER.glob("*.jsonl") for line in file.read_text("utf-8").splitlines()
    ]
    moves = [line["text"] for line in lines if "do" in line.get("want", {})]
    assert len([text for text in moves if topics(text)]) <= 0.025 * len(moves)
