"""Whatever a mail is made of, an order that stands only in somebody else's text is never obeyed."""

from __future__ import annotations

from email.encoders import encode_base64
from email.message import Message
from email.mime.message import MIMEMessage
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText

import hypothesis.strategies as st
from hypothesis import given

from felix_async.language.words import MARKER
from felix_async.reading.reader import read_mail, read_text
from felix_async.reading.understand import understand
from inbox.reading import moves_in, orders_of

DECOY = "PLAY 15"
CHARSETS = st.sampled_from(["utf-8", "iso-8859-1", "utf-16", "utf-16-le", "koi8-r", "shift_jis", "us-ascii"])
PROSE = st.sampled_from(
    ["Hello felix", "how are you", "", "  ", "BID", "42", "grüße", "see below:", "> yes", "Ben"]
)
OWN = st.lists(PROSE | st.just("BID 5") | st.just("HAND"), max_size=4)
QUOTES = st.sampled_from(["> ", ">", ">> ", "| ", "  > ", "\u00a0> "])
CALLS = st.sampled_from([
    "On Fri, May 1, 2026 at 7:12 PM felix <felix@felix.test> wrote:", "Am 01.05.26 um 19:12 schrieb felix:",
    "2026年5月1日(金) 19:12 felix <felix@felix.test>:",
])  # fmt: skip
FOREIGN_LINES = st.lists(PROSE | st.just(DECOY), min_size=1, max_size=5)


@st.composite
def quoted_texts(draw: st.DrawFn) -> str:
    """The writer's lines, and a quote with a decoy above, between or below them."""
    quote = draw(QUOTES)
    lines = draw(OWN)
    for _ in range(draw(st.integers(1, 3))):
        foreign = [f"{quote}{line}" for line in (*draw(FOREIGN_LINES), DECOY)]
        call = [draw(CALLS)] if draw(st.booleans()) else []
        lines += [*call, *foreign, *draw(OWN)]
    return "\n".join(lines)


@st.composite
def cut_texts(draw: st.DrawFn) -> str:
    """The writer's lines, and below a cut all that nobody should obey."""
    cut = draw(st.sampled_from([MARKER, f"*{MARKER}*", "-- "]))
    return "\n".join([*draw(OWN), cut, *draw(FOREIGN_LINES), DECOY])


@st.composite
def hypertexts(draw: st.DrawFn) -> str:
    """HTML in which the decoy stands in a quote, is not seen, or is in an older mail."""
    around = draw(
        st.sampled_from(
            [
                "<blockquote>{}</blockquote>",
                '<div class="gmail_quote">{}</div>',
                '<div class="yahoo_quoted">{}</div>',
                '<div class="protonmail_quote"><p>{}</p></div>',
                '<div class="moz-cite-prefix">{}</div>',
                '<div class="gmail_signature">{}</div>',
                '<div id="divRplyFwdMsg">From: felix</div><div>{}</div>',
                '<div id="appendonsend"></div><p>{}</p>',
                '<div style="border-top:solid #E1E1E1 1.0pt"><p><b>From:</b> x</p></div><p>{}</p>',
                '<p style="display: none">{}</p>',
                "<span hidden>{}</span>",
                "<style>{}</style>",
                "<script>{}</script>",
                "<title>{}</title>",
                "<!-- {} -->",
                '<font style="font-size:0">{}</font>',
                "<textarea>{}</textarea>",
            ]
        )
    )
    own = "".join(f"<p>{line}</p>" for line in draw(OWN))
    wrap = draw(st.sampled_from(["{}", "<div>{}</div>", "<table><tr><td>{}</td></tr></table>", "<b>{}"]))
    return wrap.format(f"{own}{around.format(DECOY)}")


def encoded(text: str, subtype: str, charset: str) -> Message:
    part = MIMEText("", subtype, "utf-8")
    part.set_payload(text.encode(charset, "replace"))
    del part["Content-Transfer-Encoding"]
    part.set_param("charset", charset)
    encode_base64(part)
    return part


@st.composite
def mails(draw: st.DrawFn) -> bytes:
    """A mail with a text or two, and things attached to it."""
    charset = draw(CHARSETS)
    plain = st.builds(encoded, quoted_texts() | cut_texts(), st.just("plain"), st.just(charset))
    html = st.builds(encoded, hypertexts(), st.just("html"), st.just(charset))
    parts: list[Message] = draw(st.lists(plain | html, max_size=2))
    for _ in range(draw(st.integers(0, 2))):
        parts.append(draw(attachments()))
    if draw(st.booleans()):
        parts = draw(st.permutations(parts))
    mail: Message = parts[0] if len(parts) == 1 else MIMEMultipart(draw(KINDS), "felix", parts)
    mail["From"] = "ben@players.test"
    mail["In-Reply-To"] = "<1@felix.test>"
    return mail.as_bytes()


KINDS = st.sampled_from(["mixed", "alternative", "related", "signed", "report"])


@st.composite
def attachments(draw: st.DrawFn) -> Message:
    """Something attached in which there is nothing but the decoy."""
    kind = draw(st.sampled_from(["file", "mail", "calendar", "status", "named"]))
    if kind == "mail":
        return MIMEMessage(MIMEText(DECOY))
    subtype = {"calendar": "calendar", "status": "rfc822-headers"}.get(kind, "plain")
    part = MIMEText(DECOY, subtype, "utf-8")
    if kind == "file":
        part["Content-Disposition"] = "attachment"
    if kind == "named":
        part.set_param("name", "orders.txt")
    return part


def orders(raw: bytes) -> list[str]:
    return moves_in(read_mail(raw).said)


FAREWELLS = (
    "Best regards", "Mit freundlichen Grüßen", "Děkuji,", "S přáním hezkého dne,", "Med venlig hilsen", "Tak",
    "På forhånd tak", "Muchas gracias,", "Bonne journée", "Salutations", "Bedankt,", "Z powazaniem",
    "Bästa hälsningar", "감사합니다", "此致，", "谢谢您的关注，", "Thanks,", "-Anna",
    "Gesendet von meinem Telefon",
    "On Monday Anna wrote:", "Am Montag schrieb Anna:", "Le lundi Anna a écrit :", "El lunes Anna escribió:",
    "Dne pondělí Anna napsal(a):", "From: Anna\nSent: Monday\nSubject: x", "Von: A\nAn: B\nBetreff: x",
)  # fmt: skip
"""How a signature or an older mail begins where nothing but its words, or a dash, tells so."""


def test_below_a_farewell_an_order_is_asked_about_at_the_most() -> None:
    obeyed = [
        farewell for farewell in FAREWELLS if orders_of(f"nice game so far\n\n{farewell}\nAnna\n\n{DECOY}")
    ]
    assert obeyed == []


def test_a_farewell_is_no_part_of_the_order_above_it_and_not_told_of() -> None:
    for farewell in FAREWELLS:
        order, *rest = understand(read_text(f"BID 5\n{farewell}\nAnna"))
        assert str(order.order) == "BID 5"
        assert not any(line.is_told for line in rest), farewell


@given(quoted_texts() | cut_texts())
def test_no_order_out_of_a_quote_is_obeyed(text: str) -> None:
    assert DECOY not in orders(b"From: a@b.test\r\n\r\n" + text.encode())


@given(hypertexts())
def test_no_order_out_of_an_html_quote_is_obeyed(html: str) -> None:
    raw = b"From: a@b.test\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + html.encode()
    assert DECOY not in orders(raw)


@given(mails())
def test_no_order_out_of_an_attachment_or_a_quote_in_a_part_is_obeyed(raw: bytes) -> None:
    assert DECOY not in orders(raw)
