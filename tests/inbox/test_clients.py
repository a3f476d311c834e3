"""Replies as mail programs write them: the order is found, and nothing of the mail below it.

Each shape was written down by hand after what its program sends; the mail that is answered is always ours.
"""

from __future__ import annotations

import pytest

from each import each
from felix_async.language.words import MARKER
from inbox.reading import asked_of, asked_of_mail, orders_of, orders_of_mail, written_lines

OURS = (
    MARKER, "", "Hello Ben,", "",
    "It is your turn in round 1 of 9: bid for the sack, or pass. The bid to beat is that of Anna.", "",
    "  PASS", "  PLAY 15", "", "All orders: HELP",
)  # fmt: skip
"""Lines of a turn mail, with orders that must not come back."""
ADDRESS = "felix+k7m2p3q4r5@felix.test"


def quoted(sign: str = "> ") -> str:
    """Our mail as it is quoted."""
    return "\n".join(f"{sign}{line}".rstrip() for line in OURS)


UNQUOTED = "\n".join(OURS[2:])
"""Our mail without a sign of quoting, and without its marker, which somebody deleted."""

ATTRIBUTIONS = [
    f"On Fri, May 1, 2026 at 7:12 PM felix <{ADDRESS}> wrote:",
    f"On Fri, May 1, 2026 at 7:12 PM felix, the cat in the sack <\n{ADDRESS}> wrote:",
    f"On Fri, May 1, 2026, 7:12 PM felix\n<{ADDRESS}>\nwrote:",
    f"On May 1, 2026,\nat 19:12,\nfelix\n<{ADDRESS}> wrote:",
    "On 01/05/2026 19:12, felix wrote:",
    "On 2026-05-01 19:12:33 +0200, felix wrote:",
    f"On Friday, May 1st, 2026 at 19:12, felix <{ADDRESS}> wrote:",
    f"* felix <{ADDRESS}> [2026-05-01 19:12]:",
    f"felix <{ADDRESS}> writes:",
    f"felix <{ADDRESS}> wrote on Fri, 01 May 2026 19:12:",
    f"Quoting felix <{ADDRESS}>:",
    f"---- On Fri, 01 May 2026 19:12:33 +0200 felix <{ADDRESS}> wrote ----",
    "Am 01.05.26 um 19:12 schrieb felix:",
    f"Am Fr., 1. Mai 2026 um 19:12 Uhr schrieb felix <{ADDRESS}>:",
    f"felix <{ADDRESS}> schrieb am Fr., 1. Mai 2026, 19:12:",
    f"Le ven. 1 mai 2026 à 19:12, felix <{ADDRESS}> a écrit :",
    "Le 01/05/2026 à 19:12, felix a écrit\u00a0:",
    f"El vie, 1 may 2026 a las 19:12, felix (<{ADDRESS}>) escribió:",
    f"Il giorno ven 1 mag 2026 alle ore 19:12 felix <{ADDRESS}> ha scritto:",
    f"Em sex., 1 de mai. de 2026 às 19:12, felix <{ADDRESS}> escreveu:",
    f"Op vr 1 mei 2026 om 19:12 schreef felix <{ADDRESS}>:",
    f"Op 1 mei 2026, om 19:12 heeft felix <{ADDRESS}> het volgende geschreven:",
    f"Den fre 1 maj 2026 kl 19:12 skrev felix <{ADDRESS}>:",
    f"fre. 1. mai 2026 kl. 19:12 skrev felix <{ADDRESS}>:",
    f"pe 1. toukok. 2026 klo 19.12 felix <{ADDRESS}> kirjoitti:",
    f"pt., 1 maj 2026 o 19:12 felix <{ADDRESS}> napisał(a):",
    "W dniu 1.05.2026 o 19:12, felix pisze:",
    f"pá 1. 5. 2026 v 19:12 odesílatel felix <{ADDRESS}> napsal:",
    f"felix <{ADDRESS}> ezt írta (időpont: 2026. máj. 1., P, 19:12):",
    f"пт, 1 мая 2026 г. в 19:12, felix <{ADDRESS}>:",
    "01.05.2026 19:12, felix пишет:",
    f"1 May 2026 Cum, 19:12 tarihinde felix <{ADDRESS}> şunu yazdı:",
    f"Στις Παρ 1 Μαΐ 2026 στις 7:12 μ.μ., ο/η felix <{ADDRESS}> έγραψε:",
    f"في الجمعة، ١ مايو ٢٠٢٦ ٧:١٢ م felix <\u200f{ADDRESS}> كتب:",
    f"\u202bבתאריך יום ו׳, 1 במאי 2026 ב-19:12 מאת felix <{ADDRESS}>:\u202c",
    f"2026年5月1日(金) 19:12 felix <{ADDRESS}>:",
    f"felix <{ADDRESS}> 于2026年5月1日周五 19:12写道：",
    f"2026년 5월 1일 (금) 오후 7:12, felix <{ADDRESS}>님이 작성:",
    f"Vào Th 6, 1 thg 5, 2026 vào lúc 19:12 felix <{ADDRESS}> đã viết:",
]

