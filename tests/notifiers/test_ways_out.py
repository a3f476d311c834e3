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
from felix_async.game.views import view
from felix_async.inbox.process import Processor
from felix_async.language.grammar import Order, read_line
from felix_async.language.words import REFUSALS, WORD_OF
from felix_async.orders.registry import ORDERS
from felix_events.model import Ruleset
from felix_notifiers.content.suggestions import ways_out
from games import RULESETS, a_room, joining
from inbox.clocked import a_clocked_table
from inbox.postbag import MAILBOX, Postbag, a_first_round
from notifiers import refused
from notifiers.correspondence import Correspondence, corresponding
from notifiers.refused_disputes import DISPUTES
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
    "bid/no_mice": "only at a table of older options: else the rules pass for a seat that cannot bid",
    "bid/too_poor": "the same",
    "turn/not_yours": "by mail a move before its turn is kept until then",
    "bid/stands": "the same",
    "vote/away": "a vote by mail takes the seat back first",
}
"""Refusals that no mail of a player gets, and why."""


# ---- games in which players write what they may not -------------------------------------------------
@cache
def met_in_a_game(seats: int, ruleset: Ruleset) -> tuple[refused.Met, ...]:
    """What is refused in a whole game, played by mail with a wrong order before every few moves."""
    seed = f"wrong bids/{seats}/{ruleset}"
    room = a_room(seed)
    game_id = room.open(seats, ruleset=ruleset)
    letters = corresponding(Postbag(room, game_id, Processor(room.service, MAILBOX)))
    numbers = Stream(sha256(seed.encode()).digest(), "wrong orders")
    met: list[refused.Met] = []
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
    """Return True if enough has happened."""
    return game.is_over or game.version > version


def wrong(letters: Correspondence, numbers: Numbers) -> list[refused.Met]:
    """Somebody writes something that may be wrong: what came of it, if it was refused."""
    game = letters.bag.game
    seat = numbers.below(len(game.seats))
    turn = game.seats[seat].turn
    line = WRONG[numbers.below(len(WRONG))](game, seat, numbers)
    is_old = numbers.below(8) == 0 and turn > 0
    return refused.meet(letters, seat, line, turn=turn - 1 if is_old else turn)


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


FEW: Final[list[tuple[int, Ruleset]]] = [(4, "felicity-2017")]
"""A game in which all that can be refused is refused."""
OTHERS: Final = [
    (seats, ruleset) for seats in (3, 4, 5) for ruleset in RULESETS if (seats, ruleset) not in FEW
]


@pytest.mark.parametrize(
    ("seats", "ruleset"), [*FEW, *(pytest.param(*game, marks=pytest.mark.slow) for game in OTHERS)]
)
def test_whatever_is_refused_in_a_game_the_links_of_the_answer_are_done(seats: int, ruleset: Ruleset) -> None:
    met = met_in_a_game(seats, ruleset)
    assert len(met) > 15
    assert [one for one in met if not is_helped(one)] == []


# ---- situations that a game of computers does not come to -------------------------------------------


