"""The signatures of kept letters: whose they are, and which of them are good."""

from __future__ import annotations

import builtins
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import dkim
import pytest

from cli.terminal import Terminal
from felix_async.audit.kept.signatures import Signatures, from_dns, key_in
from kept_mails import Kept, a_kept_game, dearer, lf, neomutt, rewritten, s_nail, takeout, witnessed
from real.daemons import need
from real.signing import make_key

HEADERS = [b"from", b"to", b"reply-to", b"subject", b"date", b"in-reply-to", b"references"]
"""What OpenDKIM signs of a letter by itself."""


@dataclass(frozen=True)
class Key:
    """A key pair: the private one, and the DNS record."""

    private: bytes
    record: bytes

    def signed(
        self, raw: bytes, *, domain: bytes = b"felix.test", selector: bytes = b"felix", **how: Any
    ) -> bytes:
        """A letter with a signature on top."""
        there = [name for name in HEADERS if b"\r\n%b:" % name in raw.lower() or name == b"from"]
        told = {"include_headers": there, "canonicalize": (b"relaxed", b"simple"), **how}
        return bytes(dkim.sign(raw, selector, domain, self.private, **told)) + raw

    def judge(self, mail: bytes, kept: Kept) -> str:
        """Why a letter does not count as signed; '' if it does."""
        told = witnessed(kept.data, [mail], Signatures(lambda _: self.record))
        if told.signed:
            assert told.signed == {"felix.test": 1}
            return ""
        (why,) = told.unsigned or told.not_checked
        return why.partition("felix.test>: ")[2]


@pytest.fixture(scope="module")
def key(tmp_path_factory: pytest.TempPathFactory) -> Key:
    need("openssl")
    file = tmp_path_factory.mktemp("key") / "felix.pem"
    public = make_key(file)
    return Key(file.read_bytes(), f"v=DKIM1; k=rsa; p={public}".encode())


@pytest.fixture(scope="module")
def kept() -> Kept:
    return a_kept_game()


def test_a_result_signed_by_the_servers_domain_is_a_signed_log(kept: Kept, key: Key) -> None:
    mail = key.signed(kept.result)
    assert key.judge(mail, kept) == ""
    assert key.judge(lf(mail), kept) == ""
    (finding, *_) = witnessed(rewritten(kept.data, dearer), [mail], Signatures(lambda _: key.record)).findings
    assert finding.message.endswith(", signed by felix.test")


@pytest.mark.parametrize("way", [neomutt, s_nail, takeout], ids=["neomutt", "s-nail", "takeout"])
def test_mboxes_keep_signatures(
    kept: Kept, key: Key, terminal: Terminal, way: Callable[[list[bytes]], bytes]
) -> None:
    """Also of a body in which a line begins with `From `, which programs quote."""
    Path("game.jsonl").write_bytes(kept.data)
    Path("key.txt").write_bytes(key.record)
    letters = [raw.replace(b"-- write above", b"From now on\r\n-- write above", 1) for raw in kept.letters[0]]
    Path("box").write_bytes(way([key.signed(raw) for raw in letters]))
    printed = terminal.run("audit", "game.jsonl", "--mail", "box", "--dkim-key", "key.txt")
    assert f"  signed: {len(letters)} by felix.test\n" in printed
    assert "not signed" not in printed


@pytest.mark.parametrize(
    ("how", "why"),
    [
        ({"length": True}, "covers only a part of it"),
        ({"signature_algorithm": b"rsa-sha1"}, "proves nothing any more (rsa-sha1)"),
        ({"domain": b"players.test"}, "no signature of this domain"),
        ({"include_headers": [b"from", b"date", b"subject"]}, "leaves out Reply-To"),
        ({"selector": b"felix; x=1000000000"}, "had expired when it was made"),
    ],
    ids=["length", "sha1", "domain", "headers", "expired"],
)
def test_a_signature_that_proves_less_is_not_counted(
    kept: Kept, key: Key, how: dict[str, Any], why: str
) -> None:
    assert why in key.judge(key.signed(kept.result, **how), kept)


