"""Every refusal holds a link to something that can be done instead: tapped, it is done."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache, partial
from hashlib import sha256
from typing import Final

import pytest

from each import each
from felix_async.draw import Numbers, Stream
from felix_async.game.cards import PET_CARDS
from felix_async.game.commands import Cancel
from felix_async.game.state import Game
from felix_async.inbox.process import Processor
from felix_async.language.grammar import Order, read_line
from felix_async.language.words import FOR_GOOD, ORDERS, REFUSALS
from felix_events.model import Ruleset
from games import RULESETS, a_room, joining
from inbox.postbag import MAILBOX, Postbag
from notifiers.correspondence import Correspondence, corresponding
from notifiers.refused import (
    Met,
    a_game_called_off_is_joined,
    a_game_called_off_is_joined_by_who_declined,
    a_game_that_runs_is_called_off,
    a_guest_begins,
    a_guest_who_declined_places_a_card,
    a_host_alone_declines,
    a_host_begins_too_early,
    a_host_begins_without_joining,
    a_host_declines,
    a_host_declines_too_late,
    a_host_hands_over_to_nobody,
    a_host_names_a_stranger,
    a_host_resigns,
    a_host_uninvites_a_stranger,
    a_host_uninvites_twice,
    a_late_guest_joins,
    a_move_beside_the_next_game,
    a_paused_game_is_paused,
    a_player_without_a_mouse_bids,
    a_poor_player_bids,
    a_sixth_table,
    a_table_for,
    a_table_where,
    an_absence_with_none_left,
    an_invitation_is_declined_too_late,
    an_order_in_an_auction,
    an_order_to_a_question_about_an_address,
    an_uninvited_guest_joins,
    another_game_with_too_few,
    another_game_without_one,
    at_a_clock,
    away_from_nowhere,
    cara_has_no_address,
    cara_is_invited_all_day,
    five_tables_wait,
    hosted,
    mail_to_cara_is_stopped,
    meet,
    more_words_after_the_end_than_are_passed_on,
    the_last_bidder_bids_too_much,
    there_are_two_caras,
    who_left_for_good_bids,
    yes_below_what_it_would_confirm,
    yes_from_the_old_address,
    yes_to_the_address_of_another_player,
    yes_twice,
)
from notifiers.refused_elsewhere import ELSEWHERE

NOT_BY_MAIL: Final = {
    "game/unknown": "an address names a game that there is",
    "game/imported": "an imported game has no addresses",
    "game/exists": "two games of one name would be felix's own mistake",
    "seat/unknown": "an address names a seat that there is",
    "table/size": "a table of another size is only opened at the desk",
    "table/player_twice": "a NEW by mail is told who is named twice, before a table is opened",
    "clock/unknown_zone": "a zone is looked up where a clock is read, before a table is opened",
    "table/not_deserted": "only time asks whether a table is deserted",
    "time/no_deadline": "only time asks for what is due",
    "time/too_early": "only time asks for what is due",
    "vote/away": "a vote by mail takes the seat back first",
}
"""Refusals that no mail of a player gets, and why."""


# ---- games in which players write what they may not -------------------------------------------------


@cache
def met_in_a_game(seats: int, ruleset: Ruleset) -> tuple[Met, ...]:
    """What is refused in a whole game, played by mail with a wrong order before every few moves."""
    seed = f"wrong bids/{seats}/{ruleset}"
    room = a_room(seed)
    game_id = room.open(seats, ruleset=ruleset)
    letters = corresponding(Postbag(room, game_id, Processor(room.service, MAILBOX)))
    numbers = Stream(sha256(seed.encode()).digest(), "wrong orders")
    met: list[Met] = []
    while letters.bag.game.phase == "inviting":
        met += wrong(letters, numbers)
        for seat in letters.bag.game.asked[:1]:
            room.do(game_id, joining(seat))
    while not letters.bag.game.is_over:
        met += wrong(letters, numbers)
        steps = 1 + numbers.below(5)
        version = letters.bag.size
        room.play(
            game_id,
            seed=f"{seed}/{version}",
            until=partial(has_reached, version=version + steps),
        )
    return (*met, *wrong(letters, numbers), *wrong(letters, numbers))


def has_reached(game: Game, version: int) -> bool:
    """Whether enough has happened."""
    return game.is_over or game.version > version


def wrong(letters: Correspondence, numbers: Numbers) -> list[Met]:
    """Somebody writes something that may be wrong: what came of it, if it was refused."""
    game = letters.bag.game
    seat = numbers.below(len(game.seats))
    turn = game.seats[seat].turn
    line = WRONG[numbers.below(len(WRONG))](game, seat, numbers)
    is_old = numbers.below(8) == 0 and turn > 0
    return meet(letters, seat, line, turn=turn - 1 if is_old else turn)


WRONG: Final[list[Callable[[Game, int, Numbers], str]]] = [
    lambda _game, _seat, numbers: f"PLAY {PET_CARDS[numbers.below(len(PET_CARDS))]}".replace("_", " "),
    lambda game, _seat, numbers: f"BID {game.high_bid + numbers.below(3)}",
    lambda game, seat, numbers: f"BID {game.seats[seat].mice + numbers.below(3)}",
    lambda *_: "PASS",
    lambda *_: "JOIN me",
    lambda game, *_: "JOIN" if game.phase == "inviting" else "DECLINE",
    lambda *_: "YES",
    lambda *_: "NO",
]


FEW: Final[list[tuple[int, Ruleset]]] = [(4, "felicity-2017"), (5, "felix-2007")]
"""Games in which all that can be refused is refused."""
OTHERS: Final = [
    (seats, ruleset) for seats in (3, 4, 5) for ruleset in RULESETS if (seats, ruleset) not in FEW
]


@pytest.mark.parametrize(
    ("seats", "ruleset"), [*FEW, *(pytest.param(*game, marks=pytest.mark.slow) for game in OTHERS)]
)
def test_whatever_is_refused_in_a_game_the_links_of_the_answer_are_done(seats: int, ruleset: Ruleset) -> None:
    met = met_in_a_game(seats, ruleset)
    assert len(met) > 20
    assert [one for one in met if not is_helped(one)] == []


# ---- situations that a game of computers does not come to -------------------------------------------


SITUATIONS: Final[dict[Callable[[], list[Met]], str]] = {
    a_host_declines: "host/cancel_or_hand_over",
    a_host_alone_declines: "host/cancel_or_hand_over",
    an_uninvited_guest_joins: "invitation/uninvited",
    a_late_guest_joins: "invitation/expired",
    a_guest_who_declined_places_a_card: "seat/not_playing",
    who_left_for_good_bids: "seat/gone",
    the_last_bidder_bids_too_much: "bid/last_pays_one",
    a_game_called_off_is_joined: "game/never_began",
    a_game_called_off_is_joined_by_who_declined: "game/not_yours",
    a_game_that_runs_is_called_off: "game/not_to_cancel",
    an_invitation_is_declined_too_late: "game/not_to_decline",
    a_host_declines_too_late: "game/not_to_decline",
    a_poor_player_bids: "bid/too_poor",
    a_player_without_a_mouse_bids: "bid/no_mice",
    an_absence_with_none_left: "away/all_used",
    yes_twice: "question/closed",
    yes_below_what_it_would_confirm: "question/too_soon",
    an_order_to_a_question_about_an_address: "question/yes_or_no",
    yes_to_the_address_of_another_player: "address/taken",
    a_guest_begins: "host/only",
    a_host_begins_too_early: "start/too_few",
    a_host_begins_without_joining: "start/join_first",
    a_host_hands_over_to_nobody: "host/not_at_the_table",
    a_host_names_a_stranger: "name/unknown",
    a_host_uninvites_a_stranger: "name/unknown",
    a_host_uninvites_twice: "invitation/answered",
    a_table_for(): "new/nobody",
    a_table_for("x@y.test"): "new/too_few",
    a_table_for(*(f"{name}@y.test" for name in "abcde")): "new/too_many",
    a_table_for("x@y.test", MAILBOX): "new/felix",
    a_table_for("x@y.test", "who is that, anyway"): "new/unknown_line",
    a_table_for("x@y.test", "ben@players.test"): "new/yourself",
    a_table_for("Cara", "CARA@players.test", "Dan"): "new/twice",
    a_table_for("Cara", "Dan", "rules 2012"): "new/rules",
    a_table_for("x@y.test", "y@y.test", "clock: soon"): "new/clock",
    a_table_for("Cara", "Dan", "Emil <emil@>"): "new/no_address",
    a_table_where(there_are_two_caras, "Cara", "Dan", "x@y.test"): "new/which_one",
    a_table_where(mail_to_cara_is_stopped("asked"), "Cara", "Dan"): "new/wants_no_mail",
    a_table_where(mail_to_cara_is_stopped("bounces"), "Cara", "Dan"): "new/unreachable",
    a_table_where(cara_has_no_address, "Carl", "Dan"): "new/without_mail",
    a_table_where(cara_is_invited_all_day, "Cara", "Dan"): "new/invited_enough",
    a_table_where(five_tables_wait, "Cara", "Dan"): "new/enough_open",
    a_sixth_table: "new/enough_today",
    an_order_in_an_auction("SAY \u202e"): "say/nothing",
    an_order_in_an_auction("SAY " + "well " * 70): "say/too_long",
    an_order_in_an_auction("SAY <b>well</b>"): "say/plain_text_only",
    an_order_in_an_auction("SAY pass"): "say/is_an_order",
    an_order_in_an_auction(*[f"SAY well {number}" for number in range(21)]): "say/too_often",
    an_order_in_an_auction("ADDRESS anna@localhost"): "address/none",
    an_order_in_an_auction(f"ADDRESS {MAILBOX}"): "address/ours",
    an_order_in_an_auction(*["ADDRESS {0}@players.test"]): "address/is_yours",
    an_order_in_an_auction(*[f"ADDRESS me@{number}.test" for number in range(4)]): "address/too_often",
    yes_from_the_old_address: "address/from_there",
    at_a_clock(*[f"AWAY {days} days" for days in range(2, 7)]): "away/too_often",
    at_a_clock("AWAY UNTIL further notice"): "away/unclear",
    at_a_clock("AWAY UNTIL 3/4"): "away/two_days",
    at_a_clock("AWAY 3 Dec"): "away/one_day",
    at_a_clock("AWAY UNTIL 31 Feb"): "away/no_day",
    at_a_clock("AWAY UNTIL Wed 3 Dec"): "away/other_weekday",
    at_a_clock("AWAY UNTIL 19 Nov"): "away/past",
    at_a_clock("AWAY 3 Dec to 24 Nov"): "away/backwards",
    at_a_clock("AWAY UNTIL 3 Dec 2999"): "away/too_far",
    at_a_clock("AWAY UNTIL 3 Dec 2036"): "away/too_long",
    at_a_clock("AWAY UNTIL 25 Nov", "AWAY OFF", "BACK"): "away/not_away",
    away_from_nowhere: "away/no_game",
    a_paused_game_is_paused: "vote/paused",
    at_a_clock("PAUSE", "RESUME", "RESUME"): "vote/none",
    an_order_in_an_auction("PAUSE"): "vote/no_clock",
    at_a_clock(*["PAUSE", "RESUME"] * 6, "PAUSE"): "vote/too_often",
    an_order_in_an_auction("TIMEZONE Berln"): "zone/nearest",
    an_order_in_an_auction("TIMEZONE CET"): "zone/nearest",
    an_order_in_an_auction("TIMEZONE the moon"): "zone/unknown",
    an_order_in_an_auction("QUIET 25:00-8:00"): "quiet/no_time",
    an_order_in_an_auction("QUIET 8-8"): "quiet/all_day",
    an_order_in_an_auction("QUIET 8"): "quiet/unclear",
    a_host_resigns: "host/must_hand_over",
    an_order_in_an_auction("REMATCH"): "rematch/not_over",
    another_game_without_one: "rematch/left_out",
    another_game_with_too_few: "rematch/too_few",
    a_move_beside_the_next_game: "game/over",
    **ELSEWHERE,
    more_words_after_the_end_than_are_passed_on: "say/enough",
}


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda situation: situation.__name__)
def test_what_is_refused_then_is_helped(situation: Callable[[], list[Met]]) -> None:
    (met,) = situation()
    assert met.code == SITUATIONS[situation]
    assert is_helped(met), met


NAMED_AGAIN: Final = [
    situation
    for situation, code in SITUATIONS.items()
    if code in ("rematch/too_few", "rematch/left_out")
    or (code.startswith("new/") and not code.startswith(("new/enough", "new/not_joined")))
]


@pytest.mark.parametrize("situation", NAMED_AGAIN, ids=lambda situation: situation.__name__)
def test_a_table_that_could_not_be_opened_is_opened_by_a_link(situation: Callable[[], list[Met]]) -> None:
    (met,) = situation()
    assert met.taps[0][0].startswith("NEW\r\n")
    assert met.taps[0][1] == "done"


def is_helped(met: Met) -> bool:
    """Whether there is a way out, and every link there is does what it says."""
    return bool(met.taps) and all(verdict == "done" or is_for_good(words) for words, verdict, _ in met.taps)


def is_for_good(words: str) -> bool:
    """Whether this order is asked about before it is done."""
    order = read_line(words)
    return isinstance(order, Order) and order.word in FOR_GOOD


def test_every_refusal_that_a_player_can_get_by_mail_was_met() -> None:
    met = {one.code for game in FEW for one in met_in_a_game(*game)} | {*SITUATIONS.values()}
    assert met == set(REFUSALS) - set(NOT_BY_MAIL)


@pytest.mark.parametrize("is_called_off", [True, False])
def test_status_is_welcome_when_all_is_over(is_called_off: bool) -> None:
    """What no refusal knows a better way out of ends in STATUS."""
    letters = hosted(Cancel(seat=0)) if is_called_off else hosted(joined=4)
    letters.bag.room.play(letters.bag.game_id)
    assert [line.verdict for line in letters.write(3, "STATUS").answer.lines] == ["done"]


@each("code", [code for code in REFUSALS if code not in NOT_BY_MAIL])
def test_a_refusal_says_in_words_what_to_write_instead(code: str) -> None:
    """For those who read the text part: an order stands in capitals in it, or its answer is spelled out."""
    words = set(re.findall(r"[A-Z]{3,}", REFUSALS[code]))
    assert words & {*ORDERS}, REFUSALS[code]
