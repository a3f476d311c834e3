"""Situations in which players are refused something, and what the links of the answer do."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from felix_async.game import commands as c
from felix_async.game.ahead import LAST_CHOSEN
from felix_async.inbox.process import Processor
from felix_async.language.grammar import Order, read_line
from felix_async.language.words import WAIT, WORD_OF
from felix_async.seat_logs import MOST_ORDERS
from felix_async.service import Origin, Player
from felix_events.store.rows import AddressRow, Stopped
from games import NAMES, TABLE_NAME, a_room, joining, players
from inbox.clocked import a_clocked_table
from inbox.postbag import MAILBOX, Postbag, a_first_round, a_mail, an_auction
from notifiers.correspondence import Correspondence, corresponding
from notifiers.sheets import Link


@dataclass(frozen=True)
class Met:
    """A refusal that a player got, and what came of each link in the mail that told it."""

    line: str
    code: str
    taps: tuple[tuple[str, str, str], ...]
    """The link's words, the verdict on them, and why."""
    why: str = ""


def meet(
    letters: Correspondence, seat: int, line: str, *, turn: int | None = None, to: str = ""
) -> list[Met]:
    """This line is written. Where it is not refused it is done; else the links of the answer are tried."""
    reply = letters.try_to_write(seat, line, turn=turn, to=to)
    refusals = [one for one in reply.answer.lines if one.verdict == "refused"] if reply else []
    if reply is None or not refusals:
        return []
    return [Met(line, refusals[0].code, tuple(taps(letters, seat, reply.links)), refusals[0].why)]


def taps(letters: Correspondence, seat: int, links: Sequence[Link]) -> Iterator[tuple[str, str, str]]:
    """What each link would do: its words, the verdict, and why."""
    for link in links:
        if link.body.rstrip() == WORD_OF["UPTO"]:
            # To be filled in.
            continue
        order = read_line(link.body.splitlines()[0])
        assert isinstance(order, Order) or link.body == WAIT, link.body
        told = letters.tap(seat, link).lines[0]
        yield link.body, told.verdict, told.why


# ---- situations that a game of computers does not come to -------------------------------------------
def hosted(*commands: c.Command, joined: int = 2) -> Correspondence:
    """A table for four that Anna has opened: so many have joined, and then these commands were done."""
    room = a_room("hosted")
    origin = Origin("create", "host", "desk")
    with room.store.write() as tx:
        game_id, _ = room.service.open_table(
            tx, players(4), origin=origin, table_name=TABLE_NAME, ruleset="felicity-2017", host=0
        )
    letters = corresponding(Postbag(room, game_id, Processor(room.service, MAILBOX)))
    return after(letters, *(joining(seat) for seat in range(joined)), *commands)


def after(letters: Correspondence, *commands: c.Command) -> Correspondence:
    """The same, once these commands were done."""
    for command in commands:
        assert letters.bag.room.do(letters.bag.game_id, command).refusal is None
    return letters


def a_host_declines() -> list[Met]:
    return meet(hosted(), 0, "DECLINE")


def a_host_alone_declines() -> list[Met]:
    return meet(hosted(joined=1), 0, "DECLINE")


def an_uninvited_guest_joins() -> list[Met]:
    return meet(hosted(c.Uninvite(seat=0, whom=3)), 3, "JOIN")


def a_late_guest_joins() -> list[Met]:
    return meet(hosted(c.Expire(seat=3)), 3, "JOIN")


def a_guest_who_declined_places_a_card() -> list[Met]:
    return meet(hosted(c.Decline(seat=3), c.Start(seat=0), joined=3), 3, "PLAY 8")


def who_left_for_good_bids() -> list[Met]:
    return meet(after(corresponding(an_auction()), c.Leave(seat=0, for_good=True)), 0, "BID 1")


def the_last_bidder_bids_too_much() -> list[Met]:
    letters = corresponding(an_auction())
    for _ in range(3):
        (seat,) = letters.bag.game.asked
        after(letters, c.Pass(seat=seat))
    (seat,) = letters.bag.game.asked
    return meet(letters, seat, "BID 2")