def test_a_signature_is_judged_at_the_time_it_was_made(
    kept: Kept, key: Key, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("time.time", lambda: 1_700_000_000)
    mail = key.signed(kept.result, selector=b"felix; x=1700003600")
    monkeypatch.undo()
    assert key.judge(mail, kept) == ""


@pytest.mark.parametrize(
    "change",
    [
        lambda raw: raw.replace(b"Subject: ", b"Subject: [list] "),
        lambda raw: raw.replace(b" Nov 2026", b" Nov 2025"),
        lambda raw: raw + b"A footer\r\n",
        lambda raw: raw.replace(b"-- write above", b"-- write below", 1),
    ],
    ids=["subject", "date", "footer", "text"],
)
def test_a_letter_changed_on_its_way_is_not_signed(
    kept: Kept, key: Key, change: Callable[[bytes], bytes]
) -> None:
    assert key.judge(change(key.signed(kept.result)), kept)


def test_a_key_that_cannot_be_had_is_no_verdict(
    kept: Kept, key: Key, monkeypatch: pytest.MonkeyPatch
) -> None:
    def silent(name: bytes) -> None:
        raise dkim.DnsTimeoutError("too slow")

    for record in (None, b"v=DKIM1; k=rsa; p="):
        assert "there is no key of felix._domainkey.felix.test" in Key(b"", record or b"").judge(
            key.signed(kept.result), kept
        )
    monkeypatch.setattr(dkim, "get_txt", silent)
    told = witnessed(kept.data, [key.signed(kept.result)], Signatures(from_dns))
    assert (told.signed, told.unsigned) == ({}, [])
    assert "the DNS does not answer (too slow)" in told.not_checked[0]


def test_keys_are_read_as_people_have_them(key: Key) -> None:
    record = key.record.decode()
    half = len(record) // 2
    public = record.partition("p=")[2]
    lines = "\n".join(public[at : at + 64] for at in range(0, len(public), 64))
    for text in (
        record,
        f'"{record[:half]}" "{record[half:]}"\n',
        f'felix._domainkey\tIN\tTXT\t( "{record[:half]}"\n\t  "{record[half:]}" )  ; ----- DKIM key felix\n',
        f"felix._domainkey.felix.test {record}\n",
        f"-----BEGIN PUBLIC KEY-----\n{lines}\n-----END PUBLIC KEY-----\n",
    ):
        assert key_in(text) == key.record
    assert key_in("no key") is None


def test_a_key_of_the_newer_kind_is_read_as_the_dns_has_it() -> None:
    """The example of RFC 8463, A.2; as PEM it has the twelve bytes of RFC 8410 before it."""
    key = "11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo="
    pem = f"-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA{key}\n-----END PUBLIC KEY-----\n"
    assert key_in(pem) == f"v=DKIM1; k=ed25519; p={key}".encode()


def test_without_a_key_or_the_library_signatures_are_not_checked(
    kept: Kept, key: Key, terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("game.jsonl").write_bytes(kept.data)
    Path("mail.eml").write_bytes(key.signed(kept.result))
    Path("key.txt").write_bytes(key.record)
    audit = ("audit", "game.jsonl", "--mail", "mail.eml")
    assert "not checked: signatures: give the key" in terminal.run(*audit)
    assert "no DKIM key in mail.eml" in terminal.refused(*audit, "--dkim-key", "mail.eml", code=2)
    assert "give some with --mail" in terminal.refused("audit", "game.jsonl", "--dns", code=2)
    real = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name == "dkim":
            raise ImportError(name)
        return real(name, *rest)

    monkeypatch.setattr(builtins, "__import__", without)
    printed = terminal.run(*audit, "--dkim-key", "key.txt")
    assert 'not checked: signatures: it needs dkimpy: install "felix-async[dkim]"' in printed
