"""Every refusal holds a link to something that can be done instead: tapped, it is done."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from hashlib import sha256
from typing import Final

import pytest

from felix_async.draw import Numbers, Stream
from felix_async.game.cards import PET_CARDS
from felix_async.game.commands import Cancel, Command, Decline, Expire, Leave, Pass, Start, Uninvite, Vote
from felix_async.game.state import Game
from felix_async.game.view import view
from felix_async.grammar import Order, read_line
from felix_async.inbox.process import Processor
from felix_async.service import Origin
from felix_async.words import ORDERS, REFUSALS
from felix_events.model import Ruleset
from felix_notifiers.ways_out import ways_out
from games import NAMES, RULESETS, TABLE_NAME, a_room, joining, players
from inbox.clocked import a_clocked_table
from inbox.postbag import MAILBOX, Postbag, a_mail, an_auction
from notifiers.correspondence import Correspondence, corresponding
from notifiers.sheets import Link

NOT_BY_MAIL: Final = {
    "game/unknown": "an address names a game that there is",
    "game/imported": "an imported game has no addresses",
    "game/exists": "two games of one name would be felix's own mistake",
    "seat/unknown": "an address names a seat that there is",
    "table/size": "a table of another size is only opened at the desk",
    "table/player_twice": "a table is only opened at the desk",
    "clock/unknown_zone": "a zone is looked up where a clock is read, before a table is opened",
    "table/not_deserted": "only time asks whether a table is deserted",
    "time/no_deadline": "only time asks for what is due",
    "time/too_early": "only time asks for what is due",
    "vote/away": "a vote by mail takes the seat back first",
}
"""Refusals that no mail of a player gets, and why."""
ELSEWHERE: Final = frozenset({
    "name/ambiguous", "new/clock", "new/enough_open", "new/invited_enough", "new/no_address",
    "new/unreachable", "new/wants_no_mail", "new/which_one", "new/without_mail",
    *(code for code in REFUSALS if code.startswith("substitute/")),
})  # fmt: skip
"""Refusals of a NEW that tests/inbox/test_tables_new.py, or _clock.py, comes to, and of a SUBSTITUTE that
test_substitute_refused.py comes to; STATUS is their way out.
"""


@dataclass(frozen=True)
class Met:
    """A refusal that a player got, and what came of each link in the mail that told it."""

    line: str
    code: str
    taps: tuple[tuple[str, str, str], ...]
    """The link's words, the verdict on them, and why."""


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


def meet(
    letters: Correspondence, seat: int, line: str, *, turn: int | None = None, to: str = ""
) -> list[Met]:
    """This line is written. Where it is not refused it is done; else the links of the answer are tried."""
    reply = letters.write(seat, line, turn=turn, to=to)
    codes = [one.code for one in reply.answer.lines if one.verdict == "refused"]
    if not codes:
        return []
    return [Met(line, codes[0], tuple(taps(letters, seat, reply.links)))]


def taps(letters: Correspondence, seat: int, links: Sequence[Link]) -> Iterator[tuple[str, str, str]]:
    """What each link would do: its words, the verdict, and why."""
    for link in links:
        order = read_line(link.body)
        assert isinstance(order, Order), link.body
        told = letters.tap(seat, link).lines[0]
        yield link.body, told.verdict, told.why


GAMES: Final = [(seats, ruleset) for seats in (3, 4, 5) for ruleset in RULESETS]


@pytest.mark.parametrize(("seats", "ruleset"), GAMES)
def test_whatever_is_refused_in_a_game_the_links_of_the_answer_are_done(seats: int, ruleset: Ruleset) -> None:
    met = met_in_a_game(seats, ruleset)
    assert len(met) > 20
    assert [one for one in met if not is_helped(one)] == []


# ---- situations that a game of computers does not come to -------------------------------------------


