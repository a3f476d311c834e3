"""NEW by mail, and who is asked at the table when a card turns: everybody at once, or one after the other."""

from __future__ import annotations

from each import each
from felix_async.follow_up.answer import Answer
from felix_async.language.phrases import phrase
from felix_events.model import Pace
from inbox.hosting import FRIENDS, answers, game_at, names_at, opened, write_new
from inbox.postbag import Postbag, a_table

IN_TURN = phrase("answers.tables.in_turn")


def pace(bag: Postbag) -> Pace:
    """That of the newest table."""
    return game_at(bag, opened(bag)[-1]).options.pace


def told(bag: Postbag) -> Answer:
    """The newest answer to its host."""
    return answers(bag, opened(bag)[-1])[-1]


@each(
    "line",
    [
        "one after the other",
        "One after the other.",
        "in turn",
        "in-turn",
        "not all at once",
        "Not together!",
        "one by one",
        "pace: in turn",
        "pace in turn",
        "ask us one after the other",
    ],
)
def test_one_player_is_asked_after_the_other_if_the_host_says_so(line: str) -> None:
    bag = a_table()
    write_new(bag, f"NEW\n{FRIENDS}\n{line}")
    assert (pace(bag), names_at(bag, opened(bag)[-1])) == ("in turn", ["Anna", "Dora", "Emil"])


@each("line", ["", "together", "pace: all at once", "At once", "Everybody at once", "not in turn"])
def test_else_all_are_asked_at_once(line: str) -> None:
    bag = a_table()
    write_new(bag, f"NEW\n{FRIENDS}\n{line}")
    assert pace(bag) == "together"


@each(
    "text", ["NEW: Ben, Cara, in turn", "NEW in turn\nBen\nCara", "NEW\nBen\nCara\n\none after the other\n"]
)
def test_it_may_stand_wherever_an_option_may(text: str) -> None:
    bag = a_table()
    write_new(bag, text)
    assert (pace(bag), names_at(bag, opened(bag)[-1])) == ("in turn", ["Anna", "Ben", "Cara"])


def test_a_clock_is_no_pace(bag: Postbag) -> None:
    write_new(bag, f"NEW\n{FRIENDS}\npace: 2 days a move")
    game = game_at(bag, opened(bag)[-1])
    assert game.clock is not None
    assert (game.clock.move, game.options.pace) == (2 * 24 * 3600, "together")


def test_the_answer_says_so_if_it_is_not_the_usual_pace(bag: Postbag) -> None:
    write_new(bag, f"NEW\n{FRIENDS}\nin turn")
    assert IN_TURN in told(bag).lines[0].why
    write_new(bag, f"NEW\n{FRIENDS}\ntogether")
    assert IN_TURN not in told(bag).lines[0].why


def test_somebody_who_is_called_like_a_pace_is_invited(bag: Postbag) -> None:
    write_new(bag, "NEW\nTogether <t@friends.test>\nBen")
    write_new(bag, "NEW\nTogether\nBen")
    assert names_at(bag, opened(bag)[-1]) == ["Anna", "Together", "Ben"]


def test_the_mail_that_is_offered_instead_keeps_it(bag: Postbag) -> None:
    answer = bag.answered(write_new(bag, f"NEW\n{FRIENDS}\none by one\nrules 2012"))
    assert answer.lines[0].instead == f"NEW\n{FRIENDS}\none by one"
