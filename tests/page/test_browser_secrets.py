"""Nobody learns from a page what they may not know, or what they do not want to know yet."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from typing import Final

import pytest

from each import one_in
from felix_async.audit.evidence import Evidence
from felix_async.game.views import Viewer, may_know
from felix_events.envelope import canonical
from games import NAMES, Played, a_game_played
from page.browsing import ON, PLAIN, Browsing, Opened, a_page, page_of, told, unpacked
from page.forging import spoken, with_orders
from secrets_changed import with_other_secrets
from spoken import ANNA_SAID, NORA_SAID
from table import ANNA

VISIBLE: Final = """() => {
  const texts = [];
  const look = (where) => {
    if (["SCRIPT", "STYLE"].includes(where.tagName) || getComputedStyle(where).display === "none") return;
    for (const name of ["aria-label", "title", "placeholder"]) texts.push(where.getAttribute(name) ?? "");
    for (const inside of where.childNodes) {
      if (inside.nodeType === Node.TEXT_NODE) texts.push(inside.data);
      else if (inside.nodeType === Node.ELEMENT_NODE) look(inside);
    }
  };
  for (const part of document.querySelectorAll("details:not([hidden])")) part.open = true;
  look(document.body);
  return texts.join("\\n");
}"""
"""All that eyes and screen readers get of the page."""
WHOLE: Final = """([key, times]) => Array.from({length: times}, () => {
  document.body.dispatchEvent(new KeyboardEvent("keydown", {bubbles: true, ...key}));
  return ["header", "#stage", "#story", "#purses", "#chart", "#days", "#best", "#no-moments"]
    .map((found) => document.querySelector(found).outerHTML).join("\\n");
})"""
"""All elements of the page after each press of a key, but for the proof."""
_HASH: Final = re.compile(rb"(?:[0-9a-f]{8}){8,}|[A-Za-z0-9+/]{43}=")


def visible(opened: Opened) -> str:
    found: str = opened.page.evaluate(VISIBLE)
    return found.translate(PLAIN)


# ---- what a viewer must not know ----------------------------------------------------------------------
EYES: Final[list[tuple[int, Viewer]]] = [
    (seats, viewer) for seats in (4, 3, 5) for viewer in ("spectator", *range(seats))
]
"""All who may look at a game of 3, 4 or 5 players without seeing all of it."""


@cache
def ordered(seats: int) -> Evidence:
    """A game of so many with orders given in advance."""
    return next(one for one in map(with_orders, range(5, 8)) if len(Played("", one).game().seats) == seats)


def all_in(made: bytes) -> str:
    """A page, and what it holds packed."""
    return (made + unpacked(made, "felix-decisions")).decode().replace("%3C", "<")


def secrets_of(evidence: Evidence, viewer: Viewer) -> list[str]:
    """Salts, cards and texts that only other seats hold, or the dummy."""
    envelopes = Played("", evidence).envelopes
    hidden = [one for one in envelopes if not may_know(one.data, viewer)]
    found = [one.salt or "" for one in hidden]
    found += [canonical(one.data.model_dump()).decode() for one in hidden]
    for version, record in evidence.private_records.items():
        if getattr(envelopes[version - 1].data, "seat", None) != viewer:
            found.append(record.decode())
    for seat, log in evidence.seat_logs.items():
        if seat != viewer:
            found += [body.decode() for body in log.bodies]
    return found


@pytest.mark.parametrize(("seats", "viewer"), one_in(3, EYES))
def test_no_secret_of_another_seat_is_in_the_bytes(seats: int, viewer: Viewer) -> None:
    evidence = ordered(seats)
    made, hidden = all_in(page_of(evidence, viewer, NAMES[:seats])), secrets_of(evidence, viewer)
    assert len(hidden) > 50
    assert [secret for secret in hidden if secret in made] == []


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_all_that_is_looked_for_is_in_the_page_of_everybody(seats: int) -> None:
    made = all_in(page_of(ordered(seats), "all", NAMES[:seats]))
    assert [one for one in secrets_of(ordered(seats), "spectator") if one not in made] == []


@pytest.mark.parametrize(("seats", "viewer"), one_in(3, EYES))
def test_other_secrets_change_nothing_but_hashes(seats: int, viewer: Viewer) -> None:
    pages = [page_of(one, viewer, NAMES[:seats]) for one in games_apart(seats, viewer)]
    assert pages[0] != pages[1]
    assert _HASH.sub(b"", pages[0]) == _HASH.sub(b"", pages[1])


@pytest.mark.slow
@pytest.mark.parametrize(("seats", "viewer"), [*EYES[:2], EYES[5], EYES[7], EYES[-1]])
def test_other_secrets_look_the_same_at_every_step(browsing: Browsing, seats: int, viewer: Viewer) -> None:
    seen: list[list[str]] = []
    for evidence in games_apart(seats, viewer):
        with browsing.open(page_of(evidence, viewer, NAMES[:seats]), "#v1") as opened:
            seen.append(opened.page.evaluate(WHOLE, [ON, len(evidence.bodies)]))
            assert opened.errors == []
    for version, (one, other) in enumerate(zip(*seen, strict=True), 2):
        assert one == other, f"version {version}"


def games_apart(seats: int, viewer: Viewer) -> list[Evidence]:
    """A game, and one that looks the same to a viewer."""
    played = a_game_played(seats)
    mine = replace(played.evidence, private_records={}, seat_logs={}, kept=None)
    other = with_other_secrets(played, viewer, "browser").evidence
    return [mine, replace(other, seat_logs={})]


@pytest.mark.slow
def test_a_spectator_reads_no_words_to_the_table(browsing: Browsing) -> None:
    made = page_of(spoken(), "spectator", NAMES[:4])
    assert ANNA_SAID not in all_in(made)
    with browsing.open(page_of(spoken(), ANNA, NAMES[:4], at_end=True)) as opened:
        assert NORA_SAID in visible(opened)


# ---- nothing too early --------------------------------------------------------------------------------
def too_early(opened: Opened, seats: int) -> list[str]:
    """Sentences of later beats and moments that can be read."""
    seen, replay = visible(opened), told(seats)
    furthest = opened.version
    late = [beat.text for beat in replay.beats if (beat.last or 0) > furthest and len(beat.text) > 15]
    known = [beat.text for beat in replay.beats if (beat.last or 0) <= furthest]
    late += [one.text(replay.names.now) for one in replay.moments if one.version > furthest]
    return [text for text in late if text not in known and text.translate(PLAIN) in seen]


@pytest.mark.slow
@pytest.mark.parametrize("seats", [3, 4, 5])
def test_it_opens_at_the_deal_and_tells_nothing_later(browsing: Browsing, seats: int) -> None:
    with browsing.open(a_page(seats)) as opened:
        deal = next(beat for beat in told(seats).beats if beat.kind == "deal")
        assert opened.version == deal.last
        assert too_early(opened, seats) == []
        assert visible(opened).count("not seen yet") == 2 * 9  # each round's label and title
        assert "Luck and skill" not in visible(opened)
        assert "Best moments\nThey show here" in re.sub(r"\n+", "\n", visible(opened))


@pytest.mark.slow
def test_it_tells_as_far_as_it_was_seen_and_no_further(browsing: Browsing) -> None:
    with browsing.open(a_page(4)) as opened:
        for _ in range(8):
            opened.press("]")
            assert too_early(opened, 4) == []


@pytest.mark.slow
def test_what_was_seen_stays_after_going_back(browsing: Browsing) -> None:
    with browsing.open(a_page(4)) as opened:
        opened.press("]", "]", "]")
        before = opened.page.locator("#story [data-kind]:not([hidden])").count()
        charts = opened.page.locator("#chart polyline").first.get_attribute("points")
        opened.press("Home")
        assert opened.page.locator("#story [data-kind]:not([hidden])").count() == before
        assert opened.page.locator("#chart polyline").first.get_attribute("points") == charts


@pytest.mark.slow
def test_the_result_is_there_from_the_beginning_if_it_was_asked_for(browsing: Browsing) -> None:
    with browsing.open(a_page(4, at_end=True)) as opened:
        assert opened.version == a_game_played(4).size
        assert told(4).beats[-1].text.translate(PLAIN) in visible(opened)
        assert "not seen yet" not in visible(opened)
        assert visible(opened).count("Luck and skill") == 1


@pytest.mark.slow
def test_a_link_opens_no_more_than_what_it_leads_to(browsing: Browsing) -> None:
    with browsing.open(a_page(4), "#v60") as opened:
        assert opened.version == 60
        assert too_early(opened, 4) == []