def hosted(*commands: Command, joined: int = 2) -> Correspondence:
    """A table for four that Anna has opened: so many have joined, and then these commands were done."""
    room = a_room("hosted")
    origin = Origin("create", "host", "desk")
    with room.store.write() as tx:
        game_id, _ = room.service.open_table(
            tx, players(4), origin=origin, table_name=TABLE_NAME, ruleset="felicity-2017", host=0
        )
    letters = corresponding(Postbag(room, game_id, Processor(room.service, MAILBOX)))
    return after(letters, *(joining(seat) for seat in range(joined)), *commands)


def after(letters: Correspondence, *commands: Command) -> Correspondence:
    """The same, once these commands were done."""
    for command in commands:
        assert letters.bag.room.do(letters.bag.game_id, command).refusal is None
    return letters


def a_host_declines() -> list[Met]:
    return meet(hosted(), 0, "DECLINE")


def a_host_alone_declines() -> list[Met]:
    return meet(hosted(joined=1), 0, "DECLINE")


def an_uninvited_guest_joins() -> list[Met]:
    return meet(hosted(Uninvite(seat=0, whom=3)), 3, "JOIN")


def a_late_guest_joins() -> list[Met]:
    return meet(hosted(Expire(seat=3)), 3, "JOIN")


def a_guest_who_declined_places_a_card() -> list[Met]:
    return meet(hosted(Decline(seat=3), Start(seat=0), joined=3), 3, "PLAY 8")


def who_left_for_good_bids() -> list[Met]:
    return meet(after(corresponding(an_auction()), Leave(seat=0, for_good=True)), 0, "BID 1")


def the_last_bidder_bids_too_much() -> list[Met]:
    letters = corresponding(an_auction())
    for _ in range(3):
        (seat,) = letters.bag.game.asked
        after(letters, Pass(seat=seat))
    (seat,) = letters.bag.game.asked
    return meet(letters, seat, "BID 2")


def a_game_called_off_is_joined() -> list[Met]:
    return meet(hosted(Cancel(seat=0)), 3, "JOIN")


def yes_twice() -> list[Met]:
    letters = corresponding(an_auction())
    (seat,) = letters.bag.game.asked
    address = letters.bag.question_address(seat, letters.write(seat, "psas").answer.asks)
    assert meet(letters, seat, "YES", to=address) == []
    return meet(letters, seat, "YES", to=address)


def yes_below_what_it_would_confirm() -> list[Met]:
    return meet(corresponding(an_auction()), 0, "RESIGN\nYES")


def an_order_to_a_question_about_an_address() -> list[Met]:
    letters = corresponding(an_auction())
    return meet(letters, 0, "PASS", to=about_a_stranger(letters))


def yes_to_the_address_of_another_player() -> list[Met]:
    letters = corresponding(an_auction())
    address = about_a_stranger(letters)
    letters.bag.do(lambda tx: tx.add_player("zoe-1", STRANGER))
    return meet(letters, 0, "YES", to=address)


STRANGER: Final = "zoe@players.test"


def about_a_stranger(letters: Correspondence) -> str:
    """Where Anna answers whether a mail that came from elsewhere was hers."""
    bag = letters.bag
    bag.post(a_mail("PASS", sender=STRANGER, message_id="<strange@players.test>"), bag.address(0), STRANGER)
    bag.work()
    (question,) = bag.owed(0, "question")
    return bag.question_address(0, int(question.about))


def a_guest_begins() -> list[Met]:
    return meet(hosted(), 1, "START")


def a_host_begins_too_early() -> list[Met]:
    return meet(hosted(), 0, "START")


def a_host_begins_without_joining() -> list[Met]:
    letters = hosted(joined=0)
    return meet(after(letters, *(joining(seat) for seat in (1, 2, 3))), 0, "START")


def a_host_hands_over_to_nobody() -> list[Met]:
    return meet(hosted(), 0, "HOST Dan")


def a_host_names_a_stranger() -> list[Met]:
    return meet(hosted(), 0, "HOST Zoe")


