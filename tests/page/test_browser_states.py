"""What the page shows at each version of a game is what Python makes of the log, forward and back."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from felix_async.audit.evidence import evidence_in
from felix_async.audit.redacted import envelopes_of, exported_for
from felix_async.game.cards import card_text, cat_points, in_order
from felix_async.game.folding import fold
from felix_async.game.names import Names
from felix_async.game.scoring import ranked
from felix_async.game.state import Game, SeatState
from felix_async.game.views import View, Viewer, view
from felix_async.language.phrases import signed
from felix_async.replay.page.facts import isolated_names
from felix_async.replay.replay import Replay
from felix_events import model as m
from felix_events.export import read_export
from games import NAMES, a_game_played, a_running_game
from page.browsing import BACK, ON, PLAIN, Browsing, a_page, page_of, told
from table import ANNA, BEN


def expected(replay: Replay, version: int) -> dict[str, Any]:
    """What is to be seen after a version; a sack that was sold still lies there as it lay."""
    events = [envelope.data for envelope in replay.envelopes if envelope.version <= version]
    starts = [place for place, event in enumerate(events) if isinstance(event, m.RoundStarted)]
    played = events[starts[-1] :] if starts else []
    sold = next((one for one in played if isinstance(one, m.SackSold | m.SackDiscarded)), None)
    before = fold(events if sold is None else events[: events.index(sold, starts[-1])])
    table, game = view(before, "spectator"), fold(events)
    bids = {event.seat: event.amount for event in played if isinstance(event, m.BidPlaced)}
    sale = sold if isinstance(sold, m.SackSold) else None
    open_to = range(len(game.seats)) if replay.viewer == "all" else [replay.viewer]
    row: list[dict[str, Any]] = []
    for place in table.row:
        card, lies = place.card, "face down" if place.placed else "no card yet"
        if card is None and place.owner is not None and place.owner in open_to:
            card = before.seats[place.owner].placed
            lies = _known(card) if card is not None else lies
        row.append(
            {
                "card": lies if place.card is None else card_text(place.card),
                "who": "dummy" if place.owner is None else _name(replay, place.owner, version),
                "state": "" if place.owner is None else _state(table, place.owner, bids, sale),
                "chased": False,
                "is": card,
            }
        )
    if game.phase == "between" and not starts:
        row = _box(replay, game, open_to)
    if sale is not None and sale.chased is not None:
        chased = next(one for one in row if one["is"] == sale.chased)
        chased.update(chased=True, card=f"{chased['card']}, chased away")
    return {
        "version": version,
        "viewer": str(replay.viewer),
        "round": f"Round {game.round} of 9" if starts else "Before the first round",
        "row": [{key: value for key, value in one.items() if key != "is"} for one in row],
        "mice": [[card.mice, card.taken] for card in table.mouse_cards] if starts else [],
        "bank": f"bank {table.bank}" if starts else None,
        "purses": [
            {
                "who": _name(replay, seat, version),
                "sum": _sum(game.seats[seat]),
                "hand": _cards(game.seats[seat].hand) if seat in open_to else [],
            }
            for seat in (ranked(game.scores) if game.scores else replay.game.players)
        ],
    }


def _box(replay: Replay, game: Game, open_to: Iterable[int | str]) -> list[dict[str, Any]]:
    """Before the first round: what went into the box, and of whom."""
    names = replay.names.at(game.version)
    boxed = [(names[seat].translate(PLAIN), game.seats[seat].boxed, seat in open_to) for seat in game.players]
    if len(game.players) == 3:
        boxed.append(("dummy", game.dummy_boxed, replay.viewer == "all"))
    return [
        {
            "card": _known(card) if card is not None and is_open else "face down",
            "who": who,
            "state": "",
            "chased": False,
        }
        for who, card, is_open in boxed
    ]


def _known(card: m.Card) -> str:
    """A card that lies face down for others."""
    return f"{card_text(card)}, face down"


def _name(replay: Replay, seat: int, version: int) -> str:
    return replay.names.at(version)[seat].translate(PLAIN)


def _state(table: View, seat: int, bids: dict[int, int], sale: m.SackSold | None) -> str:
    if sale is not None and sale.seat == seat:
        net = cat_points(sale.prize) - sale.price
        return f"paid {sale.price}, net {'+' if net > 0 else ''}{signed(net)}"
    if table.seats[seat].passed:
        return f"passed at {bids[seat]}" if seat in bids else "passed"
    moves = ["to move"] if table.to_move == seat and sale is None else []
    return ", ".join([*([f"bids {table.seats[seat].bid}"] if table.seats[seat].bid else []), *moves])


def _cards(cards: Iterable[m.Card]) -> list[str]:
    return [card_text(card) for card in in_order(cards)]


def _sum(seat: SeatState) -> str:
    cats = sum(card for card in seat.won if isinstance(card, int))
    return f"{signed(cats)} + {seat.mice}= {signed(cats + seat.mice)}"


def without(states: list[dict[str, Any]], name: str) -> list[dict[str, Any]]:
    return [{key: value for key, value in state.items() if key != name} for state in states]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seats", "viewer"), [(3, "all"), (4, "all"), (5, "all"), (3, "spectator"), (4, ANNA), (5, BEN)]
)
def test_each_version_shows_what_the_log_says_forward_and_back(
    browsing: Browsing, seats: int, viewer: Viewer
) -> None:
    replay = told(seats, viewer)
    size = len(replay.envelopes)
    with browsing.open(a_page(seats, viewer), "#v1") as opened:
        opened.page.wait_for_selector("html[data-version='1']", state="attached")
        first = opened.shown()
        forward = [first, *opened.walk(ON, size - 1)]
        back = opened.walk(BACK, size - 1)
        assert opened.errors == []
    for version, state in enumerate(without(forward, "said"), 1):
        assert state == expected(replay, version), f"version {version}"
    assert without(back, "said") == without(forward[-2::-1], "said")


@pytest.mark.slow
@pytest.mark.parametrize("viewer", ["spectator", ANNA])
def test_each_version_of_a_running_game_shows_what_its_file_tells(browsing: Browsing, viewer: Viewer) -> None:
    played = a_running_game(4)
    log = exported_for(viewer, played.evidence, played.names, "", is_over=False)
    evidence = evidence_in(read_export(log))
    replay = Replay(evidence, envelopes_of(evidence), viewer, isolated_names(Names(played.names)))
    with browsing.open(page_of(played.evidence, viewer, played.names), "#v1") as opened:
        shown = [opened.shown(), *opened.walk(ON, played.size - 1)]
        shown = list({state["version"]: state for state in shown}.values())
        assert opened.errors == []
        assert opened.page.evaluate("document.documentElement.dataset.verdict") == "sound"
        assert f"{played.size} events so far" in opened.page.inner_text("#verdict")
    for state in without(shown, "said"):
        assert state == expected(replay, state["version"]), f"version {state['version']}"
    assert all(state["said"] for state in shown if state["row"])
    assert shown[-1]["version"] == played.size


@pytest.mark.slow
def test_nobody_stands_between_the_cards_of_a_round_of_a_running_game(browsing: Browsing) -> None:
    over = a_game_played(4)
    third = over.versions("round_started")[2]
    played = over.until(next(end for end in over.step_ends() if end > third + 1))
    with browsing.open(page_of(played.evidence, "spectator", played.names), "#v1") as opened:
        shown = [opened.shown(), *opened.walk(ON, played.size - 1)]
        opened.press("Home")
        opened.press("End")
        now = opened.shown()
    begun = [state for state in shown if state["mice"] and state["version"] < played.size]
    rows = [[card["card"] for card in state["row"]] for state in begun]
    closed = [row for row in rows if set(row) <= {"face down", "no card yet"}]
    assert {row.count("face down") for row in closed} == {0}
    assert now["version"] == played.size
    assert 0 < [card["card"] for card in now["row"]].count("face down") < 4


@pytest.mark.slow
def test_each_beat_is_told_where_it_ends(browsing: Browsing) -> None:
    replay = told(4)
    with browsing.open(a_page(4), "#v1") as opened:
        said = [opened.shown(), *opened.walk(ON, len(replay.envelopes) - 1)]
    for beat in replay.beats:
        assert beat.last is not None
        assert said[beat.last - 1]["said"] == beat.text.translate(PLAIN)


@pytest.mark.slow
def test_inside_a_beat_only_a_seats_own_steps_have_its_reasons(browsing: Browsing) -> None:
    replay, own = told(4, ANNA), set(a_game_played(4).versions("bid_placed"))
    with browsing.open(page_of(a_game_played(4).evidence, ANNA, NAMES[:4]), "#v1") as opened:
        step = "() => [document.documentElement.dataset.version, document.querySelector('#quiz').innerText]"
        said = {}
        for _ in range(len(replay.envelopes) - 1):
            opened.press("Shift+ArrowRight")
            version, text = opened.page.evaluate(step)
            said[int(version)] = text
    inside = own - {beat.last for beat in replay.beats}
    mine = {v for v in inside if getattr(replay.envelopes[v - 1].data, "seat", None) == ANNA}
    assert 0 < len(mine) < len(inside)
    assert {version for version in inside if "reasons" in said[version]} == mine
