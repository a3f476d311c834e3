"""Mails are read before the transaction in which they are dealt with, and are dealt with in their order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from email.message import Message
from functools import partial
from typing import Any

import pytest
from authres import AuthenticationResultsHeader

from felix_async.inbox.waiting import Readings
from felix_async.language import grammar
from felix_async.reading import line, mime, reader, replies, reports, understand
from felix_async.text import clean
from felix_events.store.base import Tx
from felix_events.store.rows import Letter
from inbox.dsn import POSTFIX
from inbox.postbag import MAILBOX, Postbag, a_first_round, a_mail, a_table

NOW = "2026-01-01T12:00:00.000000Z"


class Counted:
    """How often each of the steps by which a mail is read is taken."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.steps: Counter[str] = Counter()
        self._monkeypatch = monkeypatch
        for name in ("parse", "understand", "machine_mark", "vouching_of"):
            self.count(reader, name)

    def count(self, module: object, name: str) -> None:
        """Count the calls of a function by the name that this module has for it."""
        step: Callable[..., Any] = getattr(module, name)

        def counting(*given: Any) -> Any:
            self.steps[name] += 1
            return step(*given)

        self._monkeypatch.setattr(module, name, counting)


class Writing:
    """Knows whether somebody writes to a store now."""

    def __init__(self, bag: Postbag) -> None:
        self.now = False
        self._open = bag.room.store.write

    @contextmanager
    def write(self) -> Iterator[Tx]:
        with self._open() as tx:
            self.now = True
            try:
                yield tx
            finally:
                self.now = False


