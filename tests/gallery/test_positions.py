"""The place of the answers on the screen of a phone, as Chromium draws it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import pytest

from each import each
from gallery.chromium import Chromium, Place, chromium, find_chromium
from gallery.shown import mails, occasions

WIDTH: Final = 360
ON_SCREEN: Final = 500
"""So many pixels of a mail are seen without a finger, below the bars of a mail program."""
JOIN_ON_SCREEN: Final = 600
TAP: Final = 44
"""The least height of what is tapped (WCAG 2, 2.5.5)."""
SIDE: Final = 16
"""Free beside the text."""
FREE: Final = 5
"""At least free beside the words of a button."""

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(find_chromium() is None, reason="there is no Chromium here"),
]


@dataclass
class Links:
    """The places of the links of a mail, by its name; drawn when it is asked for."""

    browser: Chromium
    page: Path
    found: dict[str, list[Place]] = field(default_factory=dict)

    def __getitem__(self, name: str) -> list[Place]:
        if name not in self.found:
            self.found[name] = self.of(name, "a")
        return self.found[name]

    def of(self, name: str, selector: str) -> list[Place]:
        """Those that CSS finds alone."""
        self.page.write_text(mails()[name].html, encoding="utf-8")
        return self.browser.places(self.page, selector, width=WIDTH)


@pytest.fixture(scope="module")
def links(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Links]:
    program = find_chromium()
    assert program is not None
    with chromium(program) as browser:
        yield Links(browser, tmp_path_factory.mktemp("positions") / "page.html")


def moves() -> list[str]:
    """The mails that ask for a bid, a card or a limit, and answer nothing."""
    return [
        name
        for name, one in occasions().items()
        if one.kinds
        and one.kinds <= {"turn", "early", "reminder"}
        and one.answer is None
        and one.game.table.phase != "inviting"
        and (one.game.is_asked or one.game.is_early)
    ]


@each("name", moves)
def test_the_first_answer_is_seen_without_a_finger(links: Links, name: str) -> None:
    assert links[name][0].bottom < ON_SCREEN


@each("seats", [3, 4, 5])
def test_all_bids_are_seen_without_a_finger(links: Links, seats: int) -> None:
    """PASS stands above them, as wide as the sheet."""
    for what in ("bid", "bid, nobody has bid yet", "round 9"):
        passing, *others = links[f"{seats} players: {what}"]
        bids = [
            link for link in others if link.words.removeprefix("BID ").isdigit() and link.top < 2 * ON_SCREEN
        ]
        row = [link for link in bids if link.top == bids[0].top]
        assert passing.words.startswith("PASS ")
        assert passing.right - passing.left > WIDTH - 4 * SIDE
        assert [link.words.startswith("BID ") for link in row] == [True] + [False] * (len(row) - 1)
        assert len(row) > 1
        assert row[0].bottom < ON_SCREEN


@each("seats", [3, 4, 5])
def test_limits_are_seen_without_a_finger_unless_the_last_sack_needs_more_words(
    links: Links, seats: int
) -> None:
    for what in ("bid", "bid, nobody has bid yet"):
        (limit,) = [link for link in links[f"{seats} players: {what}"] if link.words.startswith("UP TO ")]
        assert limit.bottom < ON_SCREEN


def test_the_mails_of_three_four_and_five_players_and_of_the_last_round_are_among_them() -> None:
    for seats in (3, 4, 5):
        assert {f"{seats} players: {what}" for what in ("bid", "round 9", "place a card")} <= set(moves())
    assert {"long names", "hostile names", "time: a reserve", "early: after others"} <= set(moves())


@each(
    "name", lambda: [name for name in mails() if "\n  JOIN\n" in mails()[name].text and "status" not in name]
)
def test_join_is_within_reach(links: Links, name: str) -> None:
    assert links[name][0].words == "JOIN"
    assert links[name][0].bottom < JOIN_ON_SCREEN


@each("name", mails)
def test_what_is_tapped_is_high_enough_and_on_the_screen(links: Links, name: str) -> None:
    for link in links[name]:
        assert link.bottom - link.top >= TAP
        assert 0 <= link.left < link.right <= WIDTH


@each("name", mails)
def test_no_words_touch_the_frame_of_their_button(links: Links, name: str) -> None:
    for link in links.of(name, ".fx-other a"):
        assert link.beside >= FREE