HEADER_BLOCKS = [
    f"From: felix <{ADDRESS}>\nSent: Friday, May 1, 2026 7:12 PM\nTo: Ben\nSubject: Your turn",
    f"From: felix\n<{ADDRESS}>\nSent: Friday, May 1, 2026 7:12 PM\nTo: Ben\nSubject: Your turn",
    f"*From:* felix <{ADDRESS}>\n*Sent:* Friday, May 1, 2026 7:12 PM\n*To:* Ben\n*Subject:* Your turn",
    f"**From:** felix\n\n**Sent:** Friday, May 1, 2026 7:12 PM\n\n**To:** {ADDRESS}",
    f"Von: felix <{ADDRESS}>\nGesendet: Freitag, 1. Mai 2026 19:12\nAn: Ben\nBetreff: Your turn",
    f"De : felix <{ADDRESS}>\nEnvoyé : vendredi 1 mai 2026 19:12\nÀ : Ben\nObjet : Your turn",
    f"Da: felix <{ADDRESS}>\nInviato: venerdì 1 maggio 2026 19:12\nA: Ben\nOggetto: Your turn",
    f"Van: felix <{ADDRESS}>\nVerzonden: vrijdag 1 mei 2026 19:12\nAan: Ben\nOnderwerp: Your turn",
    f"Från: felix <{ADDRESS}>\nSkickat: den 1 maj 2026 19:12\nTill: Ben\nÄmne: Your turn",
    f"发件人: felix <{ADDRESS}>\n发送时间: 2026年5月1日 19:12\n收件人: Ben\n主题: Your turn",
    f"差出人: felix <{ADDRESS}>\n送信日時: 2026年5月1日 19:12\n宛先: Ben\n件名: Your turn",
    f"Від: felix <{ADDRESS}>\nНадіслано: 1 травня 2026 р. 19:12\nКому: Ben\nТема: Your turn",
    f"من: felix <{ADDRESS}>\nتم الإرسال: Friday, May 1, 2026 7:12 PM\nإلى: Ben\nالموضوع: Your turn",
    "-----Original Message-----",
    "----- Original Message -----",
    "-------- Ursprüngliche Nachricht --------",
    "-------- Message d'origine --------",
    f"________________________________\nFrom: felix <{ADDRESS}>\nSent: Friday, May 1, 2026 7:12 PM",
    f"--- On Fri, 5/1/26, felix <{ADDRESS}> wrote:",
]

SENT_FROM = [
    "Sent from my iPhone", "Sent from my Galaxy", "Sent from Outlook for iOS <https://aka.ms/o0ukef>",
    "Get Outlook for Android<https://aka.ms/AAb9ysg>", "Sent from Yahoo Mail on Android",
    "Sent from Mail for Windows", "Sent with Proton Mail secure email.",
    "Sent via the Samsung Galaxy S24, an AT&T 5G smartphone", "Von meinem iPhone gesendet",
    "Gesendet mit der GMX Mail App", "Envoyé de mon iPhone",
    "Télécharger Outlook pour iOS\nEnvoyé à partir d’Outlook pour Android", "Enviado desde mi iPhone",
    "Enviado do meu iPhone", "Inviato da iPhone", "Verstuurd vanaf mijn iPhone", "Skickat från min iPhone",
    "Sendt fra min iPhone", "Lähetetty iPhonesta", "Wysłane z iPhone'a", "Odesláno z iPhonu",
    "Отправлено с iPhone", "iPhone’umdan gönderildi", "iPhoneから送信", "从我的iPhone发送", "發自我的 iPhone",
    "나의 iPhone에서 보냄", "נשלח מה-iPhone שלי", "أُرسلت من الـ iPhone",
]  # fmt: skip


