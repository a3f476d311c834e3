"""A mail that is HTML alone: its lines as somebody sees them, and which of them are not the writer's."""

from __future__ import annotations

import pytest

from felix_async.language.words import MARKER
from felix_async.reading.html import hypertext_lines
from felix_async.reading.line import Line
from felix_notifiers.mails.preview import preview
from games import NAMES, a_running_game
from inbox.reading import asked_of_mail, orders_of_mail
from notifiers.sheets import an_answer, mail
from table import ANNA, BEN, a_game


def lines(html: str) -> list[str]:
    return [line.text for line in hypertext_lines(html) if line.text]


def written(html: str) -> list[str]:
    return [line.text for line in hypertext_lines(html) if line.text and line.place == "written"]


def orders(html: str) -> list[str]:
    return orders_of_mail(a_mail_of(html))


def a_mail_of(html: str) -> bytes:
    return b"From: a@b.test\nContent-Type: text/html; charset=utf-8\n\n" + html.encode()


@pytest.mark.parametrize("html", [
    "<p>BID 5</p><p>HAND</p>", "<div>BID 5</div><div>HAND</div>", "BID 5<br>HAND", "BID 5<br/>\n<br>HAND<br>",
    "<div>BID 5<div>HAND</div></div>", "<ul><li>BID 5<li>HAND</ul>",
    "<table><tr><td>BID 5</td></tr><tr><td>HAND</td></tr></table>", "<pre>BID 5\nHAND\n</pre>",
    "<p>BID&nbsp;5</p>  <p>\n  HAND\n</p>", "<b>BID</b> <i>5</i><div><span>HA</span>ND</div>",
    "<center>BID 5</center>HAND", "<dl><dt>BID 5</dt><dd>HAND</dd></dl>",
])  # fmt: skip
def test_what_stands_on_a_line_of_its_own_is_one(html: str) -> None:
    assert lines(html) == ["BID 5", "HAND"]


def test_blanks_and_line_ends_of_the_source_are_one_blank() -> None:
    assert lines("<p>BID\n   5\t and\r\n\u00a0 more</p>") == ["BID 5 and more"]


def test_cells_of_a_row_stand_side_by_side() -> None:
    assert lines("<table><tr><td>BID</td><td>5</td></tr></table>") == ["BID 5"]


def test_a_paragraph_leaves_an_empty_line_and_a_block_none() -> None:
    assert [line.text for line in hypertext_lines("<p>a</p><p>b</p><div>c</div><div>d</div>")] == [
        "a",
        "",
        "b",
        "",
        "c",
        "d",
    ]


@pytest.mark.parametrize("html", [
    "<style>p{}</style>", "<script>PASS</script>", "<title>PASS</title>", "<!-- PASS -->",
    "<p hidden>PASS</p>", "<p style='display : none'>PASS</p>", "<span style='font-size:0px'>PASS</span>",
    "<div style='mso-hide:all'>PASS</div>", "<div style='max-height:0'>PASS</div>",
    "<template>PASS</template>", "<del>PASS</del>", "<s>PASS</s>", "<strike>PASS</strike>",
    "<span style='text-decoration: underline line-through red'>PASS</span>",
    "<span style='text-decoration-line:line-through'>PASS</span>",
    "<div style='height:0;overflow:hidden'>PASS</div>", "<div style='max-height: 0px !important'>PASS</div>",
    "<div style='width:1px;height:1px;overflow:hidden'>PASS</div>",
    "<div style='position:absolute; left:-9999px'>PASS</div>",
    "<div style='position:fixed;top:-100em'>PASS</div>", "<p style='text-indent:-9999px'>PASS</p>",
    "<p style='margin: 0 0 0 -5000px'>PASS</p>", "<p style='transform: translateX(-9999px)'>PASS</p>",
    "<p style='transform:scale(0)'>PASS</p>", "<p style='clip: rect(0 0 0 0); position: absolute'>PASS</p>",
    "<p style='clip-path: inset(50%)'>PASS</p>", "<p style='color:#fff'>PASS</p>",
    "<p style='color: rgba(0, 0, 0, 0)'>PASS</p>", "<p style='color:transparent'>PASS</p>",
    "<p style='color:#fefefe'><b>PASS</b></p>", "<font color=white>PASS</font>",
    "<div style='background:#123456'><span style='color:rgb(18, 52, 86)'>PASS</span></div>",
    "<table bgcolor='#000000'><tr><td><font color='black'>PASS</font></td></tr></table>",
    "<div style='background-color:red;color:red'>PASS</div>", "<p style='opacity:.01'>PASS</p>",
    "<p style='font-size:1px'>PASS</p>", "<p style='font-size:0'><b style='font-size:2em'>PASS</b></p>",
    "<p style='visibility: collapse'>PASS</p>", "<p aria-hidden='true'>PASS</p>", "<dialog>PASS</dialog>",
    "<div style='font: 0/0 a'>PASS</div>", "<div style='font: italic 400 1px/1 Arial'>PASS</div>",
    "<p style='color: hsl(120, 50%, 100%)'>PASS</p>", "<p style='color: rgb(255 255 255 / 100%)'>PASS</p>",
    "<p style='position:absolute; left: 9999px'>PASS</p>",
    "<p style='position:absolute; left: -100%'>PASS</p>", "<p style='filter: alpha(opacity=0)'>PASS</p>",
    "<p style='filter: opacity(0%)'>PASS</p>", "<body text='#fff'><p>PASS</p></body>",
    "<p style='max-width:0;overflow:hidden;white-space:nowrap'>PASS</p>",
    "<p style='DISPLAY : NONE !important'>PASS</p>",
    "<style>p.old, #x { display: none }</style><p class='a old'>PASS</p><i id=x>PASS</i>",
    "<head><style><!-- .gone{text-decoration:line-through} --></style></head><p class=gone>PASS</p>",
    "<style>.x{font-size:0}</style><p class=x>PASS", "<style>.x{color:#fff}</style><p class=x>PASS",
    "<style>@media print{.y{color:red}} div .x, p{font:1px Arial}</style><i class=x>PASS</i><p>PASS",
    "<img alt='PASS' src='x'>", "", "<p",
])  # fmt: skip
def test_what_nobody_sees_says_nothing(html: str) -> None:
    assert lines(html) == []


