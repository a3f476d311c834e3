"""Who may write anybody's name into From: felix asks what its mail server says of the signature."""

from __future__ import annotations

import smtplib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import pytest

from felix_async.reading.authentication import LOCAL
from felix_async.reading.reader import read_mail
from real.conftest import a_town
from real.daemons import HOST, PATIENCE, until
from real.dovecot import Dovecot, Received
from real.postfix import NAME
from real.signing import Signing, a_signing_postfix
from real.town import Town

pytestmark = pytest.mark.slow

ANNA: Final = "anna@players.test"
EVIL: Final = "evil.test"
FORGED: Final = f"Authentication-Results: {NAME}; dkim=pass header.d=players.test; dmarc=pass\r\n"
WAYS: Final = ("signed", "unsigned", "forged verdict", "another's signature", "altered on the way")


@pytest.fixture(scope="module")
def signing() -> Iterator[Signing]:
    with a_signing_postfix(["players.test", EVIL]) as running:
        yield running


@pytest.fixture(scope="module")
def signed_town(dovecot: Dovecot, signing: Signing, tmp_path_factory: pytest.TempPathFactory) -> Town:
    return a_town(dovecot, signing.postfix, ".test", tmp_path_factory.mktemp("signed"))


def send(signing: Signing, dovecot: Dovecot, way: str, recipient: str) -> None:
    """Somebody who says to be Anna writes JOIN, and it comes to felix's server in one of WAYS."""
    number = WAYS.index(way)
    head = (
        f"From: Anna <{ANNA}>\r\nTo: {recipient}\r\nSubject: Re: felix\r\n"
        f"Date: Sat, 21 Nov 2026 12:00:00 +0000\r\nMessage-ID: <{number}@players.test>\r\n\r\n"
    )
    port, raw = signing.postfix.port, f"{head}JOIN\r\n".encode()
    match way:
        case "signed":
            port = signing.ports["players.test"]
        case "another's signature":
            port = signing.ports[EVIL]
        case "forged verdict":
            raw = FORGED.encode() + raw
        case "altered on the way":
            raw = signed_for_somebody_else(signing, dovecot, f"{head}STATUS\r\n".encode())
            raw = raw.replace(b"STATUS", b"JOIN")
    hand_in(port, recipient, raw)


def signed_for_somebody_else(signing: Signing, dovecot: Dovecot, raw: bytes) -> bytes:
    """This mail of Anna's with her server's signature, as somebody got it who now has it."""
    signing.postfix.routes.transports["elsewhere.test"] = dovecot.route
    with dovecot.inbox("mallory@elsewhere.test") as inbox:
        inbox.new()
        hand_in(signing.ports["players.test"], inbox.address, raw)
        return inbox.next().raw


def hand_in(port: int, recipient: str, raw: bytes) -> None:
    with smtplib.SMTP(HOST, port, "players.test", PATIENCE) as client:
        client.sendmail(ANNA, [recipient], raw)


# ---- what the mail server says ----------------------------------------------------------------------------
@pytest.fixture(scope="module")
def verdicts(signing: Signing, dovecot: Dovecot) -> Mapping[str, Received]:
    """Each kind of mail as felix's mail server passes it on."""
    signing.postfix.routes.transports["looked-at.test"] = dovecot.route
    found = {}
    with dovecot.inbox("felix@looked-at.test") as inbox:
        for way in WAYS:
            send(signing, dovecot, way, inbox.address)
            found[way] = inbox.next()
    return found


@pytest.mark.parametrize(
    ("way", "said"),
    [
        ("signed", "dkim=pass"),
        ("unsigned", "dkim=none"),
        ("forged verdict", "dkim=none"),
        ("another's signature", "dkim=pass"),
        ("altered on the way", "dkim=fail"),
    ],
)
def test_the_mail_server_says_what_it_found(verdicts: Mapping[str, Received], way: str, said: str) -> None:
    first = verdicts[way].message.get_all("Authentication-Results", [])[0]
    assert first.startswith(f"{NAME};")
    assert said in first


def test_the_mail_server_says_whose_signature_it_was(verdicts: Mapping[str, Received]) -> None:
    assert "header.d=players.test" in verdicts["signed"].message["Authentication-Results"]
    assert f"header.d={EVIL}" in verdicts["another's signature"].message["Authentication-Results"]


def test_the_mail_server_takes_away_what_only_says_to_be_its_own(verdicts: Mapping[str, Received]) -> None:
    assert len(verdicts["forged verdict"].message.get_all("Authentication-Results", [])) == 1


def test_by_whom_a_mail_came_is_read_off_what_the_servers_wrote(verdicts: Mapping[str, Received]) -> None:
    """All of them were handed over on this machine, and one was signed for another domain."""
    ways = ("unsigned", "forged verdict", "another's signature")
    assert {way: read_mail(verdicts[way].raw, authserv_id=NAME).vouching.providers for way in ways} == {
        "unsigned": (LOCAL,),
        "forged verdict": (LOCAL,),
        "another's signature": (f"dkim {EVIL}", LOCAL),
    }


# ---- what felix does about it -----------------------------------------------------------------------------
@pytest.fixture(scope="module")
def joined(signing: Signing, signed_town: Town, dovecot: Dovecot) -> Mapping[str, bool]:
    """Return True if each kind of mail, sent to a game of its own, has made Anna a player of that game."""
    felix = signed_town.felix(more=f'[receive]\nauthserv_id = "{NAME}"')
    games = {way: felix.new("anna", "ben", "cara") for way in WAYS}
    with felix.serving():
        for way, game_id in games.items():
            send(signing, dovecot, way, felix.token_address(game_id, 0))
        until(lambda: len(felix.mails()) == len(WAYS) and felix.at_rest(), "felix to have read them all")
    return {
        way: "player_joined" in [event["type"] for event in felix.events(game_id)]
        for way, game_id in games.items()
    }


@pytest.mark.slow
def test_signed_mail_is_obeyed(joined: Mapping[str, bool]) -> None:
    assert joined["signed"]


@pytest.mark.parametrize("way", WAYS[1:])
def test_mail_that_only_says_who_it_is_from_is_not_obeyed(joined: Mapping[str, bool], way: str) -> None:
    assert not joined[way]


@pytest.mark.slow
def test_without_the_setting_nobodys_verdict_is_asked_for(
    signing: Signing, dovecot: Dovecot, tmp_path: Path
) -> None:
    """There are mail servers that write none, and felix must work behind them too."""
    town = a_town(dovecot, signing.postfix, ".test", tmp_path)
    felix = town.felix()
    game_id = felix.new("anna", "ben", "cara")
    with felix.serving():
        send(signing, dovecot, "unsigned", felix.token_address(game_id, 0))
        until(lambda: len(felix.mails()) == 1 and felix.at_rest(), "felix to have read it")
    assert "player_joined" in [event["type"] for event in felix.events(game_id)]
