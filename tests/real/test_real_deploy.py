"""examples/deploy in use: felix behind the Postfix and OpenDKIM there, in a pipe, and with a mailbox."""

from __future__ import annotations

import shlex
import shutil
import smtplib
import ssl
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from cli.terminal import FELIX, Terminal, environment
from felix_async.address import Token, address_of, encode_token
from felix_events.store.rows import Mail
from felix_events.store.sqlite import SqliteStore
from real.daemons import HOST, PATIENCE, free_port, need, running, short_folder, until
from real.deployed import MAILBOX, STRANGER, Deployed, a_deployed_postfix, example, felix_of
from real.dovecot import PASSWORD, Dovecot
from real.postfix import Postfix, a_postfix
from real.signing import a_milter, make_key

pytestmark = pytest.mark.slow

ANNA: Final = "anna@players.example"
FORGED: Final = "Authentication-Results: mail.example.org; dkim=pass header.d=players.example\r\n"


@dataclass(frozen=True)
class Place:
    """The example's mail server with a felix behind it, and the players' server."""

    deployed: Deployed
    players: Postfix
    terminal: Terminal
    game_id: str

    @property
    def database(self) -> Path:
        """felix's."""
        return self.terminal.folder / "felix.db"

    def address(self, seat: int) -> str:
        """Where a seat answers to its invitation."""
        store = SqliteStore.open_to_read(self.database)
        with store.read() as reader:
            secret = reader.seats(self.game_id)[seat].secret
        store.close()
        return address_of(MAILBOX, encode_token(Token(self.game_id, seat, "move", 0), secret))

    def mails(self) -> list[Mail]:
        """The inbox."""
        store = SqliteStore.open_to_read(self.database)
        with store.read() as reader:
            found = reader.mails()
        store.close()
        return found

    @contextmanager
    def serving(self) -> Iterator[None]:
        """`felix serve` with the example's settings."""
        config = str(self.terminal.folder / "felix.toml")
        with running(
            [*FELIX, "serve", "--config", config],
            ports=[self.deployed.felix_port],
            log=self.terminal.folder / "felix.log",
            environment=environment(),
        ):
            yield

    def joined(self, way: str) -> bool:
        """Return True if a JOIN that comes in this way, as Anna's, is obeyed."""
        to = self.address(0)
        raw = (
            f"From: Anna <{ANNA}>\r\nTo: {to}\r\nSubject: Re: felix\r\n"
            f"Date: Sat, 21 Nov 2026 12:00:00 +0000\r\nMessage-ID: <{way}@players.example>\r\n\r\nJOIN\r\n"
        ).encode()
        before = len(self.mails())
        if way == "signed":
            self.players.send(ANNA, to, raw)
        else:
            code = self.deployed.hand_in(ANNA, to, FORGED.encode() + raw if way == "forged" else raw)
            assert code == 250
        until(lambda: [m for m in self.mails()[before:] if m.state != "new"], "felix to have read it")
        told = self.terminal.json("replay", self.game_id, "--db", self.database)
        return "player_joined" in [event["type"] for event in told]