@pytest.mark.parametrize("style", [
    "font-size:0.9em", "opacity:0.5", "max-height:0.5em", "display:block", "height:auto", "width:100%",
    "text-indent:-18pt", "margin-left:-.25in", "color:#999", "color:windowtext", "color:inherit", "left:-2px",
    "text-decoration:underline", "background:#fff url(x.png);color:#fff", "color:#fff;background:#000",
    "background-color:#222; color: rgb(255,255,255)", "color:white;background:navy", "clip:auto",
    "transform:none",
    "font-size:medium", "font-size:9pt", "color:rgb(", "opacity:x", "font-size", ":;:", "color:#12345",
    "font: 12px Arial", "font:bold 12pt/1.5 Arial", "filter:opacity(0.9)",
    "filter:alpha(opacity=90)", "color:hsl(0",
    "color:hsl(0,0%,0%)", "margin-left:36pt", "font-family:0", "left:0",
])  # fmt: skip
def test_what_is_small_or_pale_is_seen(style: str) -> None:
    assert lines(f"<p style='{style}'>PASS</p>") == ["PASS"]


@pytest.mark.parametrize(("html", "seen"), [
    ("<del>BID 7</del> BID 8", ["BID 8"]), ("BID <s>7</s> 8", ["BID 8"]),
    ("<p><s>BID 7</s></p><p>BID 8</p>", ["BID 8"]),
    ("<div style='color:#fff'>PASS<div style='color:#000'>BID 8</div>PASS</div>BID 9", ["BID 8", "BID 9"]),
    ("<div style='font-size:0'>PASS<p style='font-size:12px'>BID 8</p></div>", ["BID 8"]),
    ("<table><tr><td style='width:1px'>BID 8</td></tr></table>", ["BID 8"]),
    ("<style>.x{color:#fff;background:#000} a{font-size:9pt}</style><p class=x>BID <a>8</a>", ["BID 8"]),
    ("<style>@media (prefers-color-scheme:dark){b{x:y} p{color:#fff}}</style><p>BID 8", ["BID 8"]),
    ("<style>.night p{color:#fff} .a:hover .b{font-size:0}</style><p class=a>BID 8", ["BID 8"]),
    ("<style>@media print { .x {display:none} } .y{color:red}</style><p class='x y'>BID 8</p>", ["BID 8"]),
])  # fmt: skip
def test_around_what_nobody_sees_the_rest_is_read(html: str, seen: list[str]) -> None:
    assert [" ".join(line.split()) for line in lines(html)] == seen


def test_of_two_forms_the_one_is_read_that_shows_what_is_struck_out() -> None:
    head = "From: a@b.test\nContent-Type: multipart/alternative; boundary=b\n\n"
    plain = "--b\nContent-Type: text/plain\n\nPLAY 8\nBID 3\n"
    page = "--b\nContent-Type: text/html\n\n<p><s>PLAY 8</s></p><p>BID 3</p>\n--b--\n"
    assert orders_of_mail(f"{head}{plain}{page}".encode()) == ["BID 3"]


