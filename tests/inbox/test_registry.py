"""Each order has one row in the registry, and what a row states is so."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Final

import pytest

from felix_async.language.grammar import Order, read_line
from felix_async.language.words import HELP
from felix_async.orders.registry import ORDERS, OrderType, When
from inbox.postbag import Postbag, a_first_round, a_table

EXAMPLES: Final = [line.strip().split("  ")[0] for line in HELP.splitlines() if line.startswith("  ")]
"""The orders as HELP lists them."""
PHASES: Final[dict[str, tuple[When, ...]]] = {
    "inviting": ("inviting", "open", "always"),
    "playing": ("playing", "open", "always"),
    "over": ("over", "always"),
}


def word_of(example: str) -> str:
    read = read_line(example)
    assert isinstance(read, Order), example
    return read.word


def a_table_that_is(phase: str) -> Postbag:
    bag = a_table()
    bag.game_id = bag.room.open(host=0, command_id=phase)
    if phase != "inviting":
        bag.room.join_all(bag.game_id)
    if phase == "over":
        bag.room.play(bag.game_id)
    return bag


def test_help_the_grammar_and_the_registry_know_the_same_orders() -> None:
    assert {word_of(example) for example in EXAMPLES} == {*ORDERS}


def test_each_row_states_every_policy() -> None:
    assert [one.name for one in fields(OrderType) if one.default is not MISSING] == []


@pytest.mark.parametrize("phase", PHASES)
def test_an_order_at_another_time_is_refused(phase: str) -> None:
    bag = a_table_that_is(phase)
    others = [one for one in EXAMPLES if ORDERS[word_of(one)].when not in PHASES[phase]]
    assert len(others) > 3
    met = {one: bag.send(0, one).lines[0].verdict for one in others}
    # The last move of the seat was a PASS: that came twice, and is not refused.
    repeated = {"PASS": "done"} if phase == "over" else {}
    assert met == dict.fromkeys(others, "refused") | repeated


@pytest.mark.parametrize("phase", ["inviting", "playing"])
def test_what_is_for_the_host_alone_is_refused_to_others(phase: str) -> None:
    bag = a_table_that_is(phase)
    only = [one for one in EXAMPLES if ORDERS[word_of(one)].host_only]
    only = [one for one in only if ORDERS[word_of(one)].when in PHASES[phase]]
    met = {one: bag.send(1, one).lines[0].code for one in only}
    assert met == dict.fromkeys(only, "host/only")


def test_what_cannot_be_taken_back_is_asked_about() -> None:
    bag = a_first_round()
    asked = [one for one in EXAMPLES if ORDERS[word_of(one)].asks_yes]
    assert {one: bag.send(1, one).lines[0].verdict for one in asked} == dict.fromkeys(asked, "asked")


def test_what_only_shows_something_changes_nothing() -> None:
    bag = a_first_round()
    shown = [one for one in EXAMPLES if not ORDERS[word_of(one)].changes]
    version = bag.size
    answers = [bag.send(1, one) for one in shown]
    assert [answer.changed for answer in answers] == [False] * len(shown)
    assert bag.size == version
