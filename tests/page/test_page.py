"""The page as a file: nothing of strangers runs in it, and nobody learns more than they may."""

from __future__ import annotations

import re
from base64 import b64encode
from dataclasses import replace
from functools import cache
from hashlib import sha256
from html.parser import HTMLParser
from random import Random
from typing import Any

import orjson
import pytest
from markupsafe import escape

from async_.sameness import played as played_with_orders
from felix_async.audit.evidence import Evidence
from felix_async.game.moments import best
from felix_async.game.names import Names
from felix_async.game.narrate import retell, untimed
from felix_async.game.story import Story
from felix_async.game.views import Viewer
from felix_async.language.phrases import signed
from felix_async.people import FORMER
from felix_async.replay.page.facts import (
    data_of,
    figures_of,
    isolated,
    isolated_names,
    moments_of,
    ranking,
)
from felix_async.replay.page.page import page
from felix_async.replay.page.script import ENGINE, INTERFACE, read, script, styles
from felix_async.replay.replay import Replay
from felix_events.embedded import embedded_in
from games import NAMES, TABLE_NAME, Played, a_game_played, a_running_game
from page.browsing import page_of, unpacked
from page.forging import golden
from secrets_changed import with_other_secrets, with_other_times
from table import ANNA, BEN

MOST_BESIDE = 100_000
"""Bytes of a page beside its log."""
EVIL = ("</script><img src=x onerror=alert(1)>", "<!--", "\u05e9\u05dc\u05d5\u05dd", '"><b>Dan')