@pytest.mark.parametrize("quote", [
    "<blockquote>PASS</blockquote>", "<blockquote type='cite'><div>PASS</div><br>PASS</blockquote>",
    "<div class='gmail_quote'>PASS</div>",
    "<div class='gmail_quote gmail_quote_container'><div dir='ltr' class='gmail_attr'>PASS</div></div>",
    "<div class='gmail_extra'>PASS</div>", "<div class='moz-cite-prefix'>PASS</div>",
    "<div id='yahoo_quoted_1234' class='yahoo_quoted'>PASS</div>", "<div class='protonmail_quote'>PASS</div>",
    "<div name='quote'>PASS</div>", "<div data-marker='__QUOTED_TEXT__'>PASS</div>",
    "<div class='ms-outlook-mobile-reference-message'>PASS</div>",
    "<span id='OLK_SRC_BODY_SECTION'>PASS</span>", "<div class='gmail_signature'>PASS</div>",
    "<pre class='moz-signature'>PASS</pre>", "<div id='ms-outlook-mobile-signature'>PASS</div>",
])  # fmt: skip
def test_quotes_and_signatures_are_known_by_their_elements(quote: str) -> None:
    assert written(f"<div>BID 5{quote}HAND</div>") == ["BID 5", "HAND"]


@pytest.mark.parametrize(
    "start",
    [
        "<div id='divRplyFwdMsg'><b>From:</b> felix<br></div>",
        "<div id='x_divRplyFwdMsg'>From: felix</div>",
        "<div id='appendonsend'></div>",
        "<div><hr id='stopSpelling'>Date: Friday</div>",
        "<div style='border:none;border-top:solid #E1E1E1 1.0pt'><p><b>From:</b> felix</p></div>",
        "<div style='border-top-width: 1px; border-top-style: solid'><b>Von:</b>&nbsp;felix</div>",
        "<div><div id='mail-editor-reference-message-container'></div></div>",
    ],
)
def test_behind_outlooks_header_everything_is_the_older_mail(start: str) -> None:
    html = f"<body><div>BID 5</div><div>{start}</div><p>PASS</p><table><tr><td>PASS</td></tr></table></body>"
    assert written(html) == ["BID 5"]


def test_a_grey_line_without_a_header_is_only_a_line() -> None:
    assert written("<div style='border-top:solid grey'>BID 5</div><p>HAND</p>") == ["BID 5", "HAND"]


def test_a_line_across_the_page_is_a_row_of_dashes() -> None:
    assert hypertext_lines("a<hr>b")[2] == Line("_" * 32)


def test_an_answer_below_a_quote_is_read() -> None:
    assert orders("<blockquote>PASS</blockquote><p>BID 5</p>") == ["BID 5"]


def test_an_answer_between_quotes_is_read() -> None:
    assert orders("<blockquote>Your bid?</blockquote>BID 5<blockquote>Bye</blockquote>") == ["BID 5"]


def test_the_call_above_a_quote_goes_with_it() -> None:
    html = "BID 5<p>Am 01.05.26 um 19:12 schrieb felix:</p><blockquote>PASS</blockquote>"
    assert [line.place for line in hypertext_lines(html) if "felix" in line.text] == ["written"]
    assert (orders(html), asked_of_mail(html.encode())) == (["BID 5"], [])


def test_our_own_mail_below_an_answer_asks_for_nothing() -> None:
    """Whatever a program made of our HTML: the marker is in it, and cuts."""
    game = a_running_game()
    ours = preview(game.envelopes, NAMES, "Thursday club", 1, "felix@felix.test").html
    assert MARKER in " ".join(lines(ours))
    assert orders(f"<p>HAND</p>{ours}") == ["HAND"]
    assert orders(f"<p>HAND</p><blockquote>{ours}</blockquote>") == ["HAND"]
    assert orders(f"<blockquote>{ours}</blockquote><p>HAND</p>") == ["HAND"]


def test_the_echo_in_an_unmarked_answer_of_ours_is_no_order() -> None:
    """A mail program may drop the line of ours, and whatever told that an older mail stands below."""
    for order in ("PLAY -8", "PASS"):
        answer = an_answer((order, "done", "So be it."))
        letter = mail(a_game(start=BEN).in_auction(), ANNA, {"answer"}, answer=answer)
        html = f"<div>Thanks for the mail!</div>{letter.html.replace(MARKER, '')}"
        assert order in lines(html)
        assert (orders(html), asked_of_mail(a_mail_of(html))) == ([], [])
