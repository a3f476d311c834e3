"""Mails of machines, known by their headers and subjects; and mails of people that look like them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from email.header import Header
from pathlib import Path
from typing import Final

import pytest

from felix_async.language.data import in_every_language, table
from felix_async.language.phrases import filled, placeholders
from felix_async.language.words import LOOP_HEADER
from felix_async.reading.machines import is_away_subject, machine_mark
from felix_async.reading.reader import read_mail
from inbox.postbag import a_mail

OURS: Final = "Round 3 · Thursday club"
CORPUS: Final = os.environ.get("FELIX_REPLY_CORPUS", "")

AWAY: Final = {
    "af": "Outomatiese antwoord: {ours}", "ar": "رد تلقائي: {ours}", "bg": "Автоматичен отговор: {ours}",
    "ca": "Resposta automàtica: {ours}", "cs": "Automatická odpověď: {ours}", "cy": "Ateb awtomatig: {ours}",
    "da": "Automatisk svar: {ours}", "de": "Automatische Antwort: {ours}",
    "de, by rule": "Abwesenheitsnotiz: {ours}", "el": "Αυτόματη απάντηση: {ours}",
    "en": "Automatic reply: {ours}", "en, behind": "Re: {ours} (Out of Office)",
    "en, by name": "Anna Smith is out of the office", "en, short": "OOO: {ours}",
    "en, twice": "Re: Auto: {ours}", "es": "Respuesta automática: {ours}", "et": "Automaatvastus: {ours}",
    "eu": "Erantzun automatikoa: {ours}", "fa": "پاسخ خودکار: {ours}", "fi": "Automaattinen vastaus: {ours}",
    "fr": "Réponse automatique : {ours}", "fr, away": "Absence du bureau : {ours}",
    "gl": "Resposta automática: {ours}", "he": "תשובה אוטומטית: {ours}", "hi": "स्वचालित उत्तर: {ours}",
    "hr": "Automatski odgovor: {ours}", "hu": "Automatikus válasz: {ours}", "id": "Balasan otomatis: {ours}",
    "is": "Sjálfvirkt svar: {ours}", "it": "Risposta automatica: {ours}", "it, away": "Fuori ufficio: {ours}",
    "ja": "自動応答: {ours}", "ko": "자동 회신: {ours}", "lt": "Automatinis atsakymas: {ours}",
    "lv": "Automātiska atbilde: {ours}", "nb, away": "Ferie: {ours}", "nl": "Automatisch antwoord: {ours}",
    "pl": "Odpowiedź automatyczna: {ours}", "pt": "Resposta automática: {ours}",
    "ro": "Răspuns automat: {ours}", "ru": "Автоматический ответ: {ours}", "ru, short": "Автоответ: {ours}",
    "sk": "Automatická odpoveď: {ours}", "sl": "Samodejni odgovor: {ours}",
    "sr": "Аутоматски одговор: {ours}", "sv": "Autosvar: {ours}", "th": "ตอบกลับอัตโนมัติ: {ours}",
    "tr": "Otomatik Yanıt: {ours}", "uk": "Автоматична відповідь: {ours}", "vi": "Trả lời tự động: {ours}",
    "zh-CN": "自动回复: {ours}", "zh-TW": "自動回覆: {ours}",
}  # fmt: skip
OLD_CHARSETS: Final = {
    "cs": "iso-8859-2", "de": "iso-8859-1", "el": "iso-8859-7", "fr": "windows-1252", "ja": "shift_jis",
    "ko": "euc-kr", "ru": "koi8-r", "tr": "iso-8859-9", "zh-CN": "gb18030", "zh-TW": "big5",
}  # fmt: skip
ANSWERS: Final = (
    "Re: {ours}", "RE: {ours}", "AW: AW: {ours}", "SV: {ours}", "Odp: {ours}", "Ynt: {ours}", "Re[2]: {ours}",
    "回复：{ours}", "Trả lời: {ours}", "Fwd: {ours}", "[EXTERNAL] Re: {ours}",
    "Re: [Auto reply k7m2p] Your turn: round 3, place a card", "Re: Round 3 · On vacation",
    "Re: [Out of office k7m2p] Reminder: your invitation", "Away until Friday", "Holiday plans",
    "AW: Round 3 · Abwesend", "Re: Not this time · Auto reply", "Re: Holiday: who is in",
    "Re: Urlaub: who is in", "Re: OOO wins · Auto reply", "AW: Abwesend is off",
)  # fmt: skip


def mark_of(header: str) -> str:
    """By which header a mail with this one is known for a machine's."""
    return read_mail(a_mail("PASS", headers=[header])).machine or ""


