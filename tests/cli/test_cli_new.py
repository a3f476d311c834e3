"""What `felix new` says of the table that it opened, and how rules are named there."""

from __future__ import annotations

import pytest

from cli.terminal import Terminal

THREE = ("Anna", "Ben", "Cara")


def test_new_says_who_gets_an_invitation_and_where_to_look_for_it(desk: Terminal) -> None:
    people = (*(f"{name} <{name}@players.test>" for name in THREE), "Ben", "ben")
    result = desk.invoke("new", *[word for one in people for word in ("--player", one)])
    assert result.stderr.splitlines()[:3] == [
        "Moved with `felix move`: Ben 2 and ben 3.",
        "Invited: Anna, Ben and Cara. Invitations go out while `felix serve` runs. Ask them to look",
        "for a message from felix@localhost, also in the spam folder.",
    ]


@pytest.mark.parametrize("rules", ["2007", "felix 2007", "felix-2007", "rules 2007"])
def test_new_takes_the_rules_by_the_words_that_mail_takes(desk: Terminal, rules: str) -> None:
    words = [word for name in THREE for word in ("--player", name)]
    assert desk.json("new", *words, "--ruleset", rules)["ruleset"] == "felix-2007"


@pytest.mark.parametrize(
    ("words", "pace"), [("", "together"), ("in-turn", "in turn"), ("one after the other", "in turn")]
)
def test_new_takes_the_pace_by_the_words_that_mail_takes(desk: Terminal, words: str, pace: str) -> None:
    game_id = desk.new(*THREE, pace=words)
    assert desk.json("show", game_id)["view"]["options"]["pace"] == pace


def test_new_knows_no_other_pace(desk: Terminal) -> None:
    players = [word for name in THREE for word in ("--player", name)]
    refused = desk.refused("new", *players, "--pace", "slowly", code=2)
    assert refused == "Invalid value for '--pace': slowly is neither together nor in-turn."


def test_show_says_that_one_player_is_asked_after_the_other(desk: Terminal) -> None:
    game_id = desk.new(*THREE, pace="in-turn")
    assert "In the auction players are asked one after the other." in desk.invoke("show", game_id).stdout
    assert "one after the other" not in desk.invoke("show", desk.new(*THREE)).stdout