# At a table whose name is an order.
ATTRIBUTIONS += [one.replace("felix", "Felix · BID 15", 1) for one in ATTRIBUTIONS]
HEADER_BLOCKS += [one.replace("felix", "Felix · BID 15", 1) for one in HEADER_BLOCKS if "felix <" in one]


@each("attribution", ATTRIBUTIONS)
def test_an_order_above_a_quote_is_found(attribution: str) -> None:
    assert orders_of(f"BID 5\n\n{attribution}\n\n{quoted()}\n") == ["BID 5"]


@each("attribution", ATTRIBUTIONS)
def test_an_order_below_a_quote_is_found(attribution: str) -> None:
    assert written_lines(f"{attribution}\n{quoted()}\n\nBID 5\n") == ["BID 5"]
    assert orders_of(f"{attribution}\n{quoted()}\nBID 5\n") == ["BID 5"]


@each("attribution", ATTRIBUTIONS)
def test_below_an_attribution_alone_nothing_is_the_writers(attribution: str) -> None:
    text = f"BID 5\n\n{attribution}\n\n{UNQUOTED}\n"
    assert (orders_of(text), asked_of(text)) == (["BID 5"], [])


@each("block", HEADER_BLOCKS)
def test_below_the_headers_of_our_mail_nothing_is_the_writers(block: str) -> None:
    text = f"BID 5\n\nBen\n\n{block}\n\n{UNQUOTED}\n"
    assert (orders_of(text), asked_of(text)) == (["BID 5"], [])


@each("line", ["Card: 8", "Decision: pass.", "Bid: 6\nCorrection: 4"])
def test_a_line_with_a_colon_above_an_older_mail_is_the_writers(line: str) -> None:
    headers = f"Von: felix <{ADDRESS}>\nGesendet: Freitag, 1. Mai 2026 19:12\nBetreff: Your turn"
    for dashes in ("-----Ursprüngliche Nachricht-----\n", "________________________________\n", ""):
        text = f"{line}\n\n{dashes}{headers}\n\n{UNQUOTED}\n"
        assert written_lines(text) == line.split("\n")


@each("block", HEADER_BLOCKS)
def test_an_order_below_an_unquoted_mail_of_ours_is_asked_about(block: str) -> None:
    """Who can tell whether it is the old mail's, or was typed below it?"""
    text = f"{block}\n\nHello Ben,\n\nBID 5\n"
    assert (orders_of(text), asked_of(text)) == ([], ["BID 5"])


@each("line", SENT_FROM)
def test_below_a_phones_signature_nothing_is_an_order(line: str) -> None:
    text = f"BID 5\n\n{line}\n\nPLAY 15\n\n{quoted()}\n"
    assert (orders_of(text), asked_of(text)) == (["BID 5"], ["PLAY 15"])


@each("line", SENT_FROM)
def test_a_phones_signature_at_the_top_hides_no_order(line: str) -> None:
    """iPhones put it above the quote, and so above an answer that is written below that."""
    assert orders_of(f"{line}\n\n{quoted()}\n\nBID 5\n") == ["BID 5"]


@pytest.mark.parametrize(
    "sign", [">", "> ", ">> ", "> > ", "  > ", "| ", ">\t", "\u00a0> ", "\uff1e ", "BN> "]
)
def test_every_sign_of_quoting_is_known(sign: str) -> None:
    assert orders_of(f"BID 5\n{quoted(sign)}\n") == ["BID 5"]
    assert orders_of(f"{quoted(sign)}\nBID 5\n") == ["BID 5"]


