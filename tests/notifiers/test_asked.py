"""The answers to HISTORY, RULES, GAMES, RESEND and HELP: what was asked for, as it is for this reader."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest

from felix_async.follow_up.answer import Section
from felix_async.game.cards import card_text
from felix_async.game.commands import Leave, Pass
from felix_async.game.folding import fold
from felix_async.game.story import Story
from felix_async.inbox.process import Processor
from felix_async.language.grammar import Order, read_line
from felix_async.language.phrases import phrase
from felix_async.language.words import RULES
from felix_async.schedule.tick import tick
from felix_events.model import Event, PlayerDeclined, PlayerUninvited
from felix_events.store.rows import Saying
from felix_notifiers.content import asked
from felix_notifiers.content.block import Block
from games import NAMES, TABLE_NAME, Played, a_game_played, a_room, joining
from inbox.clocked import a_clocked_table
from inbox.mailroom_of_people import a_village
from inbox.postbag import MAILBOX, Postbag, a_first_round, an_auction
from notifiers.sheets import Html, an_answer, mail, part, read
from table import ANNA, BEN, CARA, Table, a_game, a_hosted_invitation, an_invitation

HELP = an_answer(("HELP", "done", "."), show=["help"])
QUESTIONS: tuple[Section, ...] = ("history", "rules", "games", "resend", "help", "hand", "status")


def titles(blocks: list[Block]) -> list[str]:
    return [block.title for block in blocks]


def now_may(table: Table | list[Event], seat: int) -> str:
    """What stands below "You may now"."""
    game = table.game if isinstance(table, Table) else fold(table)
    text = mail(game, seat, {"answer"}, answer=HELP).text
    start = text.index(f"{phrase('people.now.heading')}:")
    return " ".join(text[start:].split("\n\n")[1].split())


@pytest.fixture(scope="module")
def played() -> Played:
    return a_game_played(4)


# ---- HISTORY --------------------------------------------------------------------------------------------
def test_history_tells_all_of_it_round_by_round(played: Played) -> None:
    blocks = asked.history(Story.of(played.envelopes), [], played.names, ANNA)
    rounds = [phrase("people.history.round", round=number) for number in range(1, 10)]
    assert titles(blocks) == [phrase("people.history.heading"), phrase("people.history.before"), *rounds]
    # Of the deal one's own hand is told, and of the seed nothing.
    untold = sum(one.type in ("hand_dealt", "seed_revealed") for one in played.envelopes) - 1
    assert sum(len(block.lines) for block in blocks) == played.size - untold


def test_a_round_is_named_once(played: Played) -> None:
    blocks = asked.history(Story.of(played.envelopes), [], played.names, ANNA)
    for block in blocks[2:]:
        assert " starts; " in block.lines[0] or block.lines[0].startswith("You start; ")
        assert "Round" not in " ".join(block.lines)


def test_history_tells_what_the_computer_did_as_its_deed() -> None:
    bag = an_auction()
    seat = bag.game.asked[0]
    bag.send(seat, "STOP")
    village = a_village(bag)
    told = " ".join(village.answer(seat, "HISTORY").split())
    assert re.search(
        r"You (bid|passed and took) \d+ (mouse|mice)\. \(The computer did this for you\.\)", told
    )


def test_who_exchanged_a_card_is_said_to_have_done_that() -> None:
    village = a_village(a_first_round())
    first, second, *_ = village.bag.game.seats[ANNA].hand
    for card in (first, second):
        village.bag.send(ANNA, str(Order("PLAY", card=card)))
    told = village.answer(ANNA, "HISTORY").replace("\u2212", "-")
    assert told.count("You placed") == 1
    assert f"- You exchanged your card for {card_text(second)}.".replace("\u2212", "-") in told
    assert "- Anna exchanged the card.\n" in village.answer(BEN, "HISTORY")


def test_history_has_what_was_said_in_its_place() -> None:
    village = a_village(a_first_round())
    village.bag.send(BEN, "SAY I like this row")
    text = village.answer(ANNA, "HISTORY")
    assert "- Ben: “I like this row”" in text
    assert text.index("Round 1:") < text.index("I like this row")


def test_ones_own_words_are_ones_own() -> None:
    village = a_village(a_first_round())
    village.bag.send(ANNA, "SAY I like this row")
    assert "- You: “I like this row”" in village.answer(ANNA, "HISTORY")


def test_a_saying_that_was_erased_is_told_without_its_words() -> None:
    bag = a_first_round()
    bag.send(BEN, "SAY I like this row")
    bodies = Played(bag.game_id, bag.room.evidence(bag.game_id)).envelopes
    erased = Saying(bag.game_id, bag.size, BEN, b"", "")
    (*_, block) = asked.history(Story.of(bodies), [erased], NAMES[:4], ANNA)
    assert block.lines[-1] == "Ben said something."


def test_history_tells_no_words_of_others_to_who_hears_none() -> None:
    village = a_village(a_first_round())
    village.bag.send(BEN, "SAY a word of Ben")
    village.bag.send(ANNA, "SAY a word of Anna")
    village.bag.send(ANNA, "SAY OFF")
    told = village.answer(ANNA, "HISTORY")
    assert ("a word of Ben" in told, "a word of Anna" in told) == (False, True)


# ---- STATUS -----------------------------------------------------------------------------------------
def test_status_tells_who_hosts_and_for_whom_the_computer_plays() -> None:
    room = a_room()
    bag = Postbag(room, room.open(3, host=ANNA), Processor(room.service, MAILBOX))
    room.join_all(bag.game_id)
    village = a_village(bag)
    bag.send(CARA, "STOP")
    told = village.answer(BEN, "STATUS")
    assert "- Anna is the host.\n- The computer plays for Cara.\n" in told
    assert "- You are the host of this game.\n" in village.answer(ANNA, "STATUS")
    assert "is the host" not in village.answer(BEN, "HAND")


# ---- RULES ----------------------------------------------------------------------------------------------
def test_rules_are_told_under_headings_in_both_parts() -> None:
    village = a_village(a_first_round())
    village.bag.send(ANNA, "RULES")
    (letter,) = village.deliver()
    text, html = part(letter, "plain"), Html(part(letter, "html")).words
    for paragraph in RULES.strip().split("\n\n"):
        heading, _, body = paragraph.partition("\n")
        assert f"\n{heading}:\n" in text
        assert heading in html
        assert body.split(". ")[0].replace("−", "-")[:50] in " ".join(text.split())


def test_the_rules_name_the_cards_and_the_mice_that_there_are() -> None:
    for word in ("−8, −5, 3, 5, 8, 11, 15", "15 mice", "nine rounds", "exactly 1 mouse", "dummy"):
        assert word in RULES


# ---- GAMES ----------------------------------------------------------------------------------------------
def two_tables() -> Postbag:
    bag = a_first_round()
    bag.room.open(3, command_id="create-2")
    return bag


def test_games_lists_the_tables_and_who_is_waited_for() -> None:
    village = a_village(two_tables())
    text = village.answer(ANNA, "GAMES")
    assert f"{TABLE_NAME} {village.bag.game_id}: round 1 of 9, it is your turn" in text
    assert "not started yet, you have not answered yet" in text


def test_a_table_that_waits_for_others_names_them() -> None:
    bag = an_auction()
    assert bag.game.to_move is not None
    waiting = next(seat for seat in range(4) if seat != bag.game.to_move)
    text = " ".join(a_village(bag).answer(waiting, "GAMES").split())
    assert f"waiting for {NAMES[bag.game.to_move]}" in text


def test_the_link_of_a_table_asks_that_table() -> None:
    village = a_village(two_tables())
    village.bag.send(ANNA, "GAMES")
    (letter,) = village.deliver()
    links = [link for link in Html(part(letter, "html")).links if link.body == "STATUS"]
    assert len(links) == 2
    for link in links:
        mail_id = village.bag.post(
            b"From: anna@players.test\r\nMessage-ID: <%d@x>\r\n\r\nSTATUS\r\n" % id(link),
            link.address.replace("%2B", "+"),
        )
        village.bag.work()
        assert village.bag.mail(mail_id).state == "done"


def test_no_table_of_somebody_else_is_listed() -> None:
    bag = a_first_round(4)
    bag.room.open(3, command_id="create-2")
    text = a_village(bag).answer(3, "GAMES")
    assert text.count("To see that table") == 1


def test_a_table_that_was_left_for_good_is_not_listed() -> None:
    bag = a_first_round()
    bag.room.do(bag.game_id, Leave(seat=ANNA, for_good=True))
    assert phrase("people.games.none") in a_village(bag).answer(ANNA, "GAMES")


def test_games_that_are_over_come_last() -> None:
    bag = a_first_round(3)
    bag.room.play(bag.game_id)
    bag.room.open(3, command_id="create-2")
    village = a_village(bag)
    text = village.answer(ANNA, "GAMES")
    assert text.index("not started yet") < text.index(f"{bag.game_id}: over")


def test_of_many_tables_the_newest_are_shown_and_the_others_counted() -> None:
    bag = a_first_round()
    for number in range(asked.MOST_GAMES + 2):
        bag.room.open(3, command_id=f"table {number}")
    text = a_village(bag).answer(ANNA, "GAMES")
    assert "And 3 more games." in text
    assert text.count("felix+") == asked.MOST_GAMES


def test_the_table_where_it_is_the_readers_turn_comes_first_and_is_never_cut_off() -> None:
    bag = a_first_round()
    for number in range(asked.MOST_GAMES + 2):
        other = bag.room.open(3, command_id=f"table {number}")
        bag.room.do(other, joining(ANNA))
    text = a_village(bag).answer(ANNA, "GAMES")
    standings = [line for line in text.splitlines() if line.startswith(f"{TABLE_NAME} ")]
    assert standings[0].startswith(f"{TABLE_NAME} {bag.game_id}: round 1 of 9, it is your turn")


# ---- RESEND ---------------------------------------------------------------------------------------------
def test_resend_has_all_of_the_turn_mail() -> None:
    village = a_village(a_first_round())
    text = village.answer(ANNA, "RESEND")
    for heading in ("What happened so far:", "the row left to right:", "Your turn"):
        assert heading in text


def test_resend_of_an_invitation_invites() -> None:
    bag = two_tables()
    lobby = Postbag(bag.room, bag.room.open(3, command_id="create-3"), bag.processor)
    assert "You are invited to a game of Felix" in a_village(lobby).answer(ANNA, "RESEND")


def test_resend_of_a_result_has_the_scores() -> None:
    bag = a_first_round(3)
    bag.room.play(bag.game_id)
    assert "The result:" in a_village(bag).answer(ANNA, "RESEND")


def test_resend_for_who_is_not_asked_has_the_table_and_the_hand() -> None:
    bag = an_auction()
    waiting = next(seat for seat in range(4) if seat != bag.game.to_move)
    text = a_village(bag).answer(waiting, "RESEND")
    assert "the row left to right:" in text
    assert "Your hand:" in text


def test_resend_of_a_vote_has_the_vote_and_its_word() -> None:
    bag = a_clocked_table()
    bag.place_all()
    village = a_village(bag)
    bag.send(BEN, "ABANDON")
    village.deliver()
    text = " ".join(village.answer(CARA, "RESEND").split())
    assert "Ben would like to end the game without a result." in text
    assert text.count("ABANDON") > 0


def test_resend_of_a_time_out_says_whose_time_was_up() -> None:
    bag = a_clocked_table()
    village = a_village(bag)
    bag.room.clock.now += timedelta(days=4)
    tick(bag.do, bag.room.service)
    village.deliver()
    assert "Your time was up on" in village.answer(BEN, "RESEND")


def test_resend_does_not_repeat_what_was_done_since() -> None:
    bag = a_clocked_table()
    village = a_village(bag)
    bag.send(BEN, "ABANDON")
    village.deliver()
    bag.send(BEN, "RESUME")
    assert "would like to end the game" not in village.answer(CARA, "RESEND")


def test_resend_says_again_what_was_said_in_that_mail() -> None:
    bag = a_first_round()
    bag.place_all()
    first = bag.game.asked[0]
    village = a_village(bag)
    bag.send((first + 2) % 4, "SAY well now")
    bag.send(first, "PASS")
    village.deliver()
    assert "well now" in village.answer(bag.game.asked[0], "RESEND")
    assert "well now" not in village.answer(bag.game.asked[0], "STATUS")


# ---- HELP -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("table", "seat", "expected"),
    [
        (a_game(), ANNA, "PLAY one of the cards"),
        (a_game().in_auction(top_bid=5, by=ANNA), BEN, "BID 6 or more, up to 15, or PASS."),
        (a_game().with_mice({BEN: 6}).in_auction(top_bid=5, by=ANNA), BEN, "BID 6, or PASS."),
        (a_game().with_mice({BEN: 5}).in_auction(top_bid=5, by=ANNA), BEN, "PASS; a bid is not possible"),
        (a_game().in_auction(top_bid=5, by=ANNA), CARA, "wait for your turn"),
        (
            a_game(start=ANNA).in_auction().after(Pass(seat=ANNA)),
            ANNA,
            "wait for the next round, because you have",
        ),
        (an_invitation(4), ANNA, "JOIN, or DECLINE."),
        (a_hosted_invitation(4, ()), ANNA, "JOIN, or CANCEL to call the game off."),
        (an_invitation(4, (ANNA,)), ANNA, "wait for the others, or DECLINE"),
        (a_hosted_invitation(4, (ANNA,)), ANNA, "wait for at least 3 players"),
        (a_hosted_invitation(4, (ANNA, BEN, CARA)), ANNA, "START the game"),
        (a_game().after(Leave(seat=BEN, for_good=False)), BEN, "write any order to play for yourself"),
        (
            a_game().after(Leave(seat=BEN, for_good=True)),
            BEN,
            "ask for STATUS, HISTORY or GAMES; you have left",
        ),
        ([*a_hosted_invitation(5, (ANNA,)), PlayerDeclined(seat=BEN)], BEN, "JOIN after all"),
        (
            [*a_hosted_invitation(5, (ANNA,)), PlayerUninvited(seat=BEN)],
            BEN,
            "ask for STATUS, HISTORY or GAMES; you are not",
        ),
    ],
)
def test_help_begins_with_what_the_reader_may_do_now(
    table: Table | list[Event], seat: int, expected: str
) -> None:
    assert now_may(table, seat).startswith(expected)


def test_help_in_a_pause_tells_how_to_end_it() -> None:
    bag = a_clocked_table()
    for seat in (ANNA, BEN, CARA):
        bag.send(seat, "PAUSE")
    text = a_village(bag).answer(ANNA, "HELP")
    assert "The game is paused: RESUME ends that, and the time runs again." in " ".join(text.split())


def test_help_tells_of_a_vote_that_the_reader_may_join() -> None:
    bag = a_clocked_table()
    bag.send(ANNA, "PAUSE")
    bag.send(ANNA, "ABANDON")
    village = a_village(bag)
    told = " ".join(village.answer(BEN, "HELP").split())
    assert "the pause that is asked for, write PAUSE, too. If you would like the end" in told
    assert "asked for, write" not in " ".join(village.answer(ANNA, "HELP").split())


def test_help_comes_above_the_list_of_all_orders() -> None:
    text = mail(a_game(), ANNA, {"answer"}, answer=HELP).text
    assert text.index("You may now") < text.index("All other orders")


def test_help_offers_start_to_a_host_with_enough_players() -> None:
    table = fold(a_hosted_invitation(4, (ANNA, BEN, CARA)))
    bodies = [link.body for link in Html(mail(table, ANNA, {"answer"}, answer=HELP).html).links]
    assert "START" in bodies
    assert bodies[-1] == "RULES"


def test_help_does_not_offer_start_to_anybody_else() -> None:
    table = fold(a_hosted_invitation(4, (ANNA, BEN, CARA)))
    bodies = [link.body for link in Html(mail(table, BEN, {"answer"}, answer=HELP).html).links]
    assert "START" not in bodies


@pytest.mark.parametrize("seat", [ANNA, BEN])
def test_every_link_of_an_answer_is_an_order(seat: int) -> None:
    village = a_village(two_tables())
    for word in QUESTIONS:
        village.bag.send(seat, word.upper())
        (letter,) = village.deliver()
        links = Html(part(read(letter.as_bytes()), "html")).links
        assert links
        assert all(isinstance(read_line(link.body), Order) for link in links)
