"""FORGET ME, the whole way by mail: asked, done, said good-bye to, and nothing of it left."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from felix_async.audit.audit import audit
from felix_async.clock import text_of
from felix_async.game.commands import Play, Say
from felix_async.language.phrases import phrase
from felix_async.service import Origin
from felix_cli.erasure import Forgetter
from felix_events.store.rows import Choice, NoticeRow
from felix_events.store.sqlite import SqliteStore
from felix_notifiers.outbox.claim import draft, keep
from games import players
from inbox.mailroom_of_people import Village, a_village
from inbox.postbag import Postbag, a_first_round, a_mail, a_table, until_the_computer_bids, verdicts
from notifiers.sheets import part

ANNA, BEN = range(2)
ADDRESS = "anna@players.test"
PLAYER_ID = "anna-1"
"""Stays in the log: a server of its own gives its players ids that say nothing."""


def forget(village: Village) -> None:
    """FORGET ME, and YES."""
    village.bag.send(ANNA, "FORGET ME")
    village.bag.reply(ANNA)


def last_mail(bag: Postbag) -> int:
    return bag.look(lambda reader: reader.mails())[-1].mail_id


def test_forget_me_asks_first_and_erases_nothing() -> None:
    bag = a_first_round()
    answer = bag.send(ANNA, "FORGET ME")
    assert (verdicts(answer), answer.asks_text) == (["asked"], phrase("people.sure.forget"))
    bag.send(ANNA, "NO")
    bag.send(ANNA, "YES")
    assert (bag.seat(ANNA).name, bag.seat(ANNA).address) == ("Anna", ADDRESS)


def test_a_yes_forgets_also_who_was_away_while_the_game_went_on() -> None:
    bag = a_first_round()
    bag.send(ANNA, "STOP")
    bag.send(ANNA, "FORGET ME")
    until_the_computer_bids(bag, ANNA)
    (question,) = bag.do(lambda tx: tx.questions(bag.game_id, ANNA))
    bag.take(a_mail("YES", message_id="<yes@players.test>"), bag.question_address(ANNA, question.number))
    assert bag.seat(ANNA).name == ""


def test_all_games_of_the_player_are_left() -> None:
    bag = a_first_round()
    lobby = Postbag(bag.room, bag.room.open(command_id="create-2"), bag.processor)
    other = Postbag(bag.room, bag.room.open(command_id="create-3"), bag.processor)
    other.room.join_all(other.game_id)
    forget(a_village(bag))
    assert other.game.seats[ANNA].gone
    assert lobby.game.seats[ANNA].answer == "declined"


def test_one_last_letter_goes_out_and_names_nobody() -> None:
    village = a_village(a_first_round())
    village.bag.send(ANNA, "FORGET ME")
    village.deliver()
    village.bag.reply(ANNA)
    (mail,) = [mail for mail in village.deliver() if ADDRESS in str(mail["To"])]
    assert str(mail["Subject"]) == phrase("people.farewell.subject")
    assert "Anna" not in part(mail, "plain") + part(mail, "html") + str(mail["To"])
    assert mail["Reply-To"] is None


def test_nothing_is_left_once_the_last_letter_is_sent() -> None:
    village = a_village(a_first_round())
    forget(village)
    village.deliver()
    with village.bag.room.store.read() as reader:
        rows = [
            *reader.mails(),
            *reader.letters(),
            *reader.notices(village.bag.game_id),
            *reader.addresses(),
            *reader.seats(village.bag.game_id),
            *reader.questions(village.bag.game_id, ANNA),
        ]
        raws = [*(mail.raw for mail in reader.mails()), *(letter.raw for letter in reader.letters())]
    assert not [row for row in rows if "anna" in repr(row).replace(PLAYER_ID, "").lower()]
    assert not [raw for raw in raws if b"anna" in raw.lower()]


def test_the_mail_that_asked_for_it_is_erased_and_done() -> None:
    village = a_village(a_first_round())
    forget(village)
    mail = village.bag.mail(last_mail(village.bag))
    assert (mail.raw, mail.sender, mail.state) == (b"", "", "done")


def test_the_database_file_holds_neither_name_nor_address(tmp_path: Path) -> None:
    store = SqliteStore.create(tmp_path / "felix.db")
    bag = a_first_round(store=store)
    village = a_village(bag)
    bag.send(ANNA, "Hi, it's Anna\nHAND\nSAY I like parsnips")
    village.deliver()
    bag.send(BEN, "HISTORY")
    village.deliver()
    bag.post(a_mail("Anna is away", headers=["Auto-Submitted: auto-replied"]), bag.address(ANNA))
    bag.take(b"Subject: bounced\r\n\r\nFinal-Recipient: anna@players.test\r\n", bag.address(ANNA), "")
    forget(village)
    village.deliver()
    Forgetter(store, bag.do).look()
    store.close()
    files = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    kept = files.replace(PLAYER_ID.encode(), b"").lower()
    assert b"felix" in kept
    for word in (b"anna", b"parsnips"):
        assert word not in kept


def test_no_letter_of_which_a_draft_was_made_before_the_yes_repeats_what_was_said(tmp_path: Path) -> None:
    with closing(SqliteStore.create(tmp_path / "felix.db")) as store:
        bag = a_first_round(store=store)
        village = a_village(bag)
        bag.send(ANNA, "SAY I like parsnips")
        bag.send(ANNA, "FORGET ME")
        village.bag.do(lambda tx: tx.enqueue(reminding(bag, BEN, bag.game.seats[BEN].turn)))
        with store.read() as reader:
            written = draft(reader, village.post.outbox.writer, bag.game_id, bag.room.clock)
        assert written is not None
        assert any(b"parsnips" in one.written.letter.raw for one in written.claimed if one.written)
        bag.reply(ANNA)
        assert bag.do(lambda tx: keep(tx, written)) is None
        village.post.claim()
        assert not [one for one in village.post.letters() if b"parsnips" in one.raw]


def test_the_same_address_writing_again_is_a_strangers() -> None:
    village = a_village(a_first_round())
    address = village.bag.address(ANNA)
    forget(village)
    village.deliver()
    size = village.bag.size
    mail = village.bag.take(a_mail("STATUS", message_id="<late@x.test>"), address)
    assert village.bag.mail(mail).state == "quarantined"
    assert (village.bag.size, village.deliver()) == (size, [])


def test_a_letter_to_another_that_waited_and_names_the_player_goes_too() -> None:
    village = a_village(a_first_round())
    village.bag.send(BEN, "HISTORY")
    village.post.claim()
    forget(village)
    village.deliver()
    with village.bag.room.store.read() as reader:
        assert not [letter for letter in reader.letters() if b"anna" in letter.raw.lower()]


def test_a_letter_that_was_owed_then_and_names_the_player_goes_too() -> None:
    """It is written after the YES, and repeats what Ben wrote before."""
    village = a_village(a_first_round())
    village.bag.send(BEN, "HOST Anna")
    forget(village)
    village.post.claim()
    assert [one for one in village.post.letters() if b"HOST Anna" in one.raw]
    village.deliver()
    assert naming_anna(village) == []


def naming_anna(village: Village) -> list[str]:
    """The state of each letter in which her name or address still stands."""
    with village.bag.room.store.read() as reader:
        return [letter.state for letter in reader.letters() if b"anna" in letter.raw.lower()]


def test_a_letter_to_another_that_is_dropped_after_the_last_one_was_sent_goes_too() -> None:
    """Ben's mail server takes its time; he answers an older mail meanwhile, and needs that letter no more."""
    village = a_village(a_first_round())
    village.bag.room.do(village.bag.game_id, Say(seat=ANNA, text_hash="0" * 64))
    asking = village.bag.game.seats[BEN].turn
    village.bag.do(lambda tx: tx.enqueue(reminding(village.bag, BEN, asking)))
    village.post.claim()
    (letter,) = [one for one in village.post.letters() if one.state == "ready"]
    village.bag.do(lambda tx: tx.mark_letter(letter.letter_id, "ready", next_at="2026-06", note="greylisted"))
    forget(village)
    village.deliver()
    assert naming_anna(village) == ["ready"]
    village.bag.room.do(village.bag.game_id, Play(seat=BEN, card=village.bag.game.seats[BEN].hand[0]))
    village.bag.do(lambda tx: tx.mark_letter(letter.letter_id, "ready", next_at="2026-01", note="greylisted"))
    village.deliver()
    assert village.post.letters()[letter.letter_id - 1].state == "dropped"
    assert naming_anna(village) == []