def is_a_machines(raw: bytes) -> bool:
    """Return True if this is not acted on, because no person wrote it."""
    return bool(read_mail(raw).machine)


def texts_of(file: str) -> list[str]:
    """Every text in a table of the language."""
    found: list[str] = []
    tables: list[object] = [table(file)]
    for one in tables:
        if isinstance(one, str):
            found.append(one)
        elif isinstance(one, Mapping | list):
            tables += one.values() if isinstance(one, Mapping) else one
    return found


def answered(subject: bytes, *headers: bytes) -> bytes:
    """A mail that answers another one, with a subject in these bytes."""
    head = [b"From: anna@players.test", b"In-Reply-To: <1@felix.test>", b"Subject: " + subject, *headers]
    return b"\r\n".join([*head, b"", b"I am away.", b""])


# ---- subjects --------------------------------------------------------------------------------------------
def test_the_subjects_here_are_of_at_least_25_languages() -> None:
    assert len({name.partition(",")[0] for name in AWAY}) >= 25


def test_the_subject_of_an_automatic_answer_is_known_in_many_languages() -> None:
    sent = {name: subject.format(ours=OURS) for name, subject in AWAY.items()}
    unknown = [name for name, subject in sent.items() if not is_a_machines(answered(subject.encode()))]
    assert unknown == []


def test_it_is_known_in_encoded_words() -> None:
    sent = {name: Header(subject.format(ours=OURS), "utf-8").encode() for name, subject in AWAY.items()}
    unknown = [name for name, subject in sent.items() if not is_a_machines(answered(subject.encode()))]
    assert unknown == []


def test_it_is_known_in_eight_bits_of_the_charset_of_the_mail() -> None:
    unknown = [
        name
        for name, charset in OLD_CHARSETS.items()
        if not is_a_machines(
            answered(
                AWAY[name].format(ours=OURS).encode(charset, "replace"),
                b"Content-Type: text/plain; charset=" + charset.encode(),
            )
        )
    ]
    assert unknown == []


def test_what_begins_so_needs_no_mail_that_it_answers() -> None:
    assert is_a_machines(a_mail("PASS", subject="Abwesenheitsnotiz"))


def test_people_answer_with_our_own_subject_whatever_the_table_is_called() -> None:
    sent = [answered(subject.format(ours=OURS).encode()) for subject in ANSWERS]
    assert [raw for raw in sent if is_a_machines(raw)] == []


def test_a_word_that_people_write_too_is_a_machines_in_an_answer_only() -> None:
    assert [is_away_subject("Urlaub", is_answer=one) for one in (True, False)] == [True, False]
    assert is_away_subject(f"Urlaub: {OURS}")


@pytest.mark.parametrize("subject", ["Out of office: Your turn", "AUTOMATIC REPLY: x"])
def test_the_case_of_a_subject_says_nothing(subject: str) -> None:
    assert machine_mark({"subject": subject}) == "Subject"


def test_a_word_within_another_says_nothing() -> None:
    assert not is_away_subject("Re: Autosvarog and his oofs", is_answer=True)


# ---- headers ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize("header", [
    "Auto-Submitted: auto-generated; owner=x", "auto-submitted: AUTO-REPLIED (vacation)", "Auto-Submitted:",
    "Precedence: bulk", "Precedence: JUNK", "Precedence: list", "List-Id: <players.example.org>",
    "X-MS-Exchange-Inbox-Rules-Loop: anna@players.test\r\nX-Auto-Response-Suppress: All",
    "Return-Path: <>", "Return-Path:  <> ", f"{LOOP_HEADER}: felix.test",
    "Content-Type: multipart/report; report-type=disposition-notification; boundary=x",
    "Auto-Submitted: auto-notified", "Delivered-To: Autoresponder",
    "Feedback-ID: 1:campaign:esp\r\nList-Unsubscribe: <mailto:x@y.test>",
    "List-Post: <mailto:club@lists.test>", "Mailing-List: contact club@lists.test", "Precedence: auto_reply",
    "Preference: auto_reply", "Return-Path: <MAILER-DAEMON>", "X-Auto-Reply-From: anna@players.test",
    "X-Auto-Response-Suppress: All", "X-AutoReply-From: anna@players.test", "X-AutoReply: yes",
    "X-Autogenerated: Reply", "X-Autorespond: away", "X-Autoresponder: yes", "X-BeenThere: club@lists.test",
    "X-Cron-Env: <SHELL=/bin/sh>", "X-FC-MachineGenerated: true", "X-Failed-Recipients: ben@players.test",
    "X-Loop: anna@players.test", "X-MS-Exchange-Generated-Message-Source: Mailbox Rules Agent",
    "X-MS-Exchange-Inbox-Rules-Loop: anna@players.test", "X-Mail-Autoreply: 1", "X-Mailer: vacation 1.2",
    "X-POST-MessageClass: 9; Autoresponder", "X-Precedence: bulk", "X-RT-Loop-Prevention: example.test",
])  # fmt: skip
def test_a_header_that_only_machines_write_gives_them_away(header: str) -> None:
    assert mark_of(header).lower() in header.lower()
    assert mark_of(header)