def a_host_uninvites_twice() -> list[Met]:
    return meet(hosted(Uninvite(seat=0, whom=3)), 0, "UNINVITE Dan")


def a_table_for(*lines: str) -> Callable[[], list[Met]]:
    """A mail that opens a table, with these lines below NEW."""

    def opening() -> list[Met]:
        return meet(hosted(), 1, "\n".join(["NEW", *lines]))

    opening.__name__ = f"a_table_for {lines}"
    return opening


def a_sixth_table() -> list[Met]:
    letters = hosted()
    friends = "\n".join(f"{name} <{name}@friends.test>" for name in ("x", "y"))
    for _ in range(5):
        letters.bag.post(letters.raw(1, f"NEW\n{friends}"), letters.bag.address(1), "ben@players.test")
        letters.bag.work()
    return meet(letters, 1, f"NEW\n{friends}")


def an_order_in_an_auction(*lines: str) -> Callable[[], list[Met]]:
    """These lines, each in a mail of its own, from the player who is asked; the last one is refused."""

    def writing() -> list[Met]:
        letters = corresponding(an_auction())
        (seat,) = letters.bag.game.asked
        for line in lines[:-1]:
            letters.bag.post(
                letters.raw(seat, line), letters.bag.address(seat), f"{NAMES[seat].lower()}@players.test"
            )
            letters.bag.work()
        return meet(letters, seat, lines[-1].format(NAMES[seat].lower()))

    writing.__name__ = f"after {len(lines) - 1}, {lines[-1][:20]}"
    return writing


def yes_from_the_old_address() -> list[Met]:
    letters = corresponding(an_auction())
    letters.write(0, "ADDRESS anna@home.test")
    with letters.bag.room.store.read() as reader:
        (question,) = reader.questions(letters.bag.game_id, 0)
    return meet(letters, 0, "YES", to=letters.bag.question_address(0, question.number))


def a_host_resigns() -> list[Met]:
    return meet(hosted(joined=4), 0, "RESIGN")


def an_ended_game() -> Correspondence:
    letters = corresponding(an_auction())
    letters.bag.room.play(letters.bag.game_id)
    return letters


def a_move_beside_the_next_game() -> list[Met]:
    letters = an_ended_game()
    letters.write(0, "REMATCH")
    return meet(letters, 0, "PASS")


def another_game_that_was_called_off() -> list[Met]:
    letters = an_ended_game()
    letters.write(0, "REMATCH")
    (other,) = other_tables(letters)
    letters.bag.room.do(other, Cancel(seat=0))
    return meet(letters, 1, "REMATCH")


def another_game_without_one() -> list[Met]:
    letters = corresponding(an_auction())
    after(letters, Leave(seat=3, for_good=True))
    letters.bag.room.play(letters.bag.game_id)
    letters.write(0, "REMATCH")
    return meet(letters, 3, "REMATCH")


def another_game_with_too_few() -> list[Met]:
    letters = corresponding(an_auction())
    after(letters, Leave(seat=3, for_good=True), Leave(seat=2, for_good=True))
    letters.bag.room.play(letters.bag.game_id)
    return meet(letters, 0, "REMATCH")


def other_tables(letters: Correspondence) -> list[str]:
    with letters.bag.room.store.read() as reader:
        return [row.game_id for row in reader.games() if row.game_id != letters.bag.game_id]


def at_a_clock(*lines: str, seat: int = 0) -> Callable[[], list[Met]]:
    """These lines at a table with a clock, each in a mail of its own; the last one is refused."""

    def writing() -> list[Met]:
        letters = corresponding(a_clocked_table())
        for line in lines[:-1]:
            assert letters.write(seat, line).answer.lines[-1].verdict == "done"
        return meet(letters, seat, lines[-1])

    writing.__name__ = f"at_a_clock {lines[-1][:24]}"
    return writing


def a_paused_game_is_paused() -> list[Met]:
    letters = corresponding(a_clocked_table())
    after(letters, *(Vote(seat=seat, on="pause") for seat in (1, 2, 3)))
    return meet(letters, 0, "PAUSE")


