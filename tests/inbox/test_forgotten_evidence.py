"""What others have left to prove their moves by after somebody was forgotten: line, hash, Message-ID."""

from __future__ import annotations

from functools import partial
from hashlib import sha256
from pathlib import Path

import orjson
import pytest

from felix_async.language.grammar import Order
from felix_async.schedule.retention import Retention, drop
from felix_async.settings import Keep
from felix_cli.erasure import Forgetter
from felix_events.store.naming import begun_with
from felix_events.store.packing import keep_bytes
from felix_events.store.rows import Mail, games_of_cut
from felix_events.store.sqlite import SqliteStore
from games import NAMES
from inbox.mailroom_of_people import Village, a_village
from inbox.postbag import MAILBOX, Postbag, a_first_round, a_mail, an_auction

ANNA, BEN, CARA = range(3)
QUOTE = "\r\n\r\n> Anna <anna@players.test> bid 1.\r\n> Do you bid more, Ben?\r\n"
"""As every answer quotes the letter that it answers."""


@pytest.fixture
def store(tmp_path: Path) -> SqliteStore:
    return SqliteStore.create(tmp_path / "felix.db")


def said(bag: Postbag, seat: int, text: str, message_id: str = "") -> int:
    """A mail of this seat with a quote that names Anna, dealt with; its id."""
    sender = f"{NAMES[seat].lower()}@players.test"
    bag.mails += 1
    raw = a_mail(text + QUOTE, sender=sender, message_id=message_id or f"<{bag.mails}@{seat}.test>")
    return bag.take(raw, bag.address(seat), sender)


def forget(bag: Postbag, seat: int = ANNA) -> None:
    player_id, store = bag.seat(seat).player_id, bag.room.store
    assert isinstance(store, SqliteStore)
    bag.do(lambda tx: tx.begin_to_forget(player_id))
    Forgetter(store, bag.do).look()


def mails(bag: Postbag) -> list[Mail]:
    return bag.look(lambda reader: reader.mails())


def lines_of(mail: Mail) -> list[str]:
    return mail.evidence.decode().partition("\n\n")[2].splitlines()


def prune(bag: Postbag, keep: Keep | None = None) -> list[int]:
    """One walk through all mail; how many mails each step emptied."""
    retention = Retention(keep or Keep(), MAILBOX, bag.room.clock)
    retention.begin()
    steps = []
    while (step := bag.look(retention.find)) is not None:
        bag.do(partial(drop, table=step.table, ids=step.ids))
        steps.append(len(step.ids))
    return steps


def after_the_end(village: Village, days: float) -> None:
    village.bag.room.play(village.bag.game_id, exchanges=False)
    village.post.wait(days=days)


def an_evening(store: SqliteStore) -> tuple[Village, dict[int, str]]:
    """A game in which all write each of their first moves by mail; the line of each mail."""
    bag = a_first_round(3, store=store)
    village = a_village(bag)
    written: dict[int, str] = {}
    while len(written) < 14:
        game = bag.game
        for seat in game.asked if game.phase == "placing" else [bag.to_move]:
            hand = bag.game.seats[seat].hand
            line = str(Order("PLAY", card=hand[0])) if game.phase == "placing" else "PASS"
            written[said(bag, seat, line)] = line
        village.deliver()
    return village, written


def test_each_move_of_the_others_keeps_its_line_its_hash_and_its_message_id(
    store: SqliteStore, tmp_path: Path
) -> None:
    village, written = an_evening(store)
    bag = village.bag
    before = {mail.mail_id: mail for mail in mails(bag)}
    records = [
        orjson.loads(row.private_record or b"{}") for row in bag.look(lambda one: one.log(bag.game_id))
    ]
    recorded = {record.get("mail_sha256"): record.get("line") for record in records}
    anna = bag.seat(ANNA).player_id
    forget(bag)
    village.deliver()
    others = 0
    for mail_id, line in written.items():
        mail, was = bag.mail(mail_id), before[mail_id]
        assert b"Anna" in was.raw
        assert (mail.raw, mail.sha256, mail.state) == (b"", sha256(was.raw).hexdigest(), "done")
        if was.player_id == anna:
            assert (mail.evidence, mail.note) == (b"", "")
            continue
        others += 1
        assert games_of_cut(mail.note) == [bag.game_id]
        assert lines_of(mail) == [line] == [recorded[mail.sha256]]
        assert (
            f"\nMessage-ID: {was.raw.decode().partition('Message-ID: ')[2].split()[0]}\n"
            in mail.evidence.decode()
        )
    assert others >= 8
    store.close()
    kept = b"".join(file.read_bytes() for file in tmp_path.iterdir())
    assert b"anna" not in kept.replace(anna.encode(), b"").lower()


def test_what_became_no_move_is_emptied_as_before(store: SqliteStore) -> None:
    bag = a_first_round(store=store)
    hand, nonsense = said(bag, BEN, "HAND"), said(bag, BEN, "What a day, Anna")
    forget(bag)
    for mail_id in (hand, nonsense):
        mail = bag.mail(mail_id)
        assert (mail.raw, mail.evidence, mail.note) == (b"", b"", "")


def test_an_order_in_advance_keeps_its_line(store: SqliteStore) -> None:
    """It stands in the seat's own log."""
    bag = an_auction(store=store)
    seat = next(seat for seat in (BEN, CARA) if seat != bag.to_move)
    mail_id = said(bag, seat, "UP TO 2")
    forget(bag)
    assert lines_of(bag.mail(mail_id)) == ["UP TO 2"]


