"""A game as commands look at it: who sat where when, and what was said."""

from __future__ import annotations

from pathlib import Path

import pytest

from felix_cli.wiring import look_up
from fresh import a_database
from spoken import ANNA_SAID, BEN_SAID, NORA, NORA_SAID, a_spoken_game
from table import BEN

DATABASE = Path("felix.db")


@pytest.fixture
def spoken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, list[int], int]:
    """In felix.db."""
    monkeypatch.chdir(tmp_path)
    store = a_database(DATABASE)
    made = a_spoken_game(store)
    store.close()
    return made


def test_who_sat_in_a_seat_is_known_by_the_version_at_which_somebody_else_came(
    spoken: tuple[str, list[int], int],
) -> None:
    game_id, _, came = spoken
    subject = look_up(game_id, DATABASE)
    assert list(subject.former) == [(came, BEN, "Ben")]
    assert b'"seat_taken"' in subject.evidence.bodies[came - 1]
    assert subject.people[BEN] == NORA.name


def test_what_was_said_is_known_by_version_but_for_what_was_said_after_the_end(
    spoken: tuple[str, list[int], int],
) -> None:
    game_id, said, _ = spoken
    assert look_up(game_id, DATABASE).words == dict(zip(said, [ANNA_SAID, BEN_SAID, NORA_SAID], strict=True))


def test_of_a_player_who_was_forgotten_neither_name_nor_words_are_known(
    spoken: tuple[str, list[int], int],
) -> None:
    game_id, said, came = spoken
    store = a_database(DATABASE)
    with store.write() as tx:
        tx.forget("ben-1")
    store.close()
    subject = look_up(game_id, DATABASE)
    assert list(subject.former) == [(came, BEN, "")]
    assert subject.words == {said[0]: ANNA_SAID, said[2]: NORA_SAID}
