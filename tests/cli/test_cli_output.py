"""Tables on a terminal."""

from __future__ import annotations

import pytest

from felix_cli.output import print_table, table_lines


def test_columns_are_as_wide_as_a_terminal_shows_them() -> None:
    """A Chinese character takes two columns."""
    assert table_lines(("player", "cats"), [("李娜", "3"), ("Anna", "12")]) == [
        "player  cats",
        "李娜    3",
        "Anna    12",
    ]


def test_a_table_without_rows_is_not_printed(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(("player",), [])
    assert capsys.readouterr().out == ""