class Elements(HTMLParser):
    """The elements of a page with their attributes, and its texts outside of styles and scripts."""

    def __init__(self, made: bytes) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.raw: dict[str, str] = {}
        self.texts: list[str] = []
        self._in = ""
        self.feed(made.decode("utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self._in = str(dict(attrs).get("type") or tag) if tag in ("style", "script") else ""

    def handle_endtag(self, tag: str) -> None:
        self._in = ""

    def handle_data(self, data: str) -> None:
        if self._in:
            self.raw[self._in] = self.raw.get(self._in, "") + data
        else:
            self.texts.append(data)

    def all(self, tag: str) -> list[dict[str, str | None]]:
        """The attributes of each element of this name."""
        return [attributes for name, attributes in self.elements if name == tag]


def a_page(
    played: Played, viewer: Viewer = "all", names: Names | None = None, table: str = TABLE_NAME, **more: bool
) -> bytes:
    called = isolated_names(names or Names(played.names))
    replay = Replay(played.evidence, played.envelopes, viewer, called, table=table)
    return page(replay, played.export(), **more)


def told_of(seats: int) -> Replay:
    played = a_game_played(seats)
    return Replay(played.evidence, played.envelopes, "all", isolated_names(Names(played.names)))


@cache
def made() -> bytes:
    return a_page(a_game_played(4))


@cache
def parsed() -> Elements:
    return Elements(made())


@cache
def with_orders(number: int = 7) -> Played:
    room, game_id = played_with_orders(number, orders=True)
    return Played(game_id, room.evidence(game_id), NAMES[: len(room.game(game_id).seats)])


def data_in(found: bytes) -> dict[str, Any]:
    data: dict[str, Any] = orjson.loads(unpacked(found, "felix-decisions"))
    return data


# ---- what may run -----------------------------------------------------------------------------------
def policy() -> str:
    (found,) = [one["content"] for one in parsed().all("meta") if one.get("http-equiv")]
    return str(found)


def hash_of(text: str) -> str:
    return f"'sha256-{b64encode(sha256(text.encode()).digest()).decode()}'"


def test_the_policy_allows_nothing_but_the_style_and_the_script() -> None:
    start = parsed().raw["script"]
    assert policy() == (
        f"default-src 'none'; style-src {hash_of(parsed().raw['style'])}; "
        f"script-src {hash_of(start)} {hash_of(script())}; base-uri 'none'; form-action 'none'"
    )


def test_the_page_holds_the_script_whose_hash_it_names() -> None:
    assert unpacked(made(), "felix-script") == script().encode()


def test_the_page_loads_nothing() -> None:
    keys = {key for _, attributes in parsed().elements for key in attributes}
    assert keys.isdisjoint({"src", "srcset", "href", "action", "data", "poster"})
    assert not re.search(r"url\(|@import", styles())


def test_no_element_has_a_style_or_a_handler_of_its_own() -> None:
    keys = {key for _, attributes in parsed().elements for key in attributes}
    assert [key for key in keys if key == "style" or key.startswith("on")] == []


def test_a_module_comes_after_those_that_it_uses() -> None:
    order = [*ENGINE, *INTERFACE]
    for place, name in enumerate(order):
        used = re.findall(r'from "\./(\w+)\.mjs"', read(f"{name}.mjs"))
        assert set(used) <= set(order[:place]), name


# ---- strangers' names -------------------------------------------------------------------------------
def hostile() -> bytes:
    names = Names(EVIL, [(20, 1, "<script>x")])
    return a_page(a_game_played(4), names=names, table="<b>x</b></title><script>")


def test_hostile_names_make_no_elements() -> None:
    tame, wild = Elements(made()), Elements(hostile())
    assert [tag for tag, _ in wild.elements] == [tag for tag, _ in tame.elements]


def test_a_table_without_a_name_is_headed_by_the_game_and_says_felix_once() -> None:
    nameless = a_page(a_game_played(4), table="").decode()
    game = a_game_played(4).game_id
    assert f"<title>Felix, game {game}</title>" in nameless
    assert f'<h1>Felix</h1><p class="quiet">game {game}</p>' in nameless


def test_names_turn_nothing_around_them() -> None:
    found = Elements(hostile())
    texts = [*found.texts, *data_in(hostile())["names"]]
    for name in EVIL:
        told = [text for text in texts if name in text]
        assert told
        assert all(text.count(name) == text.count(f"\u2068{name}\u2069") for text in told)


def test_names_of_then_are_told_apart_and_isolated_whoever_was_forgotten() -> None:
    called = Names(["Zoe", "Ben", "Cara", "Dan"], [(20, 0, "ben"), (30, 2, "")])
    shown = isolated_names(called)
    for version in (19, 20, 29, 30):
        apart = [name if name == FORMER else isolated(name) for name in called.at(version)]
        assert list(shown.at(version)) == apart


def test_words_to_the_table_turn_nothing_around_them() -> None:
    played = a_game_played(4)
    (beat, *_) = told_of(4).beats
    said = replace(beat, kind="talk", text="\u2068Anna\u2069: “\u05e9”")
    replay = replace(told_of(4), words={beat.first or 0: "\u05e9"})
    vars(replay)["beats"] = [said]
    found = page(replay, played.export())
    assert "“\u2068\u05e9\u2069”" in found.decode()


# ---- the story --------------------------------------------------------------------------------------
def test_without_scripts_it_is_nine_rounds_and_a_result_all_closed() -> None:
    found = parsed().all("details")
    assert [one["data-round"] for one in found] == [*(str(number) for number in range(1, 10)), "9"]
    assert not any("open" in one for one in found)
    assert [one["id"] for one in parsed().all("ul") if "id" in one][1:10] == [
        f"r{one}" for one in range(1, 10)
    ]


def test_a_sack_has_one_of_the_moments() -> None:
    played = told_of(4)
    versions = [version for version, _ in moments_of(played)]
    assert len(versions) == len({*versions}) < len(played.moments)


def test_the_best_moments_are_told_in_the_words_of_the_mail_and_have_the_stars() -> None:
    for evidence in golden().values():
        played = Played("", evidence, NAMES[:5])
        replay = Replay(evidence, played.envelopes, "all", isolated_names(Names(NAMES[:5])))
        chosen = best(replay.moments)
        assert {(one.version, one.text(replay.names.now)) for one in chosen} <= {*moments_of(replay)}
        assert data_of(replay, at_end=False)["stars"] == [one.version for one in chosen]


def test_the_scores_and_the_moments_are_inside_the_result() -> None:
    before, result = made().decode().split('<details id="result"')
    assert "<table>" not in before
    assert 'id="moments"' not in before
    assert "<table>" in result.partition("</details>")[0]
    assert 'id="moments"' in result.partition("</details>")[0]


def test_luck_and_skill_are_told_once_and_inside_the_result() -> None:
    before, result = made().decode().split('<details id="result"')
    told = told_of(4).figures
    assert len(told) == 4
    for figure in told:
        assert figure.explained not in before
        assert result.partition("</details>")[0].count(escape(figure.explained)) == 1


def test_luck_and_skill_are_in_the_order_of_the_result() -> None:
    replay = told_of(4)
    by_name = {
        name: [signed(figure.values[seat]) for figure in replay.figures]
        for seat, name in enumerate(replay.names.now)
    }
    assert figures_of(replay) == [(one.name, by_name[one.name]) for one in ranking(replay)]


def test_the_beats_stand_in_order() -> None:
    versions = [int(str(one["data-version"])) for one in parsed().all("li") if one.get("data-kind")]
    assert versions == sorted(set(versions))
    assert versions[-1] == a_game_played(4).size


def test_it_opens_at_the_deal_unless_the_end_is_asked_for() -> None:
    assert data_in(made())["end"] is False
    assert data_in(a_page(a_game_played(4), at_end=True))["end"] is True


def test_other_eyes_get_a_sentence_without_hidden_cards() -> None:
    (first,) = [one for one in parsed().all("li") if one.get("data-kind") == "deal"]
    assert first["data-open"] == "The game started and the cards were dealt, one of each hand into the box."


# ---- the file ---------------------------------------------------------------------------------------
def test_the_same_game_gives_the_same_bytes() -> None:
    assert a_page(a_game_played(4)) == made()


def test_the_log_comes_out_as_it_went_in() -> None:
    assert embedded_in(made()) == a_game_played(4).export()


@pytest.mark.parametrize("seats", [3, 4, 5])
def test_a_page_takes_at_most_so_much_beside_its_log(seats: int) -> None:
    played = a_game_played(seats)
    assert len(a_page(played)) - len(played.export()) <= MOST_BESIDE


def test_a_page_with_many_orders_takes_no_more() -> None:
    played = with_orders(5)
    assert (len(played.names), played.size > 200) == (5, True)
    assert len(a_page(played)) - len(played.export()) <= MOST_BESIDE


# ---- decisions --------------------------------------------------------------------------------------
def test_a_decision_has_the_computers_move_and_its_reasons() -> None:
    played = with_orders()
    data = data_in(a_page(played))
    texts, decisions = data["texts"], data["decisions"]
    assert decisions.keys() >= {str(version) for version in played.versions("bid_placed")}
    used = {index for _, told, why in decisions.values() for index in (*told, *why)}
    used.update(index for told in data["inside"].values() for index in told)
    used.update(index for told in data["told"].values() for index in told if index is not None)
    assert used == set(range(len(texts)))


def test_inside_a_beat_its_records_are_told_as_the_story_tells_them() -> None:
    data, replay = data_in(made()), told_of(4)
    inside = {version: [data["texts"][index] for index in told] for version, told in data["inside"].items()}
    everybody = list(retell(replay.envelopes, "spectator", replay.names))
    for beat in replay.beats:
        if beat.kind in ("placing", "bids", "pass", "sale"):
            for line in (*beat.lines, *beat.below):
                if line.version != beat.last:
                    told = inside[str(line.version)]
                    assert (told[0], told[-1]) == (line.text, everybody[line.step.version - 1].text)


def test_a_limit_that_was_never_reached_is_a_ghost() -> None:
    ghosts = data_in(a_page(with_orders()))["ghosts"]
    assert ghosts
    assert all(ghost["limit"] > 0 for ghost in ghosts)


# ---- what a viewer must not know --------------------------------------------------------------------
@pytest.mark.parametrize("viewer", ["spectator", ANNA, BEN])
def test_other_secrets_give_a_viewer_the_same_bytes(viewer: Viewer) -> None:
    played = with_orders()
    other = with_other_secrets(played, viewer, "page")
    assert other.evidence.bodies != played.evidence.bodies

    def shown(one: Played) -> bytes:
        evidence = replace(one.evidence, seat_logs={}, private_records={})
        replay = Replay(evidence, one.envelopes, viewer, isolated_names(Names(NAMES[:4])))
        return page(replay, b"")

    assert shown(other) == shown(played)


@pytest.mark.parametrize("viewer", ["spectator", ANNA, BEN])
def test_what_other_seats_kept_to_themselves_is_in_no_viewers_page(viewer: Viewer) -> None:
    played = with_orders()
    own = {seat: log for seat, log in played.evidence.seat_logs.items() if seat == viewer}
    assert len(own) < len(played.evidence.seat_logs)

    def shown(evidence: Evidence) -> bytes:
        names = isolated_names(Names(played.names))
        return page(Replay(evidence, played.envelopes, viewer, names), b"")

    assert shown(replace(played.evidence, seat_logs=own)) == shown(played.evidence)


@pytest.mark.parametrize("viewer", ["spectator", ANNA, BEN])
def test_other_secrets_and_times_give_the_same_page_of_a_running_game(viewer: Viewer) -> None:
    for played in running_games():
        shown = running_page(played, viewer)
        others = with_other_secrets(played, viewer, "page"), with_other_times(played, Random("times"))
        for other in others:
            assert other.evidence.bodies != played.evidence.bodies
            assert running_page(other, viewer) == shown


def running_games() -> list[Played]:
    """A game in an auction, and one in which not all cards of a round lie there yet."""
    played = a_game_played(4)
    second = played.versions("round_started")[1]
    return [a_running_game(4), played.until(next(end for end in played.step_ends() if end > second))]


def running_page(played: Played, viewer: Viewer) -> bytes:
    """The page without what twins do not have: the records of who caused a move, and the seats' own logs."""
    evidence = replace(played.evidence, seat_logs={}, private_records={})
    return page_of(evidence, viewer, played.names)


def test_a_page_of_a_running_game_has_no_time_of_a_move() -> None:
    played = a_running_game(4)
    times = {one.at.encode() for one in played.envelopes}
    made = running_page(played, ANNA)
    assert [at for at in times if at in made + unpacked(made, "felix-decisions")] == []


@pytest.mark.parametrize("viewer", ["spectator", ANNA])
def test_each_version_of_a_running_game_with_a_clock_is_told(viewer: Viewer) -> None:
    hurried = Played("", golden()["time-hurried.jsonl"])
    begun = hurried.versions("round_started")[5]
    for end in [end for end in hurried.step_ends() if begun <= end < begun + 20]:
        played = hurried.until(end)
        made = page_of(played.evidence, viewer)
        beats = [one for one in Elements(made).all("li") if "data-kind" in one]
        ends = [int(one["data-version"] or 0) for one in beats]
        told = {*ends, *map(int, data_in(made)["inside"])}
        for kind, before, last in zip([one["data-kind"] for one in beats], [0, *ends], ends, strict=False):
            told.update(range(before + 1, last + 1) if kind in data_in(made)["whole"] else ())
        steps = dict(enumerate(untimed(Story.of(played.envelopes)), 1))
        assert ends == sorted(set(ends))
        assert ends[-1] == len(steps)
        untold = {steps[version].event.type for version in steps.keys() - told}
        assert untold <= {"card_placed", "reserve_spent"}


def test_a_seats_page_has_its_own_decisions_alone() -> None:
    played = with_orders()
    decisions = data_in(a_page(played, ANNA))["decisions"]
    assert isinstance(decisions, dict)
    events = [played.events[int(version) - 1] for version in decisions]
    assert {getattr(event, "seat", None) for event in events} == {ANNA}
