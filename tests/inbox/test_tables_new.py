"""NEW by mail: whoever is listed, or in To and Cc, is invited to a table that its writer hosts."""

from __future__ import annotations

from datetime import timedelta

import pytest

from each import each
from felix_async.draw import contribution
from felix_async.language.phrases import phrase
from felix_async.language.words import DONE, REFUSALS
from felix_events.store.rows import AddressRow, Stopped
from inbox.hosting import (
    ANNA,
    FRIENDS,
    answers,
    game_at,
    kept,
    names_at,
    opened,
    seats_at,
    why_not,
    write_new,
)
from inbox.postbag import MAILBOX, Postbag, a_first_round, a_mail, a_table, verdicts


# ---- who plays ------------------------------------------------------------------------------------------
def test_new_invites_those_who_are_listed_below_it(bag: Postbag) -> None:
    write_new(bag, f"NEW Thursday club\n{FRIENDS}\n\nBye\n")
    (game_id,) = opened(bag)
    assert names_at(bag, game_id) == ["Anna", "Dora", "Emil"]
    assert [seat.address for seat in seats_at(bag, game_id)] == [
        ANNA,
        "dora@friends.test",
        "emil@friends.test",
    ]
    with bag.room.store.read() as reader:
        game = reader.game(game_id)
        invited = [notice.seat for notice in reader.notices(game_id) if notice.kind == "invitation"]
    assert game is not None
    assert (game.table_name, game.state, invited) == ("Thursday club", "inviting", [0, 1, 2])


def test_the_writer_hosts_and_has_joined(bag: Postbag) -> None:
    write_new(bag, f"NEW\n{FRIENDS}")
    game = game_at(bag, opened(bag)[0])
    assert (game.host, [seat.answer for seat in game.seats]) == (0, ["joined", "invited", "invited"])
    assert game.seats[0].contribution == contribution("new-1@players.test", "")


def test_those_in_to_and_cc_are_invited_by_the_names_that_they_have_there(bag: Postbag) -> None:
    headers = [
        f"To: felix <{bag.address(0)}>, =?utf-8?q?J=C3=BCrgen?= <j@friends.test>",
        f'Cc: "Smith, Dora" <Dora@Friends.test>, {MAILBOX}, Anna at home <{ANNA}>, kai@friends.test',
    ]
    write_new(bag, "NEW", headers=headers)
    assert names_at(bag, opened(bag)[0]) == ["Anna", "Jürgen", "Smith, Dora", "kai"]


def test_a_list_comes_before_to_and_cc_and_names_nobody_twice(bag: Postbag) -> None:
    headers = ["Cc: X <dora@friends.test>, Kai <kai@friends.test>, B <ben@players.test>"]
    write_new(bag, "NEW\nBen\nDora <dora@friends.test>", headers=headers)
    assert names_at(bag, opened(bag)[0]) == ["Anna", "Ben", "Dora", "Kai"]


def test_a_name_alone_is_enough_for_somebody_one_has_played_with(bag: Postbag) -> None:
    write_new(bag, "NEW\nben\nCARA")
    seats = seats_at(bag, opened(bag)[0])
    assert [seat.player_id for seat in seats] == [bag.seat(seat).player_id for seat in (0, 1, 2)]
    assert [seat.name for seat in seats] == ["Anna", "Ben", "Cara"]


def test_two_of_one_name_are_told_apart(bag: Postbag) -> None:
    write_new(bag, "NEW\nBen\nBEN <ben@friends.test>\nAnna <other@friends.test>")
    assert names_at(bag, opened(bag)[0]) == ["Anna", "Ben", "BEN 2", "Anna 2"]


# ---- what is refused, and leaves no trace ---------------------------------------------------------------
TEN = "\n".join(f"p{number}@friends.test" for number in range(10))


@each(("text", "headers", "code"), [
    ("NEW Thursday club", [], "new/nobody"), ("NEW", [f"To: {MAILBOX}, {ANNA}"], "new/nobody"),
    ("NEW\nBen", [], "new/too_few"), (f"NEW\n{TEN}", [], "new/too_many"),
    ("NEW", [f"Cc: {TEN}".replace("\n", ", ")], "new/too_many"),
    (f"NEW\n{FRIENDS}\nMe <{ANNA.upper()}>", [], "new/yourself"),
    (f"NEW\n{FRIENDS}\n{MAILBOX}", [], "new/felix"),
    (f"NEW\n{FRIENDS}\nD <dora@friends.test>", [], "new/twice"),
])  # fmt: skip
def test_a_list_that_makes_no_table_is_refused(text: str, headers: list[str], code: str) -> None:
    assert why_not(a_table(), text, headers=headers) == REFUSALS[code].format(name="Dora")


def test_new_with_another_address_of_oneself(bag: Postbag) -> None:
    bag.do(lambda tx: tx.adopt(bag.seat(0).player_id, "phone@players.test"))
    assert why_not(bag, f"NEW\n{FRIENDS}\nphone@players.test") == REFUSALS["new/yourself"]