SITUATIONS: Final[dict[Callable[[], list[refused.Met]], str]] = {
    refused.a_host_declines: "host/cancel_or_hand_over",
    refused.a_host_alone_declines: "host/cancel_or_hand_over",
    refused.an_uninvited_guest_joins: "invitation/uninvited",
    refused.a_late_guest_joins: "invitation/expired",
    refused.a_guest_who_declined_places_a_card: "seat/not_playing",
    refused.who_left_for_good_bids: "seat/gone",
    refused.the_last_bidder_bids_too_much: "bid/last_pays_one",
    refused.a_game_called_off_is_joined: "game/never_began",
    refused.a_game_called_off_is_joined_by_who_declined: "game/not_yours",
    refused.a_game_that_runs_is_called_off: "game/not_to_cancel",
    refused.an_invitation_is_declined_too_late: "game/not_to_decline",
    refused.a_host_declines_too_late: "game/not_to_decline",
    refused.a_bid_comes_when_the_next_card_has_turned: "turn/card_turned",
    refused.who_waits_goes_above_their_mice: "ahead/above_mice",
    refused.who_waits_goes_up_to_nothing: "ahead/too_low",
    refused.who_waits_bids_above_their_limit: "ahead/limit_below_bid",
    refused.who_waits_is_too_poor: "ahead/too_poor",
    refused.who_bids_takes_the_card_in_the_row_as_their_next: "next/in_row",
    refused.who_waits_takes_a_card_of_somebody_else_as_their_next: "next/not_in_hand",
    refused.who_plays_takes_the_same_card_as_their_next: "next/played_now",
    refused.a_card_for_the_round_after_the_last: "next/last_round",
    refused.another_next_card_all_day_long: "ahead/too_many",
    refused.an_absence_with_none_left: "away/all_used",
    refused.yes_after_no: "question/closed",
    refused.yes_below_what_it_would_confirm: "question/too_soon",
    refused.an_order_to_a_question_about_an_address: "question/yes_or_no",
    refused.yes_to_the_address_of_another_player: "address/taken",
    refused.a_guest_begins: "host/only",
    refused.a_host_begins_too_early: "start/too_few",
    refused.a_host_begins_without_joining: "start/join_first",
    refused.a_host_hands_over_to_nobody: "host/not_at_the_table",
    refused.a_host_names_a_stranger: "name/unknown",
    refused.a_host_uninvites_a_stranger: "name/unknown",
    refused.a_host_uninvites_twice: "invitation/answered",
    refused.a_table_for(): "new/nobody",
    refused.a_table_for("x@y.test"): "new/too_few",
    refused.a_table_for(*(f"{name}@y.test" for name in "abcde")): "new/too_many",
    refused.a_table_for("x@y.test", MAILBOX): "new/felix",
    refused.a_table_for("x@y.test", "who is that, anyway"): "new/unknown_line",
    refused.a_table_for("x@y.test", "ben@players.test"): "new/yourself",
    refused.a_table_for("Cara", "CARA@players.test", "Dan"): "new/twice",
    refused.a_table_for("Cara", "Dan", "rules 2012"): "new/rules",
    refused.a_table_for("x@y.test", "y@y.test", "clock: soon"): "new/clock",
    refused.a_table_for("Cara", "Dan", "Emil <emil@>"): "new/no_address",
    refused.a_table_where(refused.there_are_two_caras, "Cara", "Dan", "x@y.test"): "new/which_one",
    refused.a_table_where(refused.mail_to_cara_is_stopped("asked"), "Cara", "Dan"): "new/wants_no_mail",
    refused.a_table_where(refused.mail_to_cara_is_stopped("bounces"), "Cara", "Dan"): "new/unreachable",
    refused.a_table_where(refused.cara_has_no_address, "Carl", "Dan"): "new/without_mail",
    refused.a_table_where(refused.cara_is_invited_all_day, "Cara", "Dan"): "new/invited_enough",
    refused.a_table_where(refused.five_tables_wait, "Cara", "Dan"): "new/enough_open",
    refused.a_sixth_table: "new/enough_today",
    refused.an_order_in_an_auction("SAY \u202e"): "say/nothing",
    refused.an_order_in_an_auction("SAY " + "well " * 70): "say/too_long",
    refused.an_order_in_an_auction("SAY <b>well</b>"): "say/plain_text_only",
    refused.an_order_in_an_auction("SAY pass"): "say/is_an_order",
    refused.an_order_in_an_auction(*[f"SAY well {number}" for number in range(21)]): "say/too_often",
    refused.an_order_in_an_auction("ADDRESS anna@localhost"): "address/none",
    refused.an_order_in_an_auction(f"ADDRESS {MAILBOX}"): "address/ours",
    refused.an_order_in_an_auction(*["ADDRESS {0}@players.test"]): "address/is_yours",
    refused.an_order_in_an_auction(
        *[f"ADDRESS me@{number}.test" for number in range(4)]
    ): "address/too_often",
    refused.yes_from_the_old_address: "address/from_there",
    refused.at_a_clock(*[f"AWAY {days} days" for days in range(2, 7)]): "away/too_often",
    refused.at_a_clock("AWAY UNTIL further notice"): "away/unclear",
    refused.at_a_clock("AWAY UNTIL 3/4"): "away/two_days",
    refused.at_a_clock("AWAY 3 Dec"): "away/one_day",
    refused.at_a_clock("AWAY UNTIL 31 Feb"): "away/no_day",
    refused.at_a_clock("AWAY UNTIL Wed 3 Dec"): "away/other_weekday",
    refused.at_a_clock("AWAY UNTIL 19 Nov"): "away/past",
    refused.at_a_clock("AWAY 3 Dec to 24 Nov"): "away/backwards",
    refused.at_a_clock("AWAY UNTIL 3 Dec 2999"): "away/too_far",
    refused.at_a_clock("AWAY UNTIL 3 Dec 2036"): "away/too_long",
    refused.at_a_clock("AWAY UNTIL 25 Nov", "AWAY OFF", "BACK"): "away/not_away",
    refused.away_from_nowhere: "away/no_game",
    refused.a_paused_game_is_paused: "vote/paused",
    refused.at_a_clock("PAUSE", "RESUME", "RESUME"): "vote/none",
    refused.an_order_in_an_auction("PAUSE"): "vote/no_clock",
    refused.at_a_clock(*["PAUSE", "RESUME"] * 6, "PAUSE"): "vote/too_often",
    refused.an_order_in_an_auction("TIMEZONE Berln"): "zone/nearest",
    refused.an_order_in_an_auction("TIMEZONE CET"): "zone/nearest",
    refused.an_order_in_an_auction("TIMEZONE the moon"): "zone/unknown",
    refused.an_order_in_an_auction("QUIET 25:00-8:00"): "quiet/no_time",
    refused.an_order_in_an_auction("QUIET 8-8"): "quiet/all_day",
    refused.an_order_in_an_auction("QUIET 8"): "quiet/unclear",
    refused.a_host_resigns: "host/must_hand_over",
    refused.an_order_in_an_auction("REMATCH"): "rematch/not_over",
    refused.an_order_in_an_auction("REPLAY"): "replay/not_over",
    refused.the_replay_all_day_long: "replay/too_often",
    refused.another_game_without_one: "rematch/left_out",
    refused.another_game_with_too_few: "rematch/too_few",
    refused.a_move_beside_the_next_game: "game/over",
    **ELSEWHERE,
    **DISPUTES,
    refused.more_words_after_the_end_than_are_passed_on: "say/enough",
}