@pytest.fixture(scope="module")
def place(dovecot: Dovecot, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    """A game of three, not yet begun."""
    with short_folder() as folder:
        record = make_key(folder / "players.pem")
        (folder / "keys").write_text(f"key players.example:tests:{folder}/players.pem\n")
        (folder / "signed").write_text("* key\n")
        signs = f"Mode s\nKeyTable {folder}/keys\nSigningTable refile:{folder}/signed\n"
        zone = f"tests._domainkey.players.example v=DKIM1; k=rsa; p={record}\n"
        hand_in = free_port()
        with (
            a_milter(folder, "signer", signs) as signer,
            a_deployed_postfix(
                dovecot, {"players.example": dovecot.route, "localhost": dovecot.route}, more=zone
            ) as deployed,
            a_postfix(
                f"{HOST}:{hand_in} inet n - n - - smtpd -o smtpd_milters=inet:{HOST}:{signer}\n"
                f"away unix - - n - - smtp -o smtp_bind_address={STRANGER}\n",
                more_ports=[hand_in],
            ) as players,
        ):
            players.routes.transports["felix.example.org"] = f"away:[{HOST}]:{deployed.port}"
            terminal = felix_of(deployed, tmp_path_factory.mktemp("felix"))
            words = [f"{name} <{name.lower()}@players.example>" for name in ("Anna", "Ben", "Cara")]
            told = terminal.json(
                "new",
                "--db",
                terminal.folder / "felix.db",
                *[w for name in words for w in ("--player", name)],
            )
            yield Place(deployed, Postfix(hand_in, players.routes, players.folder), terminal, told["game_id"])


def wrong_with(place: Place) -> list[str]:
    """What the doctor finds wrong."""
    checks = place.terminal.json("doctor", "--config", place.terminal.folder / "felix.toml")
    return [f"{check['what']}: {check['found']}" for check in checks if not check["well"]]


def test_the_doctor_finds_nothing_wrong_before_the_start(place: Place) -> None:
    assert wrong_with(place) == []


def test_the_doctor_finds_nothing_wrong_while_felix_runs(place: Place) -> None:
    with place.serving():
        assert wrong_with(place) == []


def test_felixs_letters_are_signed_for_its_domain(place: Place, dovecot: Dovecot) -> None:
    with place.serving(), dovecot.inbox("ben@players.example") as inbox:
        invitation = inbox.next()
    signature = " ".join(str(invitation.message["DKIM-Signature"]).split())
    assert "d=felix.example.org; s=felix;" in signature
    signed = signature.partition(" h=")[2].partition(";")[0].replace(" ", "").lower().split(":")
    for name in ("from", "reply-to", "subject", "date", "message-id", "mime-version", "content-type"):
        assert signed.count(name) == 2, f"{name} can be added to what is signed"
    assert signed.count("in-reply-to") == 1


@pytest.mark.parametrize("way", ["unsigned", "forged"])
def test_a_mail_that_nobody_vouches_for_is_not_obeyed(place: Place, way: str) -> None:
    with place.serving():
        assert not place.joined(way)
    raw = place.mails()[-1].raw
    assert raw.count(b"Authentication-Results: mail.example.org") == 1


def test_a_signed_mail_is_obeyed(place: Place) -> None:
    with place.serving():
        assert place.joined("signed")


@pytest.mark.parametrize(
    "recipient",
    [
        "felix+aaaa@felix.example.org",
        "anna@felix.example.org",
        "anna@players.example",
        "anna@elsewhere.example",
    ],
)
def test_strangers_get_rid_of_no_mail_to_addresses_that_are_not_felixs(place: Place, recipient: str) -> None:
    """Refused while they wait, so that nothing has to come back to a sender who may be forged."""
    with place.serving():
        assert answer_to(place, recipient) in (550, 554)


def test_somebody_can_be_complained_to(place: Place, dovecot: Dovecot) -> None:
    """RFC 5321, section 4.5.1; also while felix is away, which knows no such addresses."""
    for name in ("postmaster", "abuse"):
        assert answer_to(place, f"{name}@felix.example.org") == 250
    with dovecot.inbox("root@localhost") as inbox:
        assert len(inbox.next_ones(2)) == 2


def answer_to(place: Place, recipient: str) -> int:
    """A first look may have to wait for felix's answer; another server would come again."""
    return until(lambda: next((c for c in [hand_in_once(place, recipient)] if c != 450), None), "an answer")


def hand_in_once(place: Place, recipient: str) -> int:
    return place.deployed.hand_in("x@evil.example", recipient, b"Subject: x\r\n\r\nBID 5\r\n")


def test_strangers_can_come_by_tls(place: Place) -> None:
    with smtplib.SMTP(HOST, place.deployed.port, "players.test", PATIENCE) as client:
        context = ssl.create_default_context(cafile=str(place.deployed.folder / "fullchain.pem"))
        context.check_hostname = False
        assert client.starttls(context=context)[0] == 220


# ---- out of a pipe
def test_the_examples_pipe_calls_felix_for_each_mail(tmp_path: Path) -> None:
    """Its user is another one than root, as whom Postfix would start nothing."""
    need("postfix", root=True)
    try:
        done = subprocess.run([*FELIX, "--version"], user="nobody", capture_output=True, check=False)
    except PermissionError:
        done = None
    if done is None or done.returncode:
        pytest.skip(f"needs a Python that the user nobody can run; {sys.executable} is not one")
    with short_folder() as folder:
        config = folder / "felix.toml"
        config.write_text(f'mailbox = "{MAILBOX}"\n[listen]\nprotocol = "off"\n', encoding="utf-8")
        terminal = Terminal(folder)
        terminal.run("init", "--config", config)
        program = folder / "felix"
        program.write_text(f'#!/bin/sh\nexec {shlex.join(FELIX)} "$@"\n', encoding="utf-8")
        for path in (folder, *folder.iterdir()):
            shutil.chown(path, "nobody")
        program.chmod(0o755)
        changes = {
            "/opt/felix/bin/felix": str(program),
            "user=felix": "user=nobody",
            "/etc/felix/felix.toml": str(config),
        }
        with a_postfix(example("postfix/master.cf", changes)) as postfix:
            postfix.routes.transports["felix.example.org"] = "felixpipe:"
            postfix.send(ANNA, MAILBOX, f"From: {ANNA}\r\n\r\nHELP\r\n".encode())
            postfix.until_empty()
            log = postfix.log
        store = SqliteStore.open_to_read(folder / "felix.db")
        with store.read() as reader:
            told = [(mail.recipient, mail.sender) for mail in reader.mails()]
        store.close()
    assert told == [(MAILBOX, ANNA)], log


# ---- with a mailbox elsewhere
def a_felix_with_a_mailbox(dovecot: Dovecot, postfix: Postfix, folder: Path) -> Path:
    """The example's settings; the provider is this machine, with no TLS and no password on the way out."""
    (folder / "backups").mkdir()
    (folder / "imap-password").write_text(PASSWORD)
    (folder / "imap-password").chmod(0o600)
    text = example(
        "mailbox/felix.toml",
        {
            "/var/lib/felix/": f"{folder}/",
            "/etc/felix/": f"{folder}/",
            "you@example.org": "anna@players.example",
            "imap.example.org": HOST,
            "port = 993": f"port = {dovecot.imap_port}",
            '"tls"': '"none"',
            "smtp.example.org": HOST,
            "port = 465": f"port = {postfix.port}",
        },
    )
    head, _, out = text.partition("[send]")
    out = "\n".join(line for line in out.splitlines() if not line.startswith(("user", "password_file")))
    config = folder / "felix.toml"
    config.write_text(f"{head}[send]{out}\n", encoding="utf-8")
    return config


def test_with_a_mailbox_the_doctor_finds_nothing_wrong(
    dovecot: Dovecot, postfix: Postfix, tmp_path: Path
) -> None:
    postfix.routes.transports["example.org"] = dovecot.route
    config = a_felix_with_a_mailbox(dovecot, postfix, tmp_path)
    terminal = Terminal(tmp_path)
    terminal.run("init", "--config", config)
    checks = {check["what"]: check for check in terminal.json("doctor", "--config", config)}
    assert checks["round trip"]["found"].startswith("a message to felix+trial@example.org came back")