@pytest.mark.parametrize(
    "header",
    [
        pytest.param("Feedback-ID: i0123456:ProviderOfPeople", id="a provider that numbers everybody's mail"),
        pytest.param("X-FC-MachineGenerated: false", id="a server that says it of every mail"),
        pytest.param("X-MS-Exchange-Inbox-Rules-Loop: felix@felix.test", id="forwarded by the host's rule"),
        pytest.param("X-Mailer: Some Mail 9.1", id="a mail program"),
        pytest.param("X-Auto-Response-Suppress: OOF", id="a program that wants no such answers itself"),
        pytest.param("Delivered-To: anna@players.test", id="a server that delivers"),
        pytest.param("Auto-Submitted: no", id="a person's"),
        pytest.param("Auto-Submitted: No; x=y", id="a person's, with more behind it"),
        pytest.param("X-Auto-Response-Suppress: DR, RN, NRN, OOF, AutoReply", id="a program of that kind"),
        pytest.param("Precedence: first-class", id="a letter"),
        pytest.param("Return-Path: <anna@x.test>", id="a sender"),
    ],
)
def test_a_header_that_people_have_too_says_nothing(header: str) -> None:
    assert not is_a_machines(a_mail("PASS", headers=[header]))


@pytest.mark.skipif(not CORPUS, reason="FELIX_REPLY_CORPUS names no folder of replies")
def test_no_reply_of_the_corpus_is_taken_for_a_machines() -> None:
    head = "From: anna@players.test\r\nIn-Reply-To: <1@felix.test>\r\nContent-Type: text/plain\r\n"
    texts = [path.read_text("utf-8", "replace") for path in sorted(Path(CORPUS).rglob("*.txt"))]
    sent = [
        f"{head}Subject: {subject.format(ours=OURS)}\r\n\r\n{text}".encode()
        for text in texts
        for subject in ANSWERS[:3]
    ]
    assert [raw for raw in sent if is_a_machines(raw)] == []


def test_no_subject_of_ours_is_that_of_a_machine() -> None:
    files = ("glance.toml", "lobby.toml", "mails.toml", "people.toml", "result.toml", "table.toml")
    told = [text for file in files for text in texts_of(file) if len(text) < 100]
    assert [text for text in told if is_away_subject(f"Re: [Thursday club k7m2p] {text}")] == []


@pytest.mark.parametrize(
    "subject",
    [one for one in table("glance.toml")["subject"].values() if {"who", "table"} & {*placeholders(one)}],
)
def test_no_name_in_our_subjects_makes_a_machine_of_a_player(subject: str) -> None:
    phrases = [one for said in in_every_language("machines.toml")["subjects"].values() for one in said]
    phrases += in_every_language("machines.toml")["in_answers"]["all"]
    short = [one for one in (phrase.strip(":：") for phrase in phrases) if len(one) <= 25 and ":" not in one]
    numbers = {"round": 3, "number": 1, "count": 2}
    named = [
        filled(subject, **{name: numbers.get(name, one) for name in placeholders(subject)}) for one in short
    ]
    assert [one for one in named if is_away_subject(f"Re: {one}", is_answer=True)] == []


def test_words_before_our_subject_are_a_machines_where_no_thread_says_so() -> None:
    assert is_away_subject("Urlaub: Round 3 · Friday cats")
    assert is_away_subject("OOO: Anna wins · Friday cats")


@pytest.mark.parametrize("dot", ["-", ".", "?", "Â·", "•"])
def test_our_subject_is_ours_however_a_program_writes_its_dot(dot: str) -> None:
    named = [
        f"Round 3 {dot} Out of office",
        f"Not this time {dot} On vacation",
        f"Anna wins {dot} Auto reply",
    ]
    assert [one for one in named if is_away_subject(f"Re: {one}", is_answer=True)] == []
    assert is_away_subject(f"Automatic reply: Round 3 {dot} Friday cats", is_answer=True)
