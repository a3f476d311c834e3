"""A mail before it is opened: what shows is short, public, and obeyed by nobody if it comes back."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

import pytest

from each import each, one_in
from felix_async.game.state import Game
from felix_async.game.views import view
from felix_async.language.data import table
from felix_async.language.grammar import Order, read_line
from felix_async.language.phrases import placeholders
from felix_async.meaning.meaning import meaning_of
from felix_async.meaning.situation import situation_of
from felix_async.people import seat_names
from felix_notifiers.content.glance import (
    PREVIEW_LENGTH,
    SUBJECT_LENGTH,
    Glance,
    glance_of,
    letter_glance,
)
from felix_notifiers.content.layout import finished
from felix_notifiers.content.public import Facts, PublicTable
from games import NAMES, a_running_game
from notifiers.glances import OF_A_TABLE, Seen, all_seen, glances, moments, public
from table import ANNA, BEN, CARA, DAN, GAME_ID, a_game

TABLES: Final = (3, 4, 5)
LONG: Final = (
    "Maximiliane von Hohenstein-Gaul",
    "Bartholomew Featherstonehaugh",
    "Wolfeschlegelsteinhausenbergerdorff",
    "Anne-Sophie de la Rochefoucauld",
    "Konstantinos Papadopoulos",
)
HOSTILE: Final = ("PASS", "BID 5", "8 for me", "I pass", "Rabbit")
SOUNDING: Final = ("The Eight", "Take it all", "Fifteen", "Yes please")
"""Names that are orders, or sound like one."""
REPLIES: Final = ("8 for me", "the 3", "I'm out", "PASS", "")
"""Words above our first line, which came back without any sign of a quote."""
PREVIEWS: Final = table("glance.toml")["preview"]
_ELSEWHERE: Final = """
    absent cancelled claim claim_taken digest digest_early digest_turn discreet_news discreet_timed_out
    disputed early_leads ended farewell host invitation_again invited_alone lobby_all lobby_nobody moved
    moved_back paused question question_own result_over seat_closed seat_lost settled settled_yours
    timed_out_turn unreachable unreadable welcome welcome_again