def test_new_with_two_addresses_of_one_player(bag: Postbag) -> None:
    bag.do(lambda tx: tx.add_player(bag.seat(1).player_id, "ben@work.test"))
    twice = REFUSALS["new/twice"].format(name="Ben")
    assert why_not(bag, "NEW\nben@players.test\nben@work.test\nCara") == twice
    assert why_not(bag, "NEW\nben@players.test\nCara", headers=["Cc: ben@work.test"]) == twice


@each("line", ["faster please", "Zoe", "Be", "private table", "soon", "Move"])
def test_new_with_a_line_that_nobody_understands(line: str) -> None:
    sentence = REFUSALS["new/unknown_line"].format(line=line)
    assert why_not(a_table(), f"NEW\n{FRIENDS}\n{line}") == sentence


def test_new_with_a_name_that_two_friends_have(bag: Postbag) -> None:
    write_new(bag, "NEW\nBen <other@friends.test>\nCara")
    assert why_not(bag, "NEW\nBen\nCara") == REFUSALS["new/which_one"].format(name="Ben")


@each(
    "line",
    ["Dan <d@>", "Dän <dän@x.test>", "a@b.test@c.test", "eve@evil.test <a@b.test>", "Zoe <a@[>", 'Zoe <"@[>'],
)
def test_new_with_an_address_that_is_none(line: str) -> None:
    assert why_not(a_table(), f"NEW\n{FRIENDS}\n{line}") == REFUSALS["new/no_address"].format(line=line)


def test_new_with_somebody_whom_others_have_invited_all_day(bag: Postbag) -> None:
    """Many who invite the same stranger, call it off and invite again would else fill that mailbox."""
    victim = "Vic <vic@victim.test>"
    for number in range(10):
        sender = f"{('anna', 'ben', 'cara')[number % 3]}@players.test"
        write_new(bag, f"NEW\n{victim}\nx{number}@friends.test", sender=sender, seat=number % 3)
        table = Postbag(bag.room, opened(bag)[-1], bag.processor)
        table.take(a_mail("CANCEL", sender=sender, message_id=f"<c{number}@players.test>"), table.address(0))
    assert [game_at(bag, game_id).phase for game_id in opened(bag)] == ["abandoned"] * 10
    assert why_not(bag, f"NEW\n{FRIENDS}\n{victim}") == REFUSALS["new/invited_enough"].format(name="Vic")
    bag.room.clock.now += timedelta(days=1)
    write_new(bag, f"NEW\n{FRIENDS}\n{victim}")
    assert len(opened(bag)) == 11


@pytest.mark.parametrize(("line", "stopped", "code"), [
    ("Ben", "asked", "new/wants_no_mail"),
    ("Benny <ben@players.test>", "asked", "new/wants_no_mail"),
    ("Ben", "bounces", "new/unreachable"),
])  # fmt: skip
def test_new_with_somebody_who_gets_no_mail(bag: Postbag, line: str, stopped: Stopped, code: str) -> None:
    row = AddressRow("ben@players.test", bag.seat(1).player_id, stopped=stopped)
    bag.do(lambda tx: tx.note_address(row))
    assert why_not(bag, f"NEW\n{line}\nCara") == REFUSALS[code].format(name=line.partition(" ")[0])


def test_a_line_that_is_cut_invites_nobody(bag: Postbag) -> None:
    long = ", ".join(["x" * 30] * 12 + ["emil@friends.test.org"])
    assert why_not(bag, f"NEW\nDora <dora@friends.test>\n{long}").startswith("I can't tell who")


# ---- how often ------------------------------------------------------------------------------------------
def test_five_tables_a_day_are_enough_and_the_next_day_is_a_new_one(bag: Postbag) -> None:
    for _ in range(5):
        write_new(bag, f"NEW\n{FRIENDS}")
        bag.do(lambda tx: tx.note_game(opened(bag)[-1], "abandoned", tx.head(opened(bag)[-1])[0]))
    assert why_not(bag, f"NEW\n{FRIENDS}") == REFUSALS["new/enough_today"].format(count=5)
    bag.room.clock.now = bag.room.clock.now.replace(day=3)
    write_new(bag, f"NEW\n{FRIENDS}")
    assert len(opened(bag)) == 6


def test_five_tables_that_wait_are_enough(bag: Postbag) -> None:
    for _ in range(5):
        write_new(bag, f"NEW\n{FRIENDS}")
    bag.room.clock.now = bag.room.clock.now.replace(day=4)
    assert why_not(bag, f"NEW\n{FRIENDS}") == REFUSALS["new/enough_open"].format(count=5)


def test_another_players_tables_do_not_count(bag: Postbag) -> None:
    for _ in range(5):
        write_new(bag, "NEW\nBen\nCara")
    write_new(bag, f"NEW\n{FRIENDS}", sender="ben@players.test", seat=1)
    assert len(opened(bag)) == 6