@pytest.mark.parametrize("opening", [
    "---------- Forwarded message ---------", "-------- Forwarded Message --------",
    "-------- Weitergeleitete Nachricht --------", "---------- Message transféré ---------",
    "Begin forwarded message:", "Anfang der weitergeleiteten Nachricht:", "Début du message transféré :",
])  # fmt: skip
def test_a_forwarded_turn_mail_asks_for_nothing(opening: str) -> None:
    text = f"{opening}\nFrom: felix <{ADDRESS}>\nDate: Fri, May 1, 2026\nSubject: Your turn\n\n{UNQUOTED}\n"
    assert (orders_of(text), asked_of(text)) == ([], [])
    assert orders_of(f"BID 5\n\n{text}") == ["BID 5"]


# ---- below, between, above ------------------------------------------------------------------------------
def test_an_answer_between_quoted_lines_is_read() -> None:
    text = "> What do you bid?\n\nBID 5\n\n> And what do you hold?\n\nHAND\n\n> Bye\n"
    assert orders_of(text) == ["BID 5", "HAND"]


def test_two_moves_between_quotes_are_asked_about() -> None:
    """One of them may be the rest of a line that was broken."""
    text = "> What do you bid?\nBID 5\n> PASS or\nPLAY 15\n> Bye\n"
    assert (orders_of(text), asked_of(text)) == ([], ["BID 5", "PLAY 15"])


def test_the_rest_of_a_broken_quote_is_asked_about() -> None:
    """A program that breaks long lines leaves their ends without a sign."""
    long = "> Somebody once wrote a line to us that was so long that his program broke it into"
    text = f"{long}\nPASS\n> and more\n"
    assert (orders_of(text), asked_of(text)) == ([], ["PASS"])


def test_mutt_answers_below_the_quoted_marker() -> None:
    text = f"On Fri, May 01, 2026 at 07:12:33PM +0200, felix wrote:\n{quoted()}\n\nBID 5\n\n-- \nBen\nPASS\n"
    assert (orders_of(text), asked_of(text)) == (["BID 5"], [])


def test_s_nail_answers_below_the_quoted_marker() -> None:
    text = (
        f"felix wrote in\n <20260501171233.AbCdE%felix@felix.test>:\n |{quoted(' |').lstrip(' |')}\n\nBID 5\n"
    )
    assert orders_of(text) == ["BID 5"]


@pytest.mark.parametrize(
    "farewell",
    ["Best wishes,", "Yours sincerely", "Viele Grüße", "LG", "Bien à vous,", "Saludos", "С уважением,"],
)
def test_a_move_below_a_farewell_is_asked_about(farewell: str) -> None:
    text = f"see you on Friday\n\n{farewell}\nPASS\n"
    assert (orders_of(text), asked_of(text)) == ([], ["PASS"])


@pytest.mark.parametrize("torn", ["On May 1, 2026 at 7:12 PM, felix <", f"2026/5/1 felix <{ADDRESS}>"])
def test_a_move_below_half_an_attribution_is_asked_about(torn: str) -> None:
    text = f"see you on Friday\n\n{torn}\nPASS\n"
    assert (orders_of(text), asked_of(text)) == ([], ["PASS"])


def test_a_mailing_lists_footer_is_no_order() -> None:
    rule = "_" * 47
    text = f"BID 5\n\n{rule}\nfelix-club mailing list\nPLAY 15\nhttps://lists.test/felix-club\n"
    assert (orders_of(text), asked_of(text)) == (["BID 5"], ["PLAY 15"])


@pytest.mark.parametrize(
    "banner",
    [
        "CAUTION: This message is from an EXTERNAL SENDER. Do not click links.",
        "You don't often get email from ben@players.test. Learn why this is important",
        "Diese E-Mail ist vertraulich und nur für den Empfänger bestimmt.",
        "This e-mail is confidential and intended only for the addressee.",
    ],
)
def test_what_a_companys_server_adds_is_no_order(banner: str) -> None:
    above = f"{banner}\nPLAY 15\n\nBID 5\n"
    below = f"BID 5\n\n{banner}\nPLAY 15\n"
    assert [orders_of(above), orders_of(below)] == [["BID 5"], ["BID 5"]]