def away_from_nowhere() -> list[Met]:
    return meet(an_ended_game(), 0, "AWAY UNTIL 3 Dec")


SITUATIONS: Final[dict[Callable[[], list[Met]], str]] = {
    a_host_declines: "host/cancel_or_hand_over",
    a_host_alone_declines: "host/cancel_or_hand_over",
    an_uninvited_guest_joins: "invitation/uninvited",
    a_late_guest_joins: "invitation/expired",
    a_guest_who_declined_places_a_card: "seat/not_playing",
    who_left_for_good_bids: "seat/gone",
    the_last_bidder_bids_too_much: "bid/last_pays_one",
    a_game_called_off_is_joined: "game/over",
    yes_twice: "question/closed",
    yes_below_what_it_would_confirm: "question/too_soon",
    an_order_to_a_question_about_an_address: "question/yes_or_no",
    yes_to_the_address_of_another_player: "address/taken",
    a_guest_begins: "host/only",
    a_host_begins_too_early: "start/too_few",
    a_host_begins_without_joining: "start/join_first",
    a_host_hands_over_to_nobody: "host/not_at_the_table",
    a_host_names_a_stranger: "name/unknown",
    a_host_uninvites_twice: "invitation/answered",
    a_table_for(): "new/nobody",
    a_table_for("x@y.test"): "new/too_few",
    a_table_for(*(f"{name}@y.test" for name in "abcde")): "new/too_many",
    a_table_for("x@y.test", "ben@players.test"): "new/yourself",
    a_table_for("x@y.test", MAILBOX): "new/felix",
    a_table_for("x@y.test", "who is that, anyway"): "new/unknown_line",
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
    another_game_that_was_called_off: "rematch/over",
    another_game_without_one: "rematch/left_out",
    another_game_with_too_few: "rematch/too_few",
    a_move_beside_the_next_game: "game/over",
}


@pytest.mark.parametrize("situation", SITUATIONS, ids=lambda situation: situation.__name__)
def test_what_is_refused_then_is_helped(situation: Callable[[], list[Met]]) -> None:
    (met,) = situation()
    assert met.code == SITUATIONS[situation]
    assert is_helped(met), met


def is_helped(met: Met) -> bool:
    """Whether there is a way out, and every link there is does what it says."""
    return bool(met.taps) and all(verdict == "done" for _, verdict, _ in met.taps)


def test_every_refusal_that_a_player_can_get_by_mail_was_met() -> None:
    met = {one.code for game in GAMES for one in met_in_a_game(*game)} | {*SITUATIONS.values()}
    assert met == set(REFUSALS) - set(NOT_BY_MAIL) - ELSEWHERE


@pytest.mark.parametrize("is_called_off", [True, False])
def test_status_is_welcome_when_all_is_over(is_called_off: bool) -> None:
    """What no refusal knows a better way out of ends in STATUS."""
    letters = hosted(Cancel(seat=0)) if is_called_off else hosted(joined=4)
    letters.bag.room.play(letters.bag.game_id)
    assert [line.verdict for line in letters.write(3, "STATUS").answer.lines] == ["done"]


@pytest.mark.parametrize("code", sorted(ELSEWHERE))
@pytest.mark.parametrize("seat", [0, 3])
def test_what_is_met_elsewhere_ends_in_status(code: str, seat: int) -> None:
    table = view(hosted().bag.game, seat)
    assert ways_out(table, seat, NAMES, code)[-1] == Order("STATUS")


@pytest.mark.parametrize("code", [code for code in REFUSALS if code not in NOT_BY_MAIL])
def test_a_refusal_says_in_words_what_to_write_instead(code: str) -> None:
    """For those who read the text part: an order stands in capitals in it, or its answer is spelled out."""
    words = set(re.findall(r"[A-Z]{3,}", REFUSALS[code]))
    assert words & {*ORDERS}, REFUSALS[code]
