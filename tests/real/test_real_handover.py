"""Postfix hands mail over to felix by LMTP, and felix is away, short of room, or does not want it."""

from __future__ import annotations

import resource
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from real.daemons import until
from real.town import Felix, Town

pytestmark = pytest.mark.slow


def a_join(town: Town, reply_to: str, number: int = 1) -> bytes:
    """Anna takes her seat. It says when it was written: else Postfix does, for each copy anew."""
    return (
        f"From: Anna <{town.address('anna')}>\r\nTo: {reply_to}\r\nSubject: Re: felix\r\n"
        f"Date: Sat, 21 Nov 2026 10:00:00 +0000\r\n"
        f"Message-ID: <{number}@{town.players_domain}>\r\n\r\nJOIN\r\n"
    ).encode()


def join(town: Town, reply_to: str, number: int = 1) -> None:
    town.postfix.send(town.address("anna"), reply_to, a_join(town, reply_to, number))


def joined(felix: Felix, game_id: str) -> int:
    """How often somebody took a seat."""
    return sum(event["type"] == "player_joined" for event in felix.events(game_id))


def test_mail_for_a_felix_that_is_away_waits_and_is_obeyed_once_after_its_start(town: Town) -> None:
    felix = town.felix()
    game_id = felix.new("anna", "ben", "cara")
    with town.inbox("anna") as inbox:
        with felix.serving():
            invitation = inbox.next()
        join(town, invitation.reply_to)
        (waiting,) = until(lambda: [m for m in town.postfix.queue() if m["queue_name"] == "deferred"], "451")
        assert "refused" in waiting["recipients"][0]["delay_reason"]
        with felix.serving():
            answer = inbox.next()
            town.postfix.until_empty()
    assert '"JOIN": Done' in answer.part("plain")
    assert [mail.state for mail in felix.mails()] == ["done"]
    assert joined(felix, game_id) == 1


def test_mail_that_finds_the_disk_full_is_kept_by_postfix_until_there_is_room(town: Town) -> None:
    felix = town.felix()
    game_id = felix.new("anna", "ben", "cara")
    with felix.serving() as process, town.inbox("anna") as inbox:
        invitation = inbox.next()
        until(felix.at_rest, "the invitations to be marked as sent")
        # No file of this process may grow any more: to SQLite that is a disk without room.
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (1, resource.RLIM_INFINITY))
        join(town, invitation.reply_to)
        until(lambda: any("451" in reason for reason in reasons(town)), "451 from felix")
        assert felix.mails() == []
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY,) * 2)
        until(lambda: joined(felix, game_id), "Postfix to try again")
        assert '"JOIN": Done' in inbox.next().part("plain")
        town.postfix.until_empty()
    assert [mail.state for mail in felix.mails()] == ["done"]
    assert joined(felix, game_id) == 1


def reasons(town: Town) -> list[str]:
    """Why the mails that wait in Postfix's queue wait."""
    return [to.get("delay_reason", "") for mail in town.postfix.queue() for to in mail["recipients"]]


def test_mail_to_an_address_without_a_good_token_comes_back_to_its_writer(town: Town) -> None:
    felix = town.felix()
    with felix.serving(), town.inbox("anna") as inbox:
        join(town, f"felix+aaaa@{town.felix_domain}")
        bounce = inbox.next().message
    assert bounce.get_content_type() == "multipart/report"
    assert bounce.get_param("report-type") == "delivery-status"
    assert "550 no such address here" in bounce.as_string()
    assert felix.mails() == []


@pytest.mark.parametrize("copies", [3, 12])
def test_a_mail_that_comes_several_times_at_once_is_obeyed_once(town: Town, copies: int) -> None:
    felix = town.felix()
    game_id = felix.new("anna", "ben", "cara")
    with felix.serving(), town.inbox("anna") as inbox:
        invitation = inbox.next()
        with ThreadPoolExecutor(copies) as pool:
            list(pool.map(lambda _: join(town, invitation.reply_to), range(copies)))
        town.postfix.until_empty()
        until(felix.at_rest, "felix to have read all copies")
    assert Counter(mail.state for mail in felix.mails()) == {"done": 1, "duplicate": copies - 1}
    assert joined(felix, game_id) == 1
    assert [line.verdict for line in felix.answered(game_id, 0)] == ["done"]


def test_one_mail_to_two_tables_is_read_at_both(town: Town) -> None:
    """Postfix hands it over once for each recipient, and each of them is answered for itself."""
    felix = town.felix()
    games = [felix.new("anna", "ben", "cara"), felix.new("anna", "ben", "cara")]
    with felix.serving(), town.inbox("anna") as inbox:
        tokens = [mail.reply_to for mail in inbox.next_ones(2)]
        town.postfix.send(town.address("anna"), tokens, a_join(town, ", ".join(tokens)))
        town.postfix.until_empty()
        until(felix.at_rest, "felix to have read both")
    assert [mail.state for mail in felix.mails()] == ["done", "done"]
    assert [joined(felix, game) for game in games] == [1, 1]
