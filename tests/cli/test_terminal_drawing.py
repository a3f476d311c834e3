"""Tables drawn for a terminal, as text, at widths from 40 to 120 columns."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.console import Console

from felix_async.game.folding import fold
from felix_async.game.views import Viewer, view
from felix_cli.terminal.drawing import table_drawing
from felix_events.envelope import check_envelopes
from felix_events.export import read_export
from felix_events.model import PlayerPassed, RoundStarted
from games import NAMES

GOLDEN = Path(__file__).parents[1] / "golden"
LONG = ("Anna", "Ben", "Bartholomäus von Lichtenfels", "Dan", "Eve")


def drawn(
    game: str,
    version: int,
    viewer: Viewer,
    width: int,
    names: Sequence[str] = NAMES,
    *,
    colours: bool = False,
) -> str:
    """Return the table of a golden game after a version."""
    envelopes = check_envelopes(read_export((GOLDEN / f"{game}.jsonl").read_bytes()).bodies)
    table = view(fold(one.data for one in envelopes[:version]), viewer)
    file = io.StringIO()
    console = Console(
        file=file, width=width, force_terminal=colours, color_system="standard" if colours else None
    )
    console.print(table_drawing(table, names, width))
    return "\n" + "\n".join(line.rstrip() for line in file.getvalue().splitlines()) + "\n"


def test_cards_that_are_placed_lie_face_down() -> None:
    assert (
        drawn("5-players-2017", 23, "spectator", 80)
        == """
╭────────────╮╭────────────╮╭────────────╮╭────────────╮╭────────────╮
│▒▒▒▒▒▒▒▒▒▒▒▒││▒▒▒▒▒▒▒▒▒▒▒▒││            ││▒▒▒▒▒▒▒▒▒▒▒▒││▒▒▒▒▒▒▒▒▒▒▒▒│
│▒▒▒▒▒▒▒▒▒▒▒▒││▒▒▒▒▒▒▒▒▒▒▒▒││no card yet ││▒▒▒▒▒▒▒▒▒▒▒▒││▒▒▒▒▒▒▒▒▒▒▒▒│
│▒▒▒▒▒▒▒▒▒▒▒▒││▒▒▒▒▒▒▒▒▒▒▒▒││            ││▒▒▒▒▒▒▒▒▒▒▒▒││▒▒▒▒▒▒▒▒▒▒▒▒│
╰────────────╯╰────────────╯╰────────────╯╰────────────╯╰────────────╯
     Eve           Anna          Ben           Cara          Dan
    starts
Mouse cards: [2 next] [3] [4] [6]  Bank: 18
"""
    )


def test_forty_columns_hold_five_cards_a_long_name_and_a_hand() -> None:
    # Dan's own card is the 5 that lies face down.
    assert (
        drawn("5-players-2017", 32, 3, 40, LONG)
        == """
╭──────╮╭──────╮╭──────╮╭──────╮╭──────╮
│large ││      ││      ││▒▒▒▒▒▒││▒▒▒▒▒▒│
│ dog  ││  −8  ││  15  ││▒▒▒▒▒▒││  5   │
│      ││      ││      ││▒▒▒▒▒▒││▒▒▒▒▒▒│
╰──────╯╰──────╯╰──────╯╰──────╯╰──────╯
  Eve     Anna    Ben    Bartho   Dan
                         lomäu…
 bids 1  passed  bids 2  passed  bids 3
to move
Mouse cards: [2 taken] [3 taken]
[4 next] [6]  Bank: 18
Dan has 15 mice.
╭──╮╭──────╮╭─╮╭─╮╭──╮╭──╮╭─────────╮
│−8││rabbit││3││8││11││15││large dog│
╰──╯╰──────╯╰─╯╰─╯╰──╯╰──╯╰─────────╯
╭─────────╮
│small dog│
╰─────────╯
"""
    )


def test_a_name_below_a_card_breaks_between_its_words() -> None:
    shown = drawn("5-players-2017", 23, "spectator", 40, ("Anna Bell", "Ben", "王小明🐱", "Dan", "Eve"))
    assert "\n  Eve     Anna    Ben    王小明   Dan\n          Bell             🐱\n" in shown


def test_the_dummy_of_three_has_a_card_in_the_row() -> None:
    assert (
        drawn("3-players-2017", 45, 1, 60)
        == """
╭────────────╮╭────────────╮╭────────────╮╭────────────╮
│            ││            ││▒▒▒▒▒▒▒▒▒▒▒▒││▒▒▒▒▒▒▒▒▒▒▒▒│
│     15     ││     3      ││   small    ││▒▒▒▒▒▒▒▒▒▒▒▒│
│            ││            ││    dog     ││▒▒▒▒▒▒▒▒▒▒▒▒│
╰────────────╯╰────────────╯╰────────────╯╰────────────╯
    dummy          Anna          Ben           Cara
                  passed       to move