def a_bid_comes_when_the_next_card_has_turned() -> list[Met]:
    letters = corresponding(an_auction())
    first = letters.bag.to_move
    second = (first + 1) % 4
    early = letters.bag.address(second)
    after(letters, c.Pass(seat=first))
    return meet(letters, second, "BID 3", to=early)


def ahead(*, line: str, by: int = 1) -> list[Met]:
    """What somebody who waits in the first auction, or (0) whose turn it is, says in advance."""
    letters = corresponding(an_auction())
    return meet(letters, (letters.bag.to_move + by) % 4, line)


def who_waits_goes_above_their_mice() -> list[Met]:
    return ahead(line="UP TO 99")


def who_waits_goes_up_to_nothing() -> list[Met]:
    return ahead(line="UP TO 0")


def who_waits_bids_above_their_limit() -> list[Met]:
    return ahead(line="BID 9, UP TO 5")


def who_waits_is_too_poor() -> list[Met]:
    letters = corresponding(an_auction())
    poor = letters.bag.to_move
    after(letters, c.Bid(seat=poor, amount=10), *(c.Pass(seat=(poor + by) % 4) for by in (1, 2, 3)))
    letters.bag.place_all()
    after(letters, c.Bid(seat=poor, amount=1), c.Bid(seat=(poor + 1) % 4, amount=12))
    return meet(letters, poor, "UP TO 5")


def who_bids_takes_the_card_in_the_row_as_their_next() -> list[Met]:
    letters = corresponding(an_auction())
    seat = letters.bag.to_move
    return meet(letters, seat, str(Order("PASS", next=letters.bag.game.seats[seat].placed)))


def who_waits_takes_a_card_of_somebody_else_as_their_next() -> list[Met]:
    letters = corresponding(an_auction())
    seat = (letters.bag.to_move + 1) % 4
    boxed = letters.bag.game.seats[seat].boxed
    return meet(letters, seat, str(Order("NEXT", next=boxed)))


def who_plays_takes_the_same_card_as_their_next() -> list[Met]:
    letters = corresponding(a_first_round())
    card = letters.bag.game.seats[0].hand[0]
    return meet(letters, 0, str(Order("PLAY", card=card, next=card)))


def a_card_for_the_round_after_the_last() -> list[Met]:
    letters = corresponding(an_auction())
    while letters.bag.game.round < LAST_CHOSEN:
        if letters.bag.game.phase == "placing":
            letters.bag.place_all()
        after(letters, c.Pass(seat=letters.bag.to_move))
    seat = letters.bag.game.asked[0]
    return meet(letters, seat, str(Order("NEXT", next=letters.bag.game.seats[seat].hand[0])))


def an_absence_with_none_left() -> list[Met]:
    letters = corresponding(a_clocked_table())
    assert letters.write(0, "AWAY 3 weeks").answer.lines[-1].verdict == "done"
    letters.bag.room.clock.now += timedelta(days=20.5)
    assert letters.write(0, "AWAY OFF").answer.lines[-1].verdict == "done"
    return meet(letters, 0, "AWAY 2 days")


def a_game_called_off_is_joined() -> list[Met]:
    return meet(hosted(c.Cancel(seat=0)), 3, "JOIN")


def a_game_called_off_is_joined_by_who_declined() -> list[Met]:
    return meet(hosted(c.Decline(seat=3), c.Cancel(seat=0)), 3, "JOIN")


def a_game_that_runs_is_called_off() -> list[Met]:
    return meet(hosted(joined=4), 0, "CANCEL")


def an_invitation_is_declined_too_late() -> list[Met]:
    return meet(hosted(joined=4), 1, "DECLINE")


def a_host_declines_too_late() -> list[Met]:
    return meet(hosted(joined=4), 0, "DECLINE")


def yes_after_no() -> list[Met]:
    letters = corresponding(an_auction())
    (seat,) = letters.bag.game.asked
    address = letters.bag.question_address(seat, letters.write(seat, "psas").answer.asks)
    assert meet(letters, seat, "NO", to=address) == []
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