def reminding(bag: Postbag, seat: int, turn: int) -> NoticeRow:
    return NoticeRow(bag.game_id, bag.game.version, seat, "reminder", text_of(bag.room.clock()), turn)


def test_a_digest_of_another_game_that_waited_and_names_the_player_goes_too() -> None:
    """It is filed under a game in which she does not sit."""
    bag = a_table()
    bag.do(lambda tx: tx.choose(Choice(bag.seat(BEN).player_id, "daily")))
    with bag.room.store.write() as tx:
        without_her, _ = bag.room.service.open_table(
            tx,
            players(5)[1:],
            origin=Origin("create-2", "host", "desk"),
            table_name="Without",
            ruleset="felicity-2017",
        )
    bag.room.join_all(without_her)
    bag.room.join_all(bag.game_id)
    bag.send(ANNA, "SAY I like parsnips")
    village = a_village(bag)
    village.post.wait(days=1)
    village.post.claim()
    digest = next(
        one for one in village.post.letters() if one.recipient == "ben@players.test" and one.state == "ready"
    )
    assert (digest.game_id, b"Anna" in digest.raw) == (without_her, True)
    forget(village)
    village.deliver()
    assert naming_anna(village) == []


def test_the_other_players_play_on() -> None:
    village = a_village(a_first_round(3))
    forget(village)
    assert (village.bag.game.seats[ANNA].gone, village.bag.seat(ANNA).name) == (True, "")
    village.deliver()
    village.bag.room.play(village.bag.game_id, exchanges=False)
    assert village.bag.game.phase == "ended"
    assert audit(village.bag.room.evidence(village.bag.game_id)).findings == []
    assert all(ADDRESS not in str(mail["To"]) for mail in village.deliver())


