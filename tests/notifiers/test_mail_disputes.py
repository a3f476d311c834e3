"""Letters about disputes: who reads what of a denied move, and that its story is told once."""

from __future__ import annotations

from datetime import timedelta
from email.message import EmailMessage

import pytest

from felix_async.game.commands import Lapse
from felix_async.game.narrate import describe
from felix_async.language.phrases import phrase
from felix_events.model import DisputeSettled
from inbox.clocked import a_clocked_auction, a_clocked_table
from inbox.postbag import Postbag
from notifiers.correspondence import Correspondence, corresponding
from notifiers.office import claim_owed
from notifiers.sheets import Html, Mails, part
from table import ANNA, BEN, CARA, DAN


@pytest.fixture(name="table")
def _table() -> Correspondence:
    """Anna hosts, and Ben denies his bid; what was owed before is sent."""
    table = bidding(a_clocked_auction(), BEN)
    table.bag.send(BEN, "DISPUTE BID")
    return table


def bidding(bag: Postbag, seat: int) -> Correspondence:
    """They bid until this seat has; all that is owed is sent, and a minute has passed."""
    table = corresponding(bag)
    while not bag.game.seats[seat].bid:
        bag.send(bag.to_move, f"BID {bag.game.high_bid + 1}")
    claim_owed(bag.do, table.outbox)
    bag.room.clock.now += timedelta(minutes=1)
    return table


def newest_to(table: Correspondence, seat: int) -> EmailMessage:
    claim_owed(table.bag.do, table.outbox)
    with table.bag.room.store.read() as reader:
        newest = [one for one in reader.letters() if one.seat == seat][-1]
    (message,) = Mails([newest])
    return message


def html_to(table: Correspondence, seat: int) -> str:
    return part(newest_to(table, seat), "html")


def letter_to(table: Correspondence, seat: int) -> tuple[str, list[str]]:
    """The text of the newest letter to a seat, in one line, and what its links do."""
    message = newest_to(table, seat)
    links = [link.body for link in Html(part(message, "html")).links if link.address]
    return " ".join(part(message, "plain").split()), links


def test_the_host_is_offered_to_let_it_stand_and_nobody_else_is(table: Correspondence) -> None:
    for seat in (ANNA, CARA, DAN):
        text, links = letter_to(table, seat)
        is_host = seat == ANNA
        assert ("STANDS Ben" in links, "You can let it stand: STANDS Ben." in text) == (is_host, is_host)


def test_that_the_host_can_let_it_stand_is_told_of_no_dispute_of_the_hosts() -> None:
    table = bidding(a_clocked_auction(), ANNA)
    table.bag.send(ANNA, "DISPUTE BID")
    text, _ = letter_to(table, CARA)
    assert "By itself the dispute is over" in text
    assert "Nobody has to wait: the game goes on." in text
    assert "STANDS" not in text


def test_in_a_pause_nobody_reads_that_the_game_goes_on() -> None:
    table = bidding(a_clocked_auction(), BEN)
    for seat in (ANNA, CARA, DAN):
        table.bag.send(seat, "PAUSE")
    table.bag.send(BEN, "DISPUTE BID")
    text, _ = letter_to(table, CARA)
    assert "The host can let it stand with STANDS" in text
    assert "HAND OVER Ben to have the computer play that seat." in text
    assert "Nobody has to wait" not in text


def test_the_first_line_names_the_player_and_the_bid(table: Correspondence) -> None:
    bid = table.bag.game.seats[BEN].bid
    assert letter_to(table, CARA)[0].startswith(f"Ben says that the bid of {bid} was not theirs. --")


def test_who_wants_no_move_outside_reads_no_name_there() -> None:
    table = bidding(a_clocked_auction(), BEN)
    table.bag.send(CARA, "NOTIFY DISCREET")
    table.bag.send(BEN, "DISPUTE BID")
    assert letter_to(table, CARA)[0].startswith("A player says that a move was not theirs. --")


def test_status_tells_of_every_open_dispute_and_that_time_stands_still(table: Correspondence) -> None:
    claim_owed(table.bag.do, table.outbox)
    named = f"the bid of {table.bag.game.seats[BEN].bid} in round 1 was not"
    for seat, who in (BEN, f"You say that {named} yours."), (CARA, f"Ben says that {named} theirs."):
        text = " ".join(table.write(seat, "STATUS").text.split())
        assert who in text
        assert text.count("That dispute is open until Fri 27 Nov, ") == 1
        assert text.count("Time stands still until Sun 22 Nov, ") == 1
    table.write(BEN, "DISPUTE OFF")
    assert "not theirs" not in table.write(CARA, "STATUS").text


def test_once_it_is_over_no_later_story_tells_of_it(table: Correspondence) -> None:
    bag = table.bag
    named = f"the bid of {bag.game.seats[BEN].bid} in round 1"
    bag.room.clock.now += timedelta(days=8)
    bag.room.do(bag.game_id, Lapse(seat=BEN))
    claim_owed(bag.do, table.outbox)
    bag.send(bag.to_move, "PASS")
    text, _ = letter_to(table, bag.to_move)
    assert "not theirs" not in text
    assert "stands still" not in text
    assert "Ben's dispute" not in text
    history = " ".join(table.write(bag.to_move, "HISTORY").text.split())
    assert f"Ben says that {named} was not theirs." in history
    assert f"Ben's dispute about {named} was open for seven days; the move stands." in history