def watched(bag: Postbag, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is parsed of mails from now on while somebody writes."""
    writing = Writing(bag)
    seen: list[str] = []

    def watch(module: object, name: str) -> None:
        parse: Callable[..., Any] = getattr(module, name)

        def watching(*given: Any) -> Any:
            seen.extend([name] if writing.now else [])
            return parse(*given)

        monkeypatch.setattr(module, name, watching)

    watch(reader, "parse")
    watch(AuthenticationResultsHeader, "parse")
    watch(understand, "_joined")
    watch(reports, "_parsed")
    monkeypatch.setattr(bag.room.store, "write", writing.write)
    return seen


def work(bag: Postbag) -> None:
    """What a server does: it reads by a view, and only then writes."""
    readings = Readings(MAILBOX, bag.processor.authserv_id)

    def shown(look: Callable[[Any], Any]) -> Any:
        with bag.room.store.read() as view:
            return look(view)

    while readings.begin(shown):
        bag.do(partial(bag.processor.process_some, readings=readings))


@pytest.mark.parametrize(("text", "sender", "recipient"), [
    ("PASS", "anna@players.test", "the seat's"),
    ("NEW Table\nben@players.test", "anna@players.test", "the seat's"),
    ("NEW Table\nben@players.test", "anna@players.test", MAILBOX),
    ("STATUS", "anna@players.test", "the seat's"), ("PASS\n\nSTATUS", "eve@else.test", "the seat's"),
    ("hello", "eve@else.test", MAILBOX),
])  # fmt: skip
def test_a_mail_is_read_once(text: str, sender: str, recipient: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever it asks for, and whoever wrote it: each step by which it is read is taken one time."""
    bag = a_first_round()
    bag.processor = replace(bag.processor, authserv_id="mx.felix.test")
    counted = Counted(monkeypatch)
    bag.post(a_mail(text, sender=sender), bag.address(0) if recipient != MAILBOX else MAILBOX)
    work(bag)
    assert bag.states() != ["new"]
    assert counted.steps == {"parse": 1, "understand": 1, "machine_mark": 1, "vouching_of": 1}


def test_a_yes_and_the_mail_that_it_is_about_are_read_once_each(monkeypatch: pytest.MonkeyPatch) -> None:
    bag = a_first_round()
    bag.post(a_mail("PASS", sender="eve@else.test"), bag.address(0))
    work(bag)
    counted = Counted(monkeypatch)
    bag.reply(0)
    assert bag.states() == ["done", "done"]
    # The first one is read anew when it is dealt with.
    assert set(counted.steps.values()) == {2}


def test_an_answer_to_a_letter_of_ours_is_understood_once_with_that_letter(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bag = a_first_round()
    letter = "Answer with one of these lines:\n\n  PASS\n  BID 11\n  BID 12\n"
    frozen = Letter(bag.game_id, 0, "anna@players.test", "<1@felix.test>", f"\n\n{letter}".encode(), NOW, NOW)
    bag.do(lambda tx: tx.freeze(frozen))
    counted = Counted(monkeypatch)
    answer = a_mail(f"STATUS\n\n{letter}", headers=["In-Reply-To: <1@felix.test>"])
    bag.post(answer, bag.address(0))
    work(bag)
    # The letter's own parts are looked at, too.
    assert counted.steps == {"parse": 2, "understand": 1, "machine_mark": 1, "vouching_of": 1}
    assert not bag.game.seats[0].passed


def test_each_line_of_a_mail_is_cleaned_once(monkeypatch: pytest.MonkeyPatch) -> None:
    bag = a_first_round()
    cleaned: Counter[str] = Counter()

    def counting(text: str) -> str:
        cleaned[text] += 1
        return clean(text)

    for module in (line, replies, grammar):
        monkeypatch.setattr(module, "clean", counting)
    lines = ["Hi felix,", "PASS", "and a nice game so far", "Best wishes", "Anna", "> PLAY 8", "> and more"]
    bag.post(a_mail("\n".join(lines)), bag.address(0))
    work(bag)
    assert bag.states() == ["done"]
    assert [cleaned[one] for one in lines] == [1] * len(lines)
    # What is offered to be said is looked at once more.
    assert {text for text, times in cleaned.items() if times > 1} <= {"PASS and a nice game so far"}


def test_nothing_of_a_mail_is_parsed_while_somebody_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    bag = a_first_round()
    seen = watched(bag, monkeypatch)
    bag.write(0, "STATUS\nhello")
    # The same once more, by another way; one in doubt, one without a token, and a bounce.
    bag.post(b"Received: by another way\r\n" + bag.mail(1).raw, bag.address(0))
    bag.post(a_mail("PASS", sender="eve@else.test", message_id="<2@else.test>"), bag.address(1))
    bag.post(a_mail("NEW Table\nben@players.test", message_id="<3@players.test>"), MAILBOX)
    bag.post(POSTFIX, bag.address(1), "")
    work(bag)
    assert seen == []
    assert bag.states() == ["done", "duplicate", "quarantined", "done", "ignored"]


def test_what_our_server_says_of_a_mail_is_parsed_once_and_before(monkeypatch: pytest.MonkeyPatch) -> None:
    bag = a_first_round()
    bag.processor = replace(bag.processor, authserv_id="mx.felix.test")
    seen = watched(bag, monkeypatch)
    said = "Authentication-Results: mx.felix.test; dmarc=pass header.from=players.test"
    bag.post(a_mail("STATUS", headers=[said]), bag.address(0))
    bag.post(
        a_mail("STATUS", message_id="<2@x.test>", headers=[said.replace("pass", "fail")]), bag.address(0)
    )
    work(bag)
    assert (bag.states(), seen) == (["done", "quarantined"], [])


def test_a_copy_that_comes_later_by_another_way_is_compared_without_parsing_in_the_transaction(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bag = a_table()
    mail_id = bag.write(0, "JOIN")
    work(bag)
    seen = watched(bag, monkeypatch)
    bag.post(b"Received: by another way\r\n" + bag.mail(mail_id).raw, bag.address(0))
    bag.post(bag.mail(mail_id).raw.replace(b"JOIN", b"DECLINE"), bag.address(0))
    work(bag)
    assert (bag.states(), seen) == (["done", "duplicate", "quarantined"], [])


def test_an_older_mail_that_is_put_back_meanwhile_is_dealt_with_first() -> None:
    bag = a_table()
    older, newer = bag.write(0, "JOIN"), bag.write(0, "DECLINE")
    bag.do(lambda tx: tx.settle_mail(older, "quarantined"))
    readings = Readings(MAILBOX)
    readings.begin(bag.do)
    bag.do(lambda tx: tx.requeue_mail(older, "once more"))
    assert bag.do(partial(bag.processor.process_some, readings=readings)) == 0
    bag.work()
    assert (bag.mail(older).state, bag.mail(newer).state) == ("done", "done")
    assert bag.game.seats[0].answer == "declined"


def test_a_mail_that_is_dropped_meanwhile_is_not_dealt_with() -> None:
    bag = a_table()
    mail_id = bag.write(0, "JOIN")
    readings = Readings(MAILBOX)
    readings.begin(bag.do)
    bag.do(lambda tx: tx.settle_mail(mail_id, "ignored"))
    assert bag.do(partial(bag.processor.process_some, readings=readings)) == 0
    assert bag.game.seats[0].answer != "joined"


def test_a_mail_that_cannot_be_read_is_put_aside_and_the_others_go_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    bag = a_table()
    parse = mime.parse

    def stumble(raw: bytes) -> Message:
        if b"boom" in raw:
            raise AssertionError("the reading is at fault")
        return parse(raw)

    monkeypatch.setattr(reader, "parse", stumble)
    bag.write(0, "boom")
    bag.write(1, "JOIN")
    bag.work()
    assert bag.states() == ["quarantined", "done"]
    assert "AssertionError" in bag.mail(1).note