def test_who_had_stopped_gets_the_last_letter_all_the_same() -> None:
    village = a_village(a_first_round())
    village.bag.send(ANNA, "STOP")
    forget(village)
    assert [mail for mail in village.deliver() if ADDRESS in str(mail["To"])]


@pytest.mark.parametrize("seats", [3, 4])
def test_a_player_who_was_only_invited_can_be_forgotten(seats: int) -> None:
    bag = a_table(seats)
    forget(a_village(bag))
    assert (bag.seat(ANNA).name, bag.game.phase) == ("", "abandoned")


# ---- whose mail it was ----------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "headers", [[], ["Auto-Submitted: auto-replied"], ["Precedence: bulk"]], ids=["person", "away", "bulk"]
)
def test_a_mail_is_its_writers(headers: list[str]) -> None:
    bag = a_first_round()
    mail = bag.take(a_mail("HAND", headers=headers), bag.address(ANNA))
    assert bag.mail(mail).player_id == bag.seat(ANNA).player_id


def test_a_bounce_is_the_players_whose_letter_came_back() -> None:
    bag = a_first_round()
    mail = bag.take(b"Subject: bounced\r\n\r\nno such user\r\n", bag.address(ANNA), "<>")
    assert bag.mail(mail).player_id == bag.seat(ANNA).player_id


def test_a_mail_without_a_token_is_its_writers_too() -> None:
    bag = a_first_round()
    mail = bag.take(a_mail("HAND"), "felix@felix.test")
    assert bag.mail(mail).player_id == bag.seat(ANNA).player_id


def test_a_strangers_mail_is_nobodys() -> None:
    bag = a_first_round()
    mail = bag.take(a_mail("HAND", sender="zoe@else.test"), bag.address(ANNA), "zoe@else.test")
    assert bag.mail(mail).player_id is None