def test_a_vote_and_a_ruling_keep_the_lines_that_gave_them(store: SqliteStore) -> None:
    """Their records keep no line, since that may name somebody."""
    bag = a_first_round(4, store=store)
    until_asked(bag, BEN)
    said(bag, BEN, "PASS")
    lines = {BEN: "DISPUTE the pass", 3: "Hand over Ben\r\nSAY Anna, he sleeps"}
    kept = {seat: said(bag, seat, f"Hello,\r\n\r\n{line}") for seat, line in lines.items()}
    forget(bag)
    assert {seat: lines_of(bag.mail(mail_id)) for seat, mail_id in kept.items()} == {
        BEN: ["DISPUTE the pass"],
        3: ["Hand over Ben"],
    }


def test_of_a_mail_that_gives_the_same_order_without_end_twenty_lines_are_kept() -> None:
    raw = b"Subject: x\n\n" + b"".join(b"HAND OVER Ben %d\n" % number for number in range(1000))
    assert begun_with(raw, "HAND OVER 1")[19:] == ["HAND OVER Ben 19"]


def test_a_name_in_the_line_itself_is_cut_out_of_it_and_stays_in_the_log(store: SqliteStore) -> None:
    bag = a_first_round(3, store=store)
    until_asked(bag, BEN)
    mail_id = said(bag, BEN, "I bid 2, ANNA\r\nSAY Anna's is a fine cat")
    forget(bag)
    assert lines_of(bag.mail(mail_id)) == ["I bid 2, […]"]
    log = bag.look(lambda reader: reader.log(bag.game_id))
    assert [row for row in log if row.private_record and b'"line":"I bid 2, ANNA"' in row.private_record]


def test_of_a_second_person_nothing_is_left_either_and_the_line_stays(store: SqliteStore) -> None:
    bag = a_first_round(4, store=store)
    until_asked(bag, BEN)
    mail_id = said(bag, BEN, "I bid 2, Cara")
    forget(bag, ANNA)
    assert lines_of(bag.mail(mail_id)) == ["I bid 2, Cara"]
    forget(bag, CARA)
    assert lines_of(bag.mail(mail_id)) == ["I bid 2, […]"]
    assert b"Message-ID: <" in bag.mail(mail_id).evidence
    forget(bag, BEN)
    assert (bag.mail(mail_id).evidence, bag.mail(mail_id).note) == (b"", "")


def test_a_mail_that_was_cut_and_comes_again_is_a_duplicate(store: SqliteStore) -> None:
    bag = a_first_round(3, store=store)
    until_asked(bag, BEN)
    address = bag.address(BEN)
    mail_id = said(bag, BEN, "PASS", "<once@ben.test>")
    forget(bag)
    raw = a_mail(f"PASS{QUOTE}", sender="ben@players.test", message_id="<once@ben.test>", headers=["X-By: 2"])
    again = bag.take(raw, address, "ben@players.test")
    assert (bag.mail(again).state, bag.mail(again).note) == ("duplicate", f"the same as mail {mail_id}")


def test_a_line_that_does_not_stand_in_the_mail_is_not_kept_as_its_line(store: SqliteStore) -> None:
    """Somebody changed the record and its hashes, or the mail."""
    bag = a_first_round(3, store=store)
    until_asked(bag, BEN)
    mail_id = said(bag, BEN, "BID 2")
    raw = a_mail(f"BID 24{QUOTE}", message_id="<other@ben.test>")
    bag.do(lambda tx: keep_bytes(tx._sql, "inbox_bytes", mail_id, raw))  # type: ignore[attr-defined]
    forget(bag)
    assert (lines_of(bag.mail(mail_id)), games_of_cut(bag.mail(mail_id).note)) == ([], [bag.game_id])


def until_asked(bag: Postbag, seat: int) -> None:
    """All cards are placed, and the others pass until it is this seat's turn."""
    bag.place_all()
    while bag.to_move != seat:
        bag.send(bag.to_move, "PASS")


def test_cut_mails_stay_while_the_game_runs_and_as_long_as_it_may_be_disputed(store: SqliteStore) -> None:
    village = a_village(a_first_round(3, store=store))
    bag = village.bag
    until_asked(bag, BEN)
    mail_id = said(bag, BEN, "PASS")
    forget(bag)
    village.post.wait(days=300)
    prune(bag)
    assert lines_of(bag.mail(mail_id)) == ["PASS"]
    after_the_end(village, 36)
    prune(bag)
    assert lines_of(bag.mail(mail_id)) == ["PASS"]
    village.post.wait(days=2)
    before = bag.mail(mail_id)
    assert sum(prune(bag)) == 1
    after = bag.mail(mail_id)
    assert (after.raw, after.evidence, after.sha256) == (b"", b"", before.sha256)


def test_whole_mails_stay_for_ever_after_that_unless_the_settings_say_otherwise(store: SqliteStore) -> None:
    village = a_village(a_first_round(3, store=store))
    mail_id = said(village.bag, BEN, "HAND")
    after_the_end(village, 59)
    assert sum(prune(village.bag, Keep(inbox_days=60))) == 0
    village.post.wait(days=365)
    assert sum(prune(village.bag)) == 0
    assert village.bag.mail(mail_id).raw
    assert sum(prune(village.bag, Keep(inbox_days=60))) == 1
