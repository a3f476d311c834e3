"""Mails are read before the transaction in which they are dealt with, and are dealt with in their order."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import pytest
from authres import AuthenticationResultsHeader

from felix_async.inbox import bounces
from felix_async.inbox.readings import Readings
from felix_async.reading import reader, understand
from felix_events.store.base import Tx
from inbox.dsn import POSTFIX
from inbox.postbag import MAILBOX, Postbag, a_first_round, a_mail, a_table


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
    watch(bounces, "_parsed")
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


def states(bag: Postbag) -> list[str]:
    with bag.room.store.read() as view:
        return [mail.state for mail in view.mails()]


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
    assert states(bag) == ["done", "duplicate", "quarantined", "done", "ignored"]


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
    assert (states(bag), seen) == (["done", "quarantined"], [])


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
    assert (states(bag), seen) == (["done", "duplicate", "quarantined"], [])


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
    read_mail = reader.read_mail

    def stumble(raw: bytes) -> reader.Letter:
        if b"boom" in raw:
            raise AssertionError("the reading is at fault")
        return read_mail(raw)

    monkeypatch.setattr("felix_async.inbox.readings.read_mail", stumble)
    bag.write(0, "boom")
    bag.write(1, "JOIN")
    bag.work()
    assert states(bag) == ["quarantined", "done"]
    assert "AssertionError" in bag.mail(1).note