Mouse cards: [3 taken] [6 next]  Bank: 16
Ben has 20 mice.
╭──╮╭──────╮╭─╮╭─╮╭──╮╭──╮
│−8││rabbit││3││8││11││15│
╰──╯╰──────╯╰─╯╰─╯╰──╯╰──╯
won −5, 5
"""
    )


def test_an_empty_mouse_card_is_not_said_to_be_taken() -> None:
    bodies = read_export((GOLDEN / "3-players-2017.jsonl").read_bytes()).bodies
    events = [one.data for one in check_envelopes(bodies)]
    began = next(
        place
        for place, event in enumerate(events)
        if isinstance(event, RoundStarted) and not any(event.mice_on_cards)
    )
    passed = next(place for place in range(began, len(events)) if isinstance(events[place], PlayerPassed))
    told = drawn("3-players-2017", passed + 1, "spectator", 60).replace("\N{NO-BREAK SPACE}", " ")
    assert "Mouse cards: [3 empty] [6 empty]" in told


def test_when_all_is_over_each_seat_has_a_line() -> None:
    assert (
        drawn("3-players-2017", 121, "all", 60)
        == """
Mouse cards: [3 empty] [6 empty]  Bank: 28
Anna, 0 mice; won −8, −8, rabbit, rabbit, 5, 8, 11, 11
Ben, 3 mice; won −8, −8, −5, rabbit, 3, 3, 3, 5, 5, 8
Cara, 35 mice; won 3, 15
"""
    )


def test_between_two_rounds_there_is_no_row() -> None:
    assert (
        drawn("5-players-2017", 37, 2, 60)
        == """
Mouse cards: [2 taken] [3 taken] [4 taken] [6 taken]
Bank: 21
Cara has 18 mice.
╭──╮╭──────╮╭─╮╭─╮╭──╮╭──╮╭─────────╮╭─────────╮
│−5││rabbit││3││8││11││15││large dog││small dog│
╰──╯╰──────╯╰─╯╰─╯╰──╯╰──╯╰─────────╯╰─────────╯
"""
    )


def test_mouse_cards_that_were_not_filled_are_empty() -> None:
    assert (
        drawn("5-players-2017", 60, 2, 120)
        == """
╭────────────╮╭────────────╮╭────────────╮╭────────────╮╭────────────╮
│▒▒▒▒▒▒▒▒▒▒▒▒││            ││            ││            ││            │
│▒▒▒▒▒▒▒▒▒▒▒▒││no card yet ││no card yet ││no card yet ││no card yet │
│▒▒▒▒▒▒▒▒▒▒▒▒││            ││            ││            ││            │
╰────────────╯╰────────────╯╰────────────╯╰────────────╯╰────────────╯
     Dan           Eve           Anna          Ben           Cara
    starts
Mouse cards: [2 empty] [3 empty] [4 empty] [6 empty]  Bank: 9
Cara has 22 mice.
╭──╮╭──────╮╭─╮╭─╮╭──╮╭──╮╭─────────╮
│−5││rabbit││3││8││11││15││small dog│
╰──╯╰──────╯╰─╯╰─╯╰──╯╰──╯╰─────────╯
"""
    )


@pytest.mark.slow
@pytest.mark.parametrize("width", [40, 41, 59, 60, 80, 120])
def test_no_line_is_wider_than_the_terminal(width: int) -> None:
    for version in range(1, 150, 7):
        lines = drawn("5-players-2017", version, 2, width, LONG).splitlines()
        assert max(map(cell_len, lines)) <= width, version


def test_a_narrower_terminal_gets_the_row_in_two_parts() -> None:
    lines = drawn("5-players-2017", 36, "spectator", 30).splitlines()
    assert max(map(cell_len, lines)) <= 30
    assert sum(line.startswith("╭") for line in lines) == 2


def test_a_card_that_lies_face_down_is_shown_to_its_owner_alone() -> None:
    back = "▒" * 12
    assert drawn("5-players-2017", 24, "spectator", 80).count(back) == 15
    assert all(drawn("5-players-2017", 24, seat, 80).count(back) < 15 for seat in range(5))


def test_colours_change_no_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    coloured = drawn("5-players-2017", 32, 3, 80, colours=True)
    assert "\x1b[" in coloured
    assert "".join(_without_escapes(coloured).split()) == "".join(drawn("5-players-2017", 32, 3, 80).split())


def _without_escapes(text: str) -> str:
    first, *others = text.split("\x1b[")
    return first + "".join(one.partition("m")[2] for one in others)


def test_a_name_is_never_read_as_markup() -> None:
    names = ("[red]A[/red]", ":cat:", "[/]", "Dan", "Eve")
    seen = drawn("5-players-2017", 36, 0, 80, names)
    assert "[red]A[/red]" in seen
    assert ":cat:" in seen
    assert "[/]" in seen