# ---- what programs do to a line -------------------------------------------------------------------------
@pytest.mark.parametrize("line", [
    "BID\u00a05", "\u00a0\u00a0BID 5\u00a0", "*BID 5*", "**BID 5**", "• BID 5", "* BID 5", "- BID 5",
    "BID 5.", "\ufeffBID 5", "BID\u200b 5", "ＢＩＤ ５", "bid 5",
])  # fmt: skip
def test_what_a_program_adds_to_a_line_is_forgiven(line: str) -> None:
    assert orders_of(f"Hi felix,\n\n{line}\n\nBen\n\n{quoted()}\n") == ["BID 5"]


@pytest.mark.parametrize("line", ["PLAY −8", "PLAY –8", "PLAY —8", "play -8", "PLAY minus 8"])
def test_every_dash_is_a_minus(line: str) -> None:
    assert orders_of(f"{line}\n\n{quoted()}") == ["PLAY -8"]


# ---- whole mails ----------------------------------------------------------------------------------------
def mail(*headers: str, body: str) -> bytes:
    head = ["From: ben@players.test", "Subject: Re: Your turn", "In-Reply-To: <1@felix.test>", *headers]
    return ("\n".join(head) + f"\n\n{body}").encode()


def test_thunderbird_sends_flowed_text() -> None:
    body = "JOIN with words that are so long that the program \nbroke them\n\n> > PASS \n> PASS\n"
    raw = mail("Content-Type: text/plain; charset=utf-8; format=flowed", body=body)
    assert orders_of_mail(raw) == ["JOIN with words that are so long that the program broke them"]


def test_apple_mail_sends_flowed_text_whose_blanks_go() -> None:
    raw = mail("Content-Type: text/plain; format=flowed; delsp=yes", body="BID  \n5\n\n> PASS\n")
    assert orders_of_mail(raw) == ["BID 5"]


def test_a_second_text_with_another_move_is_asked_about() -> None:
    """A list's server adds such texts."""
    parts = "--b\nContent-Type: text/plain\n\nBID 5\n--b\nContent-Type: text/plain\n\nPLAY 15\n--b--\n"
    raw = mail('Content-Type: multipart/mixed; boundary="b"', body=parts)
    assert (orders_of_mail(raw), asked_of_mail(raw)) == (["BID 5"], ["PLAY 15"])


def test_a_signed_mail_is_read() -> None:
    parts = "--b\nContent-Type: text/plain\n\nBID 5\n--b\nContent-Type: text/plain\n\nPASS\n--b--\n"
    assert orders_of_mail(mail('Content-Type: multipart/signed; boundary="b"', body=parts)) == ["BID 5"]


@pytest.mark.parametrize(
    "part",
    [
        "Content-Type: text/calendar; method=REQUEST\n\nBEGIN:VCALENDAR\nPASS\n",
        "Content-Type: text/plain; name=orders.txt\n\nPASS\n",
        "Content-Type: text/html\nContent-Disposition: attachment\n\n<p>PASS</p>\n",
        "Content-Type: message/rfc822\n\nSubject: x\n\nPASS\n",
        "Content-Type: message/disposition-notification\n\nPASS\n",
        "Content-Type: text/csv\n\nPASS\n",
        "Content-Type: application/octet-stream\n\nPASS\n",
    ],
)
def test_what_is_attached_is_no_order(part: str) -> None:
    raw = mail('Content-Type: multipart/mixed; boundary="b"', body=f"--b\n{part}--b--\n")
    assert (orders_of_mail(raw), asked_of_mail(raw)) == ([], [])


def test_a_receipt_is_no_order() -> None:
    receipt = "Content-Type: message/disposition-notification\n\nx\n"
    body = f"--b\nContent-Type: text/plain\n\nPASS\n--b\n{receipt}--b--\n"
    assert orders_of_mail(mail('Content-Type: multipart/report; boundary="b"', body=body)) == []
