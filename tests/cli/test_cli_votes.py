"""Votes and absences at the host's desk, for those who have no mail."""

from __future__ import annotations

import pytest

from cli.terminal import Terminal
from felix_async.language.words import MISUNDERSTOOD, REFUSALS
from felix_cli.desk import _WHY as THERE
from games import NAMES


def types(desk: Terminal, game_id: str) -> list[str]:
    return [event["type"] for event in desk.json("replay", game_id)]


def test_votes_at_the_desk_end_a_game_as_those_by_mail_do(desk: Terminal) -> None:
    game_id = desk.started()
    assert desk.run("move", game_id, 0, "ABANDON").startswith("Anna wants to ")
    assert desk.json("move", game_id, 1, "abandon")["events"] > 1
    assert types(desk, game_id)[-5:] == [
        "vote_cast",
        "vote_cast",
        "game_abandoned",
        "seat_logs_closed",
        "seed_revealed",
    ]
    assert desk.run("audit", game_id).startswith(f"{game_id}: sound")


def test_a_vote_is_taken_back_at_the_desk(desk: Terminal) -> None:
    game_id = desk.started()
    desk.run("move", game_id, 0, "ABANDON")
    desk.run("move", game_id, 0, "RESUME")
    assert types(desk, game_id)[-1] == "votes_withdrawn"


def test_an_absence_at_the_desk_is_for_this_game(desk: Terminal) -> None:
    game_id = desk.started(clock="no clock")
    assert desk.run("move", game_id, 2, "AWAY 5 days").startswith("Cara is away from ")
    assert types(desk, game_id)[-1] == "absence_declared"
    desk.run("move", game_id, 2, "AWAY OFF")
    assert types(desk, game_id)[-1] == "absence_ended"
    assert desk.run("audit", game_id).startswith(f"{game_id}: sound")


@pytest.mark.parametrize(("order", "code"), [
    ("PAUSE", "vote/no_clock"),
    ("RESUME", "vote/none"),
    ("AWAY OFF", "away/not_away"),
    ("AWAY UNTIL 31 Feb", "away/no_day"),
    ("AWAY UNTIL 2020-01-01", "away/past"),
    ("AWAY UNTIL further notice", "away/unclear"),
])  # fmt: skip
def test_what_is_refused_by_mail_is_refused_at_the_desk(desk: Terminal, order: str, code: str) -> None:
    game_id = desk.started(clock="no clock")
    before = types(desk, game_id)
    told = desk.refused("move", game_id, 0, order)
    # The rest is an example of days that lie ahead.
    why = THERE.get(code, REFUSALS[code]).partition("AWAY UNTIL {")[0]
    assert told.startswith(why.format(day="31 feb", who="Anna"))
    assert types(desk, game_id) == before


def test_a_vote_before_the_start_is_refused(desk: Terminal) -> None:
    game_id = desk.new(*NAMES[:3])
    assert desk.refused("move", game_id, 0, "ABANDON") == (
        "The game has not started. Waiting for an answer to the invitation from Anna, Ben and Cara."
    )


@pytest.mark.parametrize("order", ["ABANDON", "AWAY 5 days", "AWAY OFF"])
def test_there_is_no_such_seat(desk: Terminal, order: str) -> None:
    game_id = desk.started()
    assert desk.refused("move", game_id, 7, order) == "No such seat: 7. Use 0 to 2, or a name."


def test_away_alone_is_a_question_and_no_move(desk: Terminal) -> None:
    assert "moves only" in desk.refused("move", desk.started(), 0, "AWAY")


def test_away_without_days_is_told_what_is_missing(desk: Terminal) -> None:
    assert desk.refused("move", desk.started(), 0, "AWAY soon") == MISUNDERSTOOD["order/no_days"]