"""
ELSEWHERE: Final = {text for key, text in PREVIEWS.items() if re.search(rf"\b{key}\b", _ELSEWHERE)}
"""First lines of mails that are about no table, and of moments that the games here do not come to."""


def disobeyed(seen: Seen, names: tuple[str, ...]) -> list[str]:
    """The readings of this first line, below something and alone, that differ from what was written."""
    at_table = tuple(seat_names(names[: len(seen.game.seats)]))
    situation = situation_of(view(seen.game, seen.seat), at_table)
    line = finished(seen.glance.preview).strip()
    found = []
    for reply in REPLIES:
        written = meaning_of([reply], situation) if reply else None
        read = meaning_of([reply, "", line] if reply else [line], situation)
        if read.do is not None and read.do != (written.do if written else None):
            found.append(f"{reply!r}, {line!r}: {read.do}")
    if isinstance(read_line(line), Order):
        found.append(f"an order: {line}")
    return found


def few(seen: Sequence[Seen], step: int) -> list[Seen]:
    """Some of them, each first line once."""
    return [*{(one.game.phase, one.glance.preview): one for one in seen}.values()][::step]


@pytest.mark.slow
@pytest.mark.parametrize("seats", one_in(3, TABLES))
def test_no_first_line_is_obeyed_if_it_comes_back_without_a_sign(seats: int) -> None:
    assert [found for seen in few(all_seen(seats), 7) for found in disobeyed(seen, NAMES)] == []


@pytest.mark.slow
@pytest.mark.parametrize("names", one_in(3, [(HOSTILE,), (SOUNDING,), (LONG,)]))
def test_none_is_whatever_the_names_at_the_table_are(names: tuple[str, ...]) -> None:
    seen = few(all_seen(4, "names", names), 7)
    assert [found for one in seen for found in disobeyed(one, names)] == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("seats", "names"), [(3, NAMES), (3, LONG), (4, NAMES), (4, HOSTILE), (5, HOSTILE), (5, LONG)]
)
def test_none_is_in_many_more_games(seats: int, names: tuple[str, ...]) -> None:
    seen = few(all_seen(seats, "one", names), 1)
    assert [found for one in seen for found in disobeyed(one, names)] == []


def test_an_order_in_a_first_line_would_be_noticed() -> None:
    game = moments(4)[-40][0]
    seen = Seen(Glance("", "BID 15", "", ""), game, 0, "turn")
    assert disobeyed(seen, NAMES)


def test_each_first_line_is_one_sentence_or_more_that_ends_as_one() -> None:
    assert [text for text in PREVIEWS.values() if not text.endswith((".", "?"))] == []


@pytest.mark.slow
@pytest.mark.parametrize("names", [NAMES, HOSTILE, LONG])
@pytest.mark.parametrize("seats", one_in(3, TABLES))
def test_subjects_and_first_lines_fit_a_phone(seats: int, names: tuple[str, ...]) -> None:
    glances = [seen.glance for seen in all_seen(seats, "glances", names)]
    assert [one.subject for one in glances if len(one.subject) > SUBJECT_LENGTH] == []
    assert [one.preview for one in glances if len(one.preview) > PREVIEW_LENGTH] == []
    assert [one.preheader for one in glances if len(one.preheader) > PREVIEW_LENGTH] == []


@pytest.mark.slow
def test_a_round_of_a_table_has_one_subject() -> None:
    subjects = {
        (seen.game.round, seen.seat): seen.glance.subject
        for seen in all_seen(4)
        if seen.game.has_begun and not seen.game.is_over
    }
    assert set(subjects.values()) == {f"Round {round_} · Thursday club" for round_ in range(1, 10)}


@each("table_name", ["BID 5", "PASS", "PLAY 3", "up to 9", "JOIN", "x" * 60, "", "Re: STOP", "START", "YES"])
def test_no_subject_is_an_order_whatever_the_table_is_called(table_name: str) -> None:
    for game, sold in moments(4)[::9]:
        for seen in glances(game, BEN, HOSTILE, sold, table_name=table_name):
            for subject in (seen.glance.subject, f"Re: {seen.glance.subject}"):
                assert not isinstance(read_line(subject), Order), subject
                assert len(subject) <= SUBJECT_LENGTH + 4


@pytest.mark.slow
def test_every_sentence_about_a_table_was_looked_at() -> None:
    """Those that are not said to a seat of a table are in `letter_glance`."""
    found = {seen.glance.preview for seats in TABLES for seen in all_seen(seats)}
    fixed = {text for text in PREVIEWS.values() if not placeholders(text)}
    assert {text for text in fixed - found if PREVIEWS["bid_alone"] not in text} <= ELSEWHERE


def test_a_table_without_a_name_is_known_by_its_id() -> None:
    seen = next(glances(a_game().game, BEN, table_name=""))
    assert seen.glance.subject == "Round 1 · felix k7m2p"


def test_an_unusual_name_is_not_said_in_a_first_line() -> None:
    game = a_game().with_row(5, 8, 11, 15).in_auction(top_bid=3, by=BEN).game
    line = glance_of(public(game, ("Anna", "BID 9", "Cara", "Dan")), game.asked[0], {"turn"}).preview
    assert line == "Somebody bids 3 mice, with 5 open: would you top that, or pass for 2?"


def test_a_former_player_is_named_in_full_and_begins_a_first_line_as_anybody_does() -> None:
    game = a_game().with_row(5, 8, 11, 15).in_auction(top_bid=3, by=BEN).game
    glance = glance_of(public(game, ("Anna", "", "Cara", "Dan")), game.asked[0], {"turn"})
    assert glance.preview == "A former player bids 3 mice, with 5 open: would you top that, or pass for 2?"
    assert glance.headline == "A former player bids 3. Top it, or pass for 2?"


def test_a_reader_who_wants_that_sees_no_card_and_no_bid_outside() -> None:
    known = {f"{card}" for card in (-8, -5, 3, 5, 8, 11, 15)} | {"rabbit", "dog", "bids", "leads", "sack for"}
    for game, sold in moments(4)[::3]:
        for seen in glances(game, BEN, sold=sold, table_name="Club", discreet=True):
            if seen.kind in ("turn", "reminder", "early", "news", "result") and game.has_begun:
                line = f"{seen.glance.preheader} {seen.glance.headline}"
                assert not known & set(line.replace(".", "").split()), line


def test_words_of_others_are_in_the_hidden_line_alone() -> None:
    talk = Facts(talk=[(seat_names(NAMES)[ANNA], "PASS")])
    glance = glance_of(public(a_game().game), BEN, {"news"}, talk)
    assert (glance.preview, glance.preheader) == ("Anna said something at your table.", "Anna: “PASS”")


def test_a_glance_is_made_from_what_everybody_sees() -> None:
    game = a_running_game().game()
    with pytest.raises(ValueError, match="everybody"):
        PublicTable(game_id=GAME_ID, table_name="", names=seat_names(NAMES), view=view(game, BEN))


@pytest.mark.parametrize("seats", one_in(3, TABLES))
def test_what_everybody_sees_follows_from_the_view_of_any_seat(seats: int) -> None:
    for game, _ in moments(seats):
        for seat in range(seats):
            assert view(game, seat).public == view(game, "spectator")


def test_a_letter_about_no_table_has_a_first_line_too() -> None:
    glance = letter_glance("offer", "x" * 50, who="Anna")
    assert (glance.preview, len(glance.subject)) == ("Anna asks you to play on for somebody.", SUBJECT_LENGTH)


@pytest.mark.slow
def test_every_kind_was_looked_at() -> None:
    assert {seen.kind for seen in all_seen(4)} == set(OF_A_TABLE)


@pytest.mark.slow
def test_no_first_line_of_a_digest_is_obeyed() -> None:
    lines = [
        letter_glance(key, "", turns=turns, early=2, tables=3)
        for key in ("digest", "digest_turn", "digest_early")
        for turns in (1, 2, 6)
    ]
    for game, _ in moments(4)[::11]:
        assert [found for line in lines for found in disobeyed(Seen(line, game, BEN, "digest"), NAMES)] == []


def test_nobody_is_named_in_a_result_in_which_somebody_may_not_be() -> None:
    game = moments(4)[-1][0]
    assert glance_of(public(game, HOSTILE), BEN, {"result"}).preview == "The game is over."


def test_a_discreet_reader_learns_of_a_result_and_of_a_plan_inside() -> None:
    over = glance_of(public(moments(4)[-1][0], discreet=True), BEN, {"result"})
    assert (over.subject, over.preview) == ("Game over · Thursday club", "The game is over.")
    running = public(a_running_game().game(), discreet=True)
    planned, done = (glance_of(running, BEN, {"answer"}, Facts(said=said)) for said in ("planned", "done"))
    assert planned == done


def test_a_discreet_reader_learns_inside_that_a_card_has_turned_since_something_was_said() -> None:
    running = public(a_running_game().game(), discreet=True)
    turned, behind = (
        glance_of(running, BEN, {"answer"}, Facts(said=said)) for said in ("card_turned", "behind")
    )
    assert turned == behind


def test_a_discreet_reader_learns_inside_what_was_done_as_their_time_ran_out() -> None:
    running = public(a_running_game().game(), discreet=True)
    passed, placed = (
        glance_of(running, ANNA, {"timed_out"}, Facts(lapsed=lapsed)) for lapsed in ("passed", "placed")
    )
    assert passed == placed
    assert passed.preview == "Your time ran out, so I moved for you."


# ---- the story in first lines -------------------------------------------------------------------------
def first_line(kind: str, seat: int = BEN, *, game: Game | None = None, **facts: Any) -> str:
    shown = a_game().with_row(5, 8, 11, 15).in_auction(top_bid=3, by=ANNA).game if game is None else game
    return glance_of(public(shown), seat, {kind}, Facts(**facts)).preview


def test_the_first_letter_of_a_round_says_who_got_the_sack_and_which_card_is_up() -> None:
    game = a_game(start=CARA).with_row(11, -5, 3, 8).in_round(4).game
    sold: dict[str, Any] = {"sold": (CARA, 3), "game": game}
    unsold: dict[str, Any] = {"sold": (None, 0), "game": game}
    assert first_line("early", ANNA, **sold) == (
        "Cara got the sack for 3 mice. The 11 is up, and Cara is next: how far would you go?"
    )
    assert first_line("turn", CARA, **sold) == (
        "You got the sack for 3 mice. The 11 is up, and you start: what is this sack worth to you?"
    )
    assert first_line("news", ANNA, **unsold) == "Nobody bought the sack. The 11 is up, and Cara is next."


def test_where_somebody_has_bid_already_the_sale_takes_the_place_of_the_cards() -> None:
    assert first_line("turn", sold=(CARA, 3)) == (
        "Cara got the sack for 3 mice. Anna bids 3 mice: would you top that, or pass for 2?"
    )


def test_a_move_that_everybody_saw_is_told_to_who_made_it() -> None:
    assert first_line("answer", said="passed", mice=4) == "You passed and took 4 mice."
    assert first_line("answer", said="passed", mice=6, sold=(CARA, 5)) == (
        "You passed, and Cara got the sack for 5 mice."
    )
    assert first_line("answer", ANNA, said="bid", mice=3) == "You lead with 3 mice, and Ben is next."
    assert first_line("answer", said="bid", mice=2) == "Somebody has topped your bid of 2."


def test_who_is_away_is_the_news_and_who_is_asked_reads_that_too() -> None:
    away = (DAN, "", "the end of Fri 4 Dec")
    assert first_line("news", CARA, away=away) == "Dan is away until the end of Fri 4 Dec."
    assert first_line("news", BEN, away=away) == "Still your turn. Dan is away until the end of Fri 4 Dec."
    assert first_line("news", CARA, away=(DAN, "", "")) == "Dan is back at the table."
    assert first_line("news", BEN).startswith("Still your turn. Anna bids 3 mice")


@pytest.mark.parametrize("kind", ["early", "news", "vote", "lobby"])
def test_what_was_not_done_comes_before_news(kind: str) -> None:
    assert first_line(kind, CARA, said="partly") == "Not all of that worked. Please have a look."


def test_the_winner_reads_so() -> None:
    game = moments(4)[-1][0]
    (won,) = view(game, "spectator").winners
    glances = {seat: glance_of(public(game), seat, {"result"}) for seat in range(4)}
    assert glances[won].subject == "You win · Thursday club"
    assert glances[won].preview.startswith("You won the game with ")
    assert {one.subject for seat, one in glances.items() if seat != won} == {
        f"{NAMES[won]} wins · Thursday club"
    }


def test_all_who_talked_are_named() -> None:
    talk = [("Anna", "hop"), ("Dan", "hup"), ("Anna", "hep")]
    glance = glance_of(public(a_game().game), BEN, {"talk"}, Facts(talk=talk))
    assert glance.preview == "Anna and Dan said something at your table."
    assert glance.preheader == "Anna: “hop” Dan: “hup” Anna: “hep”"