# ---- once -----------------------------------------------------------------------------------------------
def test_a_mail_to_two_addresses_of_felix_opens_one_table(bag: Postbag) -> None:
    raw = a_mail("NEW\nBen\nCara", headers=[f"To: {bag.address(0)}", f"Cc: {bag.address(0, 7)}"])
    for address in (bag.address(0), bag.address(0, 7)):
        bag.take(raw, address)
    (game_id,) = opened(bag)
    assert {answer.lines[0].verdict for answer in answers(bag, game_id)} == {"done"}


def test_a_mail_that_is_dealt_with_anew_opens_no_second_table(bag: Postbag) -> None:
    mail = write_new(bag, f"NEW\n{FRIENDS}")
    size = game_at(bag, opened(bag)[0]).version
    before = kept(bag)
    bag.do(lambda tx: tx.requeue_mail(mail, "once more"))
    bag.work()
    assert (kept(bag), game_at(bag, opened(bag)[0]).version) == (before, size)


# ---- the answer -----------------------------------------------------------------------------------------
def test_the_answer_goes_to_the_writers_seat_at_the_new_table(bag: Postbag) -> None:
    write_new(bag, f"Hello felix\nNEW\n{FRIENDS}")
    assert answers(bag, bag.game_id) == []
    (answer,) = answers(bag, opened(bag)[0])
    assert (answer.show, answer.in_reply_to) == (["status", "forward"], "new-1@players.test")
    assert (answer.lines[0].verdict, answer.lines[0].text) == ("done", "NEW; " + FRIENDS.replace("\n", "; "))
    invited = phrase("answers.tables.invited", names=["Dora", "Emil"])
    rules = phrase("answers.tables.rules", edition="2017")
    assert answer.lines[0].why == f"{DONE['NEW']} {invited} {rules} {phrase('answers.tables.no_clock')}"


def test_what_else_the_mail_did_is_answered_where_it_was_done() -> None:
    bag = a_first_round()
    write_new(bag, f"HAND\nNEW\n{FRIENDS}")
    (at_home,) = answers(bag, bag.game_id)
    assert ([line.text for line in at_home.lines], at_home.show) == (["HAND"], ["hand"])
    assert verdicts(answers(bag, opened(bag)[0])[0]) == ["done"]


def test_no_address_of_a_friend_is_in_the_log(bag: Postbag) -> None:
    write_new(bag, "NEW: dora@friends.test, emil@friends.test")
    log = bag.look(lambda reader: reader.log(opened(bag)[0]))
    assert all(b"friends" not in row.body + (row.private_record or b"") for row in log)


# ---- what belongs to the list ---------------------------------------------------------------------------
def test_an_order_ends_the_list_and_is_done(bag: Postbag) -> None:
    write_new(bag, f"NEW\n{FRIENDS}\nJOIN\nKai <kai@friends.test>")
    assert len(names_at(bag, opened(bag)[0])) == 3
    assert bag.game.seats[0].answer == "joined"


def test_new_in_the_subject_of_a_new_mail_takes_the_list_from_its_text(bag: Postbag) -> None:
    write_new(bag, f"{FRIENDS}\n\nBye", subject="NEW Thursday club")
    assert names_at(bag, opened(bag)[0]) == ["Anna", "Dora", "Emil"]


def test_an_old_thread_with_new_in_its_subject_opens_nothing(bag: Postbag) -> None:
    write_new(bag, FRIENDS, subject="NEW club", headers=["In-Reply-To: <a@b>"])
    assert opened(bag) == []


@pytest.mark.parametrize(
    "text",
    [
        f"> NEW\n> {FRIENDS}",
        f"On Fri, May 1, 2026 at 7:12 PM felix <felix@felix.test> wrote:\n> NEW club\n> {FRIENDS}",
        f"-- write above this line --\nNEW club\n{FRIENDS}",
        f"---------- Forwarded message ---------\nFrom: Ben <b@x.test>\nSubject: x\n\nNEW club\n{FRIENDS}",
        f"-- \nNEW club\n{FRIENDS}",
        f"thanks\nNEW club\n{FRIENDS}",
    ],
)
def test_a_new_that_is_not_the_writers_opens_nothing(bag: Postbag, text: str) -> None:
    before = kept(bag)
    write_new(bag, text, headers=["Cc: kai@friends.test, lea@friends.test"])
    assert (opened(bag), kept(bag)) == ([], before)


@pytest.mark.parametrize("line", ["nwe", "new game?", "hello felix, new game"])
def test_what_is_nearly_new_is_neither_done_nor_asked_about(bag: Postbag, line: str) -> None:
    """A YES would come without the list."""
    before = kept(bag)
    mail = write_new(bag, f"{line}\n{FRIENDS}")
    answer = bag.answered(mail)
    assert (answer.lines[0].verdict, answer.asks, kept(bag)) == ("ambiguous", 0, before)
