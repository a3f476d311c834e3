"""Invitations in plain language: accepted, turned down, asked about, and left alone."""

from __future__ import annotations

from each import each
from felix_async.meaning.meaning import meaning_of
from felix_async.meaning.situation import Situation

INVITED = Situation("inviting", names=("Karen", "Dan"))


@each(("text", "word"), [
    ("Count me in! What fun xx", "JOIN"),
    ("ok im in lol", "JOIN"),
    ("in!", "JOIN"),
    ("With pleasure, I am in.\n\nBest regards\nJürgen", "JOIN"),
    ("no problem, I'm in", "JOIN"),
    ("I'd love to play, thank you for asking", "JOIN"),
    ("I can't wait to play!", "JOIN"),
    ("Yes, and say hello to Karen", "JOIN"),
    ("sorry, no time this week", "DECLINE"),
    ("no thanks", "DECLINE"),
    ("I'd love to but I can't", "DECLINE"),
    ("Unfortunately I have no time.", "DECLINE"),
    ("in! wait no, out", "DECLINE"),
])  # fmt: skip
def test_who_says_so_is_in_or_out(text: str, word: str) -> None:
    meaning = meaning_of(text.split("\n"), INVITED)
    assert meaning.do is not None
    assert meaning.do.word == word


@each("text", [
    "I'm in a meeting, later",
    "in a minute",
    "in Berlin until 5",
    "I'm in if Dan is in",
    "Is Karen in?",
    "Dan is in",
    "why not?",
    "Sure, but not before Monday",
    "yes or no, i don't know",
    "what is this?",
    "haha nice one Karen",
    "not sure yet",
    "maybe",
])  # fmt: skip
def test_who_does_not_say_so_is_neither(text: str) -> None:
    assert meaning_of(text.split("\n"), INVITED).do is None


def test_a_condition_is_asked_about() -> None:
    meaning = meaning_of(["Sure, but not before Monday"], INVITED)
    assert (meaning.doubt, [order.word for order in meaning.ask]) == ("condition", ["JOIN", "DECLINE"])
