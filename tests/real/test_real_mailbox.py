"""felix's mail in a mailbox of Dovecot's: how soon a waiting client is told, and what felix leaves behind."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from imapclient import IMAPClient

from real.daemons import HOST, PATIENCE, until
from real.dovecot import PASSWORD
from real.town import POLL_SECONDS, Town

pytestmark = pytest.mark.slow


@pytest.fixture
def mailbox(town: Town) -> Iterator[IMAPClient]:
    """A connection to felix's mailbox, where Postfix delivers."""
    town.postfix.routes.transports[town.felix_domain] = town.dovecot.route
    client = IMAPClient(HOST, town.dovecot.imap_port, ssl=False, timeout=PATIENCE)
    client.login(town.mailbox, PASSWORD)
    client.select_folder("INBOX")
    try:
        yield client
    finally:
        client.shutdown()


def a_mail(town: Town, recipient: str, text: str, number: int = 1) -> bytes:
    return (
        f"From: Anna <{town.address('anna')}>\r\nTo: {recipient}\r\nSubject: Re: felix\r\n"
        f"Message-ID: <{number}@{town.players_domain}>\r\n\r\n{text}\r\n"
    ).encode()


def test_a_client_that_idles_is_told_of_new_mail(town: Town, mailbox: IMAPClient) -> None:
    mailbox.idle()
    assert mailbox.idle_check(timeout=0) == []
    town.postfix.send(town.address("anna"), town.mailbox, a_mail(town, town.mailbox, "HELP"))
    assert (1, b"EXISTS") in mailbox.idle_check(timeout=PATIENCE)
    mailbox.idle_done()


def test_the_address_with_the_token_stands_in_the_mail_that_is_fetched(
    town: Town, mailbox: IMAPClient
) -> None:
    """There is no envelope any more in a mailbox; Delivered-To is what is left of it."""
    address = f"felix+aeaaaaaamnqte3lis7id2fszgn26wye5@{town.felix_domain}"
    town.postfix.send(town.address("anna"), address, a_mail(town, "felix", "HELP"))
    until(lambda: bool(mailbox.noop() and mailbox.search()), "the mail")
    (mail,) = mailbox.fetch(mailbox.search(), ["BODY.PEEK[]"]).values()
    assert f"Delivered-To: {address}".encode() in mail[b"BODY[]"]


def test_felix_obeys_a_mail_out_of_its_mailbox_sooner_than_it_would_look_by_itself(town: Town) -> None:
    assert PATIENCE < POLL_SECONDS
    felix = town.felix("imap")
    game_id = felix.new("anna", "ben", "cara")
    with felix.serving(), town.inbox("anna") as inbox:
        to = inbox.next().reply_to
        town.postfix.send(town.address("anna"), to, a_mail(town, to, "JOIN"))
        assert '"JOIN": Done' in inbox.next().part("plain")
    assert [line.verdict for line in felix.answered(game_id, 0)] == ["done"]


def test_what_came_while_felix_was_away_is_obeyed_once_at_its_start(town: Town) -> None:
    felix = town.felix("imap")
    game_id = felix.new("anna", "ben", "cara")
    to = felix.token_address(game_id, 0)
    for _ in range(3):
        town.postfix.send(town.address("anna"), to, a_mail(town, to, "JOIN"))
    town.postfix.until_empty()
    for _ in range(2):
        with felix.serving():
            until(lambda: len(felix.mails()) == 3 and felix.at_rest(), "felix to have read its mailbox")
    assert sorted(mail.state for mail in felix.mails()) == ["done", "duplicate", "duplicate"]


def test_a_mail_that_felix_has_kept_is_marked_as_seen(town: Town, mailbox: IMAPClient) -> None:
    felix = town.felix("imap")
    game_id = felix.new("anna", "ben", "cara")
    to = felix.token_address(game_id, 0)
    town.postfix.send(town.address("anna"), to, a_mail(town, to, "JOIN"))
    town.postfix.until_empty()
    with felix.serving():
        until(lambda: bool(mailbox.noop() and mailbox.search("SEEN")), "the mark")
    assert len(felix.mails()) == 1
    assert mailbox.search("UNSEEN") == []


def test_felix_reads_on_when_dovecot_has_closed_the_connection(town: Town, mailbox: IMAPClient) -> None:
    felix = town.felix("imap")
    game_id = felix.new("anna", "ben", "cara")
    to = felix.token_address(game_id, 0)
    with felix.serving():
        until(lambda: town.dovecot.kick(town.mailbox), "felix to be connected")
        town.postfix.send(town.address("anna"), to, a_mail(town, to, "JOIN"))
        until(lambda: [mail.state for mail in felix.mails()] == ["done"], "felix to have come back")