def test_of_a_face_down_card_its_player_is_told_that_nobody_hears_which() -> None:
    bag = a_clocked_table()
    bag.send(BEN, f"PLAY {next(one for one in bag.game.seats[BEN].hand if one in range(1, 16))}")
    table = corresponding(bag)
    claim_owed(bag.do, table.outbox)
    (line,) = bag.send(BEN, "DISPUTE").lines
    assert line.why.startswith("All are told that your face-down card was not yours; nobody is told which")
    assert letter_to(table, CARA)[0].startswith("Ben says that their face-down card is not theirs. --")


def test_the_answer_begins_with_what_was_done() -> None:
    table = bidding(a_clocked_auction(), BEN)
    for seat, words, first in (
        (BEN, "DISPUTE BID", "Everybody is told that you deny a move."),
        (BEN, "DISPUTE OFF", "Everybody is told that your dispute is over."),
        (BEN, "DISPUTE card", "Everybody is told that you deny a move."),
        (ANNA, "STANDS", "Everybody is told that the move stands."),
    ):
        assert table.write(seat, words).text.splitlines()[0] == first


def test_one_answer_is_offered_as_the_only_one(table: Correspondence) -> None:
    for seat, words in (BEN, "DISPUTE OFF please"), (ANNA, "STANDS Zoe"), (CARA, "HAND OVER Zoe"):
        letter = table.write(seat, words)
        assert "Is this what you mean?" in letter.text
        assert "A question before I do that." in letter.text


def test_that_the_host_let_it_stand_is_said_once() -> None:
    settled = DisputeSettled(seat=1, turn=1, what="bid", how="stands", stopped=0)
    told = describe(settled, ["Anna", "a former player"], "host")
    assert told == "The host lets the move stand that a former player disputed: the bid."


# ---- several notices in one letter -------------------------------------------------------------------
def test_who_hears_of_a_dispute_when_it_is_over_reads_which_move_it_was_about(table: Correspondence) -> None:
    bid = table.bag.game.seats[BEN].bid
    table.bag.send(ANNA, "STANDS")
    text, _ = letter_to(table, CARA)
    assert text.startswith(f"Ben's dispute about the bid of {bid} is over. --")
    assert f"The host lets the move stand that Ben disputed: the bid of {bid} in round 1." in text


def test_how_it_ends_is_told_only_while_it_is_open(table: Correspondence) -> None:
    bid = table.bag.game.seats[BEN].bid
    table.bag.send(ANNA, "STANDS")
    text, _ = letter_to(table, BEN)
    assert text.startswith("Your dispute is over. --")
    assert f"All are told that the bid of {bid} in round 1 was not yours." in text
    assert "DISPUTE OFF" not in text
    assert "Time stands still" not in text


def test_while_it_is_open_its_player_reads_how_it_ends(table: Correspondence) -> None:
    text, _ = letter_to(table, BEN)
    assert "Time stands still until Sun 22 Nov, " in text
    assert "The dispute ends with DISPUTE OFF, by a word of the host, or Fri 27 Nov, " in text


def test_who_wants_no_move_outside_reads_there_of_no_move_that_stands() -> None:
    table = bidding(a_clocked_auction(), BEN)
    table.bag.send(CARA, "NOTIFY DISCREET")
    table.bag.send(BEN, "DISPUTE BID")
    table.bag.send(ANNA, "STANDS")
    assert letter_to(table, CARA)[0].startswith("A dispute is over. --")


def test_an_open_vote_comes_before_a_dispute_that_is_over(table: Correspondence) -> None:
    table.bag.send(CARA, "DISPUTE card")
    claim_owed(table.bag.do, table.outbox)
    table.bag.send(CARA, "DISPUTE OFF")
    table.bag.send(DAN, "HAND OVER Ben")
    told = "Dan would like the computer to take over"
    assert letter_to(table, ANNA)[0].startswith(f"{told} Ben's seat. 2 more votes would do it. --")
    assert letter_to(table, BEN)[0].startswith(f"{told} your seat. 2 more votes would do it. --")


def test_on_the_hosts_own_turn_the_moves_come_first_and_no_bid_is_left_out() -> None:
    table = bidding(a_clocked_auction(), DAN)
    table.bag.send(BEN, "DISPUTE BID")
    table.bag.send(CARA, "HAND OVER Ben")
    text, links = letter_to(table, ANNA)
    assert "(or any number to 15)" in text
    moves = [one for one in links if one.startswith(("PASS", "BID"))]
    assert links[: len(moves)] == moves
    assert links.index("HAND OVER Ben") > links.index(moves[-1]) < links.index("STANDS Ben")


def test_buttons_that_are_not_there_are_not_explained() -> None:
    table = bidding(a_clocked_auction(), BEN)
    how = phrase("table.early.limits")
    with_limits = html_to(table, CARA)
    table.bag.send(DAN, "DISPUTE card")
    without = html_to(table, CARA)
    assert [("UP TO" in one, how in one) for one in (with_limits, without)] == [(True, True), (False, False)]