def a_host_uninvites_a_stranger() -> list[Met]:
    return meet(hosted(), 0, "UNINVITE Zoe")


def a_host_uninvites_twice() -> list[Met]:
    return meet(hosted(c.Uninvite(seat=0, whom=3)), 0, "UNINVITE Dan")


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


def a_table_where(happens: Callable[[Correspondence], object], *lines: str) -> Callable[[], list[Met]]:
    """The same, after something else."""

    def opening() -> list[Met]:
        letters = hosted()
        happens(letters)
        return meet(letters, 1, "\n".join(["NEW", *lines]))

    opening.__name__ = f"{happens.__name__} {lines}"
    return opening


def there_are_two_caras(letters: Correspondence) -> None:
    letters.write(1, "NEW\nCara <cara@friends.test>\nDan")


def mail_to_cara_is_stopped(why: Stopped) -> Callable[[Correspondence], None]:
    """Something that happens: no mail goes to Cara any more."""

    def stopping(letters: Correspondence) -> None:
        row = AddressRow("cara@players.test", letters.bag.seat(2).player_id, stopped=why)
        letters.bag.do(lambda tx: tx.note_address(row))

    stopping.__name__ = f"mail_to_cara_is_stopped {why}"
    return stopping


def cara_has_no_address(letters: Correspondence) -> None:
    room = letters.bag.room
    seated = [*players(2), Player("carl-1", "Carl", None)]
    with room.store.write() as tx:
        origin = Origin("desk", "host", "desk")
        room.service.open_table(tx, seated, origin=origin, table_name="", ruleset="felicity-2017")


def cara_is_invited_all_day(letters: Correspondence) -> None:
    """By strangers, ten times."""
    room = letters.bag.room
    for number in range(10):
        strangers = [Player(f"{name}{number}", name, f"{name}{number}@friends.test") for name in ("x", "y")]
        origin = Origin(f"desk {number}", "host", "desk")
        with room.store.write() as tx:
            seated = [*strangers, players(3)[2]]
            room.service.open_table(tx, seated, origin=origin, table_name="", ruleset="felicity-2017")


def five_tables_wait(letters: Correspondence) -> None:
    """They were opened days ago."""
    for _ in range(5):
        letters.write(1, "NEW\nCara\nDan")
    letters.bag.room.clock.now += timedelta(days=3)


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


def another_next_card_all_day_long() -> list[Met]:
    letters = corresponding(an_auction())
    (seat,) = letters.bag.game.asked
    one, other = (str(Order("NEXT", next=card)) for card in letters.bag.game.seats[seat].hand[:2])
    for _ in range(MOST_ORDERS // 2):
        letters.write(seat, one)
        letters.write(seat, other)
    return meet(letters, seat, one)


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


def more_words_after_the_end_than_are_passed_on() -> list[Met]:
    letters = an_ended_game()
    for number in range(10):
        letters.try_to_write(0, f"SAY well {number}")
    return meet(letters, 0, "SAY well played")


def the_replay_all_day_long() -> list[Met]:
    letters = an_ended_game()
    for _ in range(2):
        letters.write(0, "REPLAY")
    return meet(letters, 0, "REPLAY")


def another_game_without_one() -> list[Met]:
    letters = corresponding(an_auction())
    after(letters, c.Leave(seat=3, for_good=True))
    letters.bag.room.play(letters.bag.game_id)
    letters.write(0, "REMATCH")
    return meet(letters, 3, "REMATCH")


def another_game_with_too_few() -> list[Met]:
    letters = corresponding(an_auction())
    after(letters, c.Leave(seat=3, for_good=True), c.Leave(seat=2, for_good=True))
    letters.bag.room.play(letters.bag.game_id)
    return meet(letters, 0, "REMATCH")


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
    after(letters, *(c.Vote(seat=seat, on="pause") for seat in (1, 2, 3)))
    return meet(letters, 0, "PAUSE")


def away_from_nowhere() -> list[Met]:
    return meet(an_ended_game(), 0, "AWAY UNTIL 3 Dec")