@pytest.mark.slow
@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda situation: situation.__name__)
def test_what_is_refused_then_is_helped(situation: Callable[[], list[refused.Met]]) -> None:
    (met,) = situation()
    assert met.code == SITUATIONS[situation]
    assert is_helped(met), met


NAMED_AGAIN: Final = [
    situation
    for situation, code in SITUATIONS.items()
    if code in ("rematch/too_few", "rematch/left_out")
    or (code.startswith("new/") and not code.startswith(("new/enough", "new/not_joined")))
]


@pytest.mark.slow
@pytest.mark.parametrize("situation", NAMED_AGAIN, ids=lambda situation: situation.__name__)
def test_a_table_that_could_not_be_opened_is_opened_by_a_link(
    situation: Callable[[], list[refused.Met]],
) -> None:
    (met,) = situation()
    assert met.taps[0][0].startswith("NEW\r\n")
    assert met.taps[0][1] == "done"


EXAMPLE: Final = (
    r"(?:AWAY(?: UNTIL)? \d+ [A-Z][a-z]+(?: to \d+ [A-Z][a-z]+)?"
    r"|QUIET (?:OFF|[0-9:-]+)|TIMEZONE (?:[A-Z][a-z]+/[A-Z][a-z]+|[+0-9:]+))"
)
"""An order in a sentence, with what stands behind it."""
NOT_READ: Final = [
    situation
    for situation, code in SITUATIONS.items()
    if code in ("zone/unknown", "quiet/no_time", "quiet/all_day", "quiet/unclear", "away/unclear")
    or code in ("away/one_day", "away/no_day", "away/past", "away/backwards", "away/too_far")
]


@pytest.mark.slow
@pytest.mark.parametrize("situation", NOT_READ, ids=lambda situation: situation.__name__)
def test_what_a_refusal_tells_to_write_instead_is_done_when_it_is_sent(
    situation: Callable[[], list[refused.Met]],
) -> None:
    (met,) = situation()
    examples = re.findall(EXAMPLE, met.why)
    assert examples, met.why
    for example in examples:
        letters = corresponding(a_clocked_table())
        assert letters.write(0, example).answer.lines[-1].verdict == "done", example


def is_helped(met: refused.Met) -> bool:
    """Return True if there is a way out, and every link there is does what it says."""
    return bool(met.taps) and all(verdict == "done" or is_for_good(words) for words, verdict, _ in met.taps)


def is_for_good(words: str) -> bool:
    """Return True if this order is asked about before it is done."""
    order = read_line(words)
    return isinstance(order, Order) and ORDERS[order.word].asks_yes


def test_every_refusal_that_a_player_can_get_by_mail_was_met() -> None:
    met = {one.code for game in FEW for one in met_in_a_game(*game)} | {*SITUATIONS.values()}
    assert met == set(REFUSALS) - set(NOT_BY_MAIL)


@pytest.mark.parametrize("is_called_off", [True, False])
def test_status_is_welcome_when_all_is_over(is_called_off: bool) -> None:
    """What no refusal knows a better way out of ends in STATUS."""
    letters = refused.hosted(Cancel(seat=0)) if is_called_off else refused.hosted(joined=4)
    letters.bag.room.play(letters.bag.game_id)
    assert [line.verdict for line in letters.write(3, "STATUS").answer.lines] == ["done"]


@each("code", [code for code in REFUSALS if code.startswith("say/")])
def test_beside_words_that_are_not_passed_on_no_move_is_offered(code: str) -> None:
    """Another line of the same message may have made one."""
    game = a_first_round().game
    ways = ways_out(view(game, 0), 0, ["Anna", "Ben", "Cara", "Dan"], code)
    assert ways == [Order("GAMES" if code == "say/enough" else "STATUS")]


@each("code", [code for code in REFUSALS if code not in NOT_BY_MAIL])
def test_a_refusal_says_in_words_what_to_write_instead(code: str) -> None:
    """For those who read the text part: an order stands in capitals in it, or its answer is spelled out."""
    words = set(re.findall(r"[A-Z]{3,}", REFUSALS[code]))
    assert words & {*WORD_OF}, REFUSALS[code]
