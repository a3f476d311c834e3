"""Of what strangers send, so much keeps its text; players' mail is no part of that."""

from __future__ import annotations

from functools import partial

from felix_async.clock import later, text_of
from felix_async.inbox.quota import drop_strangers, over_quota
from felix_async.settings import Keep
from inbox.postbag import MAILBOX, Postbag, a_mail

DAY = 24 * 3600


def from_stranger(bag: Postbag, text: str = "hello") -> int:
    bag.mails += 1
    return bag.post(a_mail(text, sender="eve@else.test", message_id=f"<{bag.mails}@else.test>"), MAILBOX)


def over(bag: Postbag, keep: Keep, days: int = 0) -> list[int]:
    now = later(text_of(bag.room.clock.now), days * DAY)
    with bag.room.store.read() as reader:
        return over_quota(reader, keep, MAILBOX, now)


def test_the_oldest_mails_of_strangers_are_over_the_quota(bag: Postbag) -> None:
    mails = [from_stranger(bag) for _ in range(5)]
    bag.work()
    assert over(bag, Keep(strangers=3)) == mails[:2]
    assert over(bag, Keep()) == []


def test_large_ones_count_by_their_bytes(bag: Postbag) -> None:
    mails = [from_stranger(bag, "x" * 400_000) for _ in range(4)]
    bag.work()
    assert over(bag, Keep(strangers_mb=1)) == mails[:2]


def test_after_so_many_days_all_are(bag: Postbag) -> None:
    mails = [from_stranger(bag) for _ in range(60)]
    bag.work()
    assert over(bag, Keep(strangers_days=30), days=29) == []
    assert over(bag, Keep(strangers_days=30), days=31) == mails


def test_neither_a_players_mail_is_nor_one_that_may_be_a_players(bag: Postbag) -> None:
    bag.post(
        a_mail("STATUS", message_id="<1@players.test>", headers=["Auto-Submitted: auto-replied"]),
        bag.address(0),
    )
    bag.post(a_mail("JOIN", sender="anna@phone.test", message_id="<2@phone.test>"), bag.address(0))
    bag.work()
    assert bag.states() == ["ignored", "quarantined"]
    assert over(bag, Keep(strangers=0, strangers_mb=0), days=400) == []


def test_a_mail_that_names_a_player_and_not_their_address_of_ours_is_a_strangers(bag: Postbag) -> None:
    mails = [bag.post(a_mail("hello", message_id=f"<{at}@players.test>"), MAILBOX) for at in range(2)]
    bag.work()
    # The first was answered; both are erased with what the player wrote.
    assert [bag.mail(mail_id).state for mail_id in mails] == ["done", "ignored"]
    assert bag.mail(mails[1]).player_id is not None
    assert over(bag, Keep(strangers=0)) == mails[1:]


def test_automatic_mails_and_those_without_an_envelope_sender_are_strangers_too(bag: Postbag) -> None:
    automatic = a_mail("hello", sender="eve@else.test", headers=["Auto-Submitted: auto-replied"])
    bag.post(automatic, MAILBOX)
    bag.post(a_mail("hello", sender="eve@else.test", message_id="<2@else.test>"), MAILBOX, sender="")
    bag.work()
    assert bag.states() == ["ignored", "ignored"]
    assert over(bag, Keep(strangers=0)) == [1, 2]


def test_what_is_dropped_leaves_a_row_without_bytes(bag: Postbag) -> None:
    mail_id = from_stranger(bag)
    bag.work()
    bag.do(partial(drop_strangers, mail_ids=over(bag, Keep(strangers=0))))
    assert (bag.mail(mail_id).raw, bag.mail(mail_id).state) == (b"", "quarantined")
    assert over(bag, Keep(strangers=0)) == []


def test_one_that_was_put_back_meanwhile_keeps_its_bytes(bag: Postbag) -> None:
    mail_id = from_stranger(bag)
    bag.work()
    found = over(bag, Keep(strangers=0))
    bag.do(lambda tx: tx.requeue_mail(mail_id, "once more"))
    bag.do(partial(drop_strangers, mail_ids=found))
    assert bag.mail(mail_id).raw
