"""Games that were read lately: what is remembered of them is what a fresh look would find."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import cast

import pytest

from felix_async.game.folding import fold
from felix_async.game.story import Story
from felix_events.envelope import Unreadable, check_envelopes
from felix_events.store.base import Reader
from felix_events.tree import extend, leaf
from felix_notifiers.mails import recent
from felix_notifiers.mails.recent import Past, Recent
from games import a_game_played


@dataclass
class Shelf:
    """One log, as far as it is shown, that counts the events that it was asked for."""

    log: Sequence[bytes]
    shown: int
    read: int = 0
    ranges: list[bytes] = field(default_factory=list)

    def __post_init__(self) -> None:
        leaves = enumerate(map(leaf, self.log))
        self.ranges = list(accumulate(leaves, lambda grown, one: extend(grown, *one), initial=b""))

    def head(self, game_id: str) -> tuple[int, bytes]:
        return self.shown, self.ranges[self.shown]

    def bodies(self, game_id: str, after: int = 0, until: int | None = None) -> list[bytes]:
        found = list(self.log[after : self.shown])
        self.read += len(found)
        return found


def shelf(shown: int, seed: str = "a") -> Shelf:
    return Shelf(a_game_played(3, seed=seed).evidence.bodies, shown)


def past(known: Recent, of: Shelf, game_id: str = "k7m2p") -> Past:
    return known.past(cast("Reader", of), game_id)


def fresh(of: Shelf) -> Past:
    return past(Recent(), of)


def test_after_each_event_it_is_what_a_fresh_look_finds() -> None:
    known, growing = Recent(), shelf(0)
    for shown in range(len(growing.log) + 1):
        growing.shown = shown
        found, envelopes = past(known, growing), check_envelopes(growing.log[:shown])
        assert found.story == Story.of(envelopes)
        assert found.story.game == fold(envelope.data for envelope in envelopes)


def test_only_what_is_new_is_read() -> None:
    known, growing = Recent(), shelf(60)
    past(known, growing)
    growing.shown = 63
    past(known, growing)
    past(known, growing)
    assert growing.read == 63


def test_what_was_given_out_stays_as_it_was() -> None:
    known, growing = Recent(), shelf(60)
    before = past(known, growing)
    growing.shown = 90
    past(known, growing)
    assert before == fresh(shelf(60))


def test_a_log_that_does_not_go_on_from_there_is_read_from_its_beginning() -> None:
    """As after a backup was put back, and the game went on in another way."""
    known, other = Recent(), shelf(70, "b")
    past(known, shelf(60))
    assert past(known, other) == fresh(other)
    assert other.read == 140 + 10


def test_a_log_that_is_shorter_now_is_read_from_its_beginning() -> None:
    known = Recent()
    past(known, shelf(60))
    assert past(known, shelf(50)) == fresh(shelf(50))


def test_what_cannot_be_read_is_not_remembered() -> None:
    known, broken = Recent(), shelf(60)
    log = [*broken.log[:40], b"{}", *broken.log[41:]]
    past(known, shelf(30))
    for _ in range(2):
        with pytest.raises(Unreadable):
            past(known, Shelf(log, 60))
    assert past(known, shelf(60)) == fresh(shelf(60))


def test_no_more_games_are_remembered_than_are_allowed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recent, "MOST", 3)
    known, one = Recent(), shelf(20)
    for number in range(5):
        past(known, one, f"game-{number}")
    assert one.read == 5 * 20
    past(known, one, "game-2")
    assert one.read == 5 * 20
    past(known, one, "game-1")
    assert one.read == 6 * 20
