"""What a mail asks for: orders, questions of felix's own, and why the rest is none."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from each import each
from felix_async.language import grammar
from felix_async.language.grammar import Order, clean
from felix_async.language.words import ANOTHER_MOVE, ASKED, LEFT_ASIDE, NOT_WRITTEN, TWO_MOVES, UNDERSTOOD
from felix_async.reading.reader import read_mail, read_text
from felix_async.reading.understand import MAX_MISREAD, MAX_WRITTEN, understand
from felix_async.reading.verdicts import Understood
from inbox.reading import asked_of, orders_of, orders_of_mail


def said(text: str) -> list[Understood]:
    return understand(read_text(text))


def verdicts(text: str) -> list[tuple[str, str]]:
    return [(line.text, line.verdict) for line in said(text)]


# ---- each line ------------------------------------------------------------------------------------------
def test_every_line_that_says_something_has_a_verdict_and_a_reason() -> None:
    text = "Hello\n\nPLAY 5\nbid 5 or 6\n\nAm 01.05.26 um 19:12 schrieb felix:\n> BID 1\n-- \nBen\n"
    assert [(line.text, line.verdict, line.why) for line in said(text)][1:2] == [
        ("PLAY 5", "order", UNDERSTOOD["order"])
    ]
    assert verdicts(text) == [
        ("Hello", "not understood"),
        ("PLAY 5", "order"),
        ("bid 5 or 6", "ambiguous"),
        ("Am 01.05.26 um 19:12 schrieb felix:", "ignored"),
        ("> BID 1", "ignored"),
        ("-- ", "ignored"),
        ("Ben", "ignored"),
    ]
    assert [line.why for line in said(text)[3:]] == [
        NOT_WRITTEN["attribution"],
        NOT_WRITTEN["quoted"],
        NOT_WRITTEN["signature"],
        NOT_WRITTEN["signature"],
    ]


@pytest.mark.parametrize("text", [
    "I do not want to\nPASS", "I would never\nBID 9", "If Ben bids 6 I\nBID 9", "Do I write\nPASS\n?",
    "How do I leave? Do I write\nPASS\n?", "Anna wrote:\nPASS", "Ben said:\nBID 9", "Anna a écrit :\nPASS",
    "I would not say\nthat this is mine\nPLAY 8", "I don't want to\nJOIN",
])  # fmt: skip
def test_an_order_within_a_sentence_is_asked_about(text: str) -> None:
    assert orders_of(text) == []
    assert len(asked_of(text)) == 1


@pytest.mark.parametrize("text", [
    "I do not want to wait.\nPASS", "What a round!\nPASS", "Dear No One,\nPASS", "If I must\n\nPASS",
    "My move:\nPASS", "How are you?\nPASS",
    "SAY but why\nPASS", "I like this game\nPASS", "PASS\n\n?",
])  # fmt: skip
def test_an_order_beside_a_sentence_is_done(text: str) -> None:
    assert "PASS" in orders_of(text)


# ---- a whole text ---------------------------------------------------------------------------------------
@each(("text", "orders", "asked"), [
    ("JOIN\nSTATUS\nPLAY 8\nHAND", ["JOIN", "STATUS", "PLAY 8", "HAND"], []),
    ("Hello felix,\n\nthis is mine:\nPLAY 5\n", ["PLAY 5"], []),
    ("I do not know my\nHAND\n?", ["HAND"], []),
    # A seat has one decision before it; which of two moves answers it, nobody can know.
    ("PLAY 5\nBID 2\nHAND", ["PLAY 5", "HAND"], ["BID 2"]),
    ("BID 5\n\nPLAY 15\n", ["BID 5"], ["PLAY 15"]),
    ("BID 5\nPLAY 15\nAm 01.05.26 um 19:12 schrieb felix:\n> x\n", ["BID 5"], ["PLAY 15"]),
    ("> Your bid?\n\nBID 5\n\nBen of the club\nPLAY 15\n", ["BID 5"], ["PLAY 15"]),
    ("BID some\n\nBen of the Thursday club\nPLAY 15\n", [], ["PLAY 15"]),
    # Below somebody else's text either may be the rest of it.
    ("> Your bid?\n\nPLAY 15\n\nBID 5\n", [], ["PLAY 15", "BID 5"]),
    ("CAUTION: external sender\n\nPLAY 15\n\nBID 5\n", [], ["PLAY 15", "BID 5"]),
    ("Sent from my iPhone\n\nPLAY 15\n\nBID 5\n", [], ["PLAY 15", "BID 5"]),
    # The same move again, half an order that is corrected, and questions.
    ("BID 5\nI mean it\nBID 5\n\n> BID 5\n\nSent from my phone\nBID 5\n", ["BID 5"], []),
    ("BID 7\nBID 7\n", ["BID 7"], []),
    ("BID 7\n\nbid seven, sorry\n", ["BID 7"], []),
    ("BID 7\nI mean BID 7\n", ["BID 7"], []),
    ("play dog\nPLAY LARGE DOG\n", ["PLAY LARGE DOG"], []),
    *((f"BID 5\ncould you show me\n\n{word}\n", ["BID 5", word], []) for word in ("HAND", "STATUS", "HELP")),
    ("BID 7\nSAY good luck\nBID 8\nSTATUS\n", ["SAY good luck", "STATUS"], []),
    # What is taken back, and what is not.
    ("YES\nscratch that\n", [], []),
    ("Sorry, scratch my last mail, not 7 but 8!\n\nBID 8\n", ["BID 8"], []),
    ("STATUS\nSAY hello\nforget it\n", ["STATUS", "SAY hello"], []),
    ("~~BID 7~~\nBID 8\n", ["BID 8"], []),
    ("Bid 11, sorry for the delay\n\nBen\n", ["BID 11"], []),
    ("Bid 11, sorry for the delay\nBen\n", ["BID 11"], []),
    # Words on the next line count, too.
    ("Bid 11, it is late here\nand only if Ben stays in\n", [], ["BID 11"]),
    ("Bid 11, see you on Sunday\nbut not if the others are too quick\n", [], ["BID 11"]),
    ("BID 7\nunless Ben has passed\n", [], ["BID 7"]),
    ("BID 7\nbut only if Ben passes\n", [], ["BID 7"]),
    ("BID 7\nonly if Ben passes\n", [], ["BID 7"]),
    # A move that is said beside other words may be the middle of a sentence that a mail program has broken.
    ("When it gets over ten mice\nI pass\n", [], ["PASS"]),
    ("I pass\nunless somebody has bid less than five\n", [], ["PASS"]),
    ("As I said on the phone,\nI'll pass\nthis is getting expensive\n", [], ["PASS"]),
    # Where the reading ends, and where it does not.
    *(
        (f"PLAY 5\n{word}\nPLAY 8\nHAND\n", ["PLAY 5"], [])
        for word in ("END", "Thanks!", "thank you", "Best regards,", "Cheers")
    ),
    ("> line\n" * 300 + "PLAY 5\n", ["PLAY 5"], []),
])  # fmt: skip
def test_a_text_says_what_it_can_only_mean_and_felix_asks_about_the_rest(
    text: str, orders: list[str], asked: list[str]
) -> None:
    assert (orders_of(text), asked_of(text)) == (orders, asked)


@each("text", [
    "BID 7\n\nBen\n42\n", "BID 7\n-- \nPASS\n", "BID 7\n> BID 8\n", "BID 7\nSent from my phone\nBID 8\n",
    "BID 7\nthanks\nBID 8\n",
])  # fmt: skip
def test_numbers_alone_and_what_is_not_the_writers_are_no_second_move(text: str) -> None:
    assert orders_of(text) == ["BID 7"]


# ---- in doubt -------------------------------------------------------------------------------------------
def test_a_move_below_text_that_follows_a_move_is_asked_about() -> None:
    """A signature or an older mail may have begun there unseen."""
    text = "BID 5\n\nBen of the Thursday club\nPLAY 15\n"
    assert (orders_of(text), asked_of(text)) == (["BID 5"], ["PLAY 15"])
    assert said(text)[-1].why == ASKED["after"].format(order="PLAY 15")


def test_an_order_on_a_doubtful_line_is_asked_about() -> None:
    text = "Hi\n\n--------\nBID 5\n"
    assert (orders_of(text), asked_of(text)) == ([], ["BID 5"])
    assert said(text)[-1].why == ASKED["doubtful"].format(order="BID 5")


def test_what_may_have_been_meant_is_asked_about(monkeypatch: pytest.MonkeyPatch) -> None:
    @dataclass(frozen=True)
    class Near(grammar.Misread):
        meant: Order | None = None

    near = Near("not understood", "order/unknown", meant=Order("PASS"))
    monkeypatch.setattr("felix_async.reading.line.read_clean", lambda cleaned, line: near)
    assert asked_of("PAS") == ["PASS"]


# ---- two moves for one decision -----------------------------------------------------------------------
@pytest.mark.parametrize("text", [
    "BID 7\nBID 8\n", "BID 7\n\nSorry, I meant BID 8\n", "BID 17\nsorry\nBID 7\n", "PASS\nBID 5\n",
    "PASS and BID 5\n",
    "BID 11\nBID 12\nBID 13\nPASS\n", "PLAY 5\nPLAY 8\n", "BID 7\n\nThanks for waiting.\n\nI mean 8\n",
    "BID 7. No wait, BID 8", "JOIN\nDECLINE\n", "BID 7\n\n> Your turn\n\nBID 8\n", "PLAY 8\nplay the dog\n",
    "I'll bid 7\nBID 8\n", "BID 7\nOn second thought BID 8\n",
    "BID 7\nscratch that, bid 8\n", "BID 7\nNo! BID 8!\n",
    "BID 7\n\ninstead bid 8\n",
    "PASS\nI take that back: bid 3\n", "BID 5\npass, unless Ben bids\n",
    "BID 7\nchange to BID 9 please\n", "BID 7\nplease BID 8 instead of 7\n",
    "BID 7\n\nPS: BID 8 if that is too low\n", "BID 7\nI'd like to change my bid to 9\n",
    "BID 7\nsorry, not 7 but 8\n", "BID 7\ntypo, 8 of course\n",
    "BID 7\n8 instead\n", "BID 7\nBID 8, not 7\n",
    "BID 7\nno, sorry, 8 is better\n", "PASS\nhm, on second thought I bid 4\n", "PASS\nhi all\nsorry, 4\n",
    "BID 7\nI'd rather pass\n", "PLAY 5\nno, the 8\n", "PLAY 5\nOops, -8!\n",
    "JOIN\nsorry, I have to decline\n",
])  # fmt: skip
def test_of_two_moves_for_one_decision_none_is_done_or_asked_about(text: str) -> None:
    assert (orders_of(text), asked_of(text)) == ([], [])
    assert [line.verdict for line in said(text) if line.choices] != []


def test_the_first_of_two_moves_tells_why_and_the_others_are_short() -> None:
    whys = [line.why for line in said("BID 7\nBID 8\nPASS\n")]
    assert whys == [TWO_MOVES, ANOTHER_MOVE, ANOTHER_MOVE]


@pytest.mark.parametrize("text", [
    "BID 7\nBen bid 4 last time\n", "BID 7\n\nBen bid 4\n", "BID 7\nWhy did you pass?\n",
    "BID 7\nwhat a pass\n",
    "BID 7\nSAY I wish I could bid 8\n", "BID 7\nwill you play the rabbit, Ben?\n",
])  # fmt: skip
def test_who_talks_of_moves_takes_none_back(text: str) -> None:
    assert "BID 7" in orders_of(text)


@pytest.mark.parametrize("text", [
    "BID 7\nscratch that\n", "BID 7\n\nforget it\n", "BID 7\nnever mind\n",
    "BID 7\nAh, I've changed my mind.\n",
    "BID 7\nhi all\n\nOops, could you please cancel that?\n", "BID 7\nwait\n",
])  # fmt: skip
def test_a_move_that_a_line_below_takes_back_is_asked_about(text: str) -> None:
    assert (orders_of(text), asked_of(text)) == ([], ["BID 7"])
    assert said(text)[0].why == ASKED["taken_back"].format(order="BID 7")


def test_chatter_below_a_move_takes_nothing_back() -> None:
    for chatter in (
        "sorry I'm late", "how are the 3 kids?", "No hurry", "Dan, your last bid of 6 was cheeky", "sorry",
        "Sorry, 3 days late", "No problem, take 2 days if you want", "I'd rather be in bed at 11",
        "see you at 8 instead of 7 tomorrow", "The 8 last round was mean", "Sorry for the 7", "Pass the salt",
        "I won't be around for 2 weeks", "don't forget it is game 3 on Friday", "who played the 9?",
        "no change here, 5 degrees", "What a mistake last time", "I should have played the 15 last time",
        "forget the dog, Ben", "meant to write at 9, sorry", "No one.", "not bad for 68 years, eh?",
        "+49 170 1234567", "Sorry, only got 4 hours of sleep", "I'll pass by tomorrow", "I have 2 dogs",
        "> scratch that", "-- \nscratch that, not 7 but 8",
    ):  # fmt: skip
        assert orders_of(f"BID 7\n\n{chatter}\n") == ["BID 7"], chatter
        assert orders_of(f"BID 7\n{chatter}\n") == ["BID 7"], chatter


# ---- hard wraps -----------------------------------------------------------------------------------------
@pytest.fixture
def wrapping(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines that begin with THEN go on with the line above."""

    def continues(line: str) -> bool:
        return clean(line).upper().startswith(("THEN ", "AND ", "ALL "))

    monkeypatch.setattr(grammar, "continues", continues, raising=False)


@pytest.mark.usefixtures("wrapping")
def test_a_line_that_goes_on_belongs_to_the_one_above() -> None:
    assert verdicts("BID 5\nTHEN dance\nHAND")[0] == ("BID 5 THEN dance", "asked")


@pytest.mark.usefixtures("wrapping")
@each(("text", "orders", "asked"), [
    ("BID 5\nTHEN dance\n", [], ["BID 5"]),
    ("BID 5\nTHEN dance\nPLAY 15\n", [], ["BID 5", "PLAY 15"]),
    ("BID 5\n\nAnd a good evening\n", ["BID 5"], []),
    ("BID 5\n> THEN dance\n", ["BID 5"], []),
    *((f"BID 5\n{close}\nBen\n", ["BID 5"], []) for close in ("All the best,", "all the best")),
])  # fmt: skip
def test_half_of_a_broken_order_is_never_obeyed_but_asked_about(
    text: str, orders: list[str], asked: list[str]
) -> None:
    assert (orders_of(text), asked_of(text)) == (orders, asked)


@pytest.mark.usefixtures("wrapping")
def test_a_broken_order_is_put_together() -> None:
    assert verdicts("JOIN salt\nand pepper\n") == [("JOIN salt and pepper", "order")]


# ---- the end of the reading -----------------------------------------------------------------------------
def test_five_lines_not_understood_in_a_row_end_the_reading() -> None:
    chat = "lovely weather\n" * MAX_MISREAD
    assert orders_of(f"{chat}PLAY 5") == []
    assert said(f"{chat}PLAY 5")[-1].why == LEFT_ASIDE
    assert orders_of(chat.replace("lovely weather\n", "", 1) + "PLAY 5") == ["PLAY 5"]


def test_only_so_many_lines_of_the_writer_are_read() -> None:
    text = "HAND\n" * (MAX_WRITTEN + 10)
    assert len(orders_of(text)) == MAX_WRITTEN
    assert said(text)[-1].why == LEFT_ASIDE


# ---- the subject ----------------------------------------------------------------------------------------
def mail(subject: str, body: str = "", *headers: str) -> bytes:
    return "\n".join(["From: ben@players.test", f"Subject: {subject}", *headers, "", body]).encode()


@each(("raw", "orders"), [
    (mail("BID 5"), ["BID 5"]),
    (mail("BID 5", "hello\n"), ["BID 5"]),
    (mail("=?utf-8?q?BID=C2=A05?="), ["BID 5"]),
    # The body goes before it.
    (mail("BID 5", "PASS\n"), ["PASS"]),
    (mail("BID 5", "Hi\n\n-----\nPASS\n"), []),
    (mail("BID 7", "BID 7\nBID 8\n"), []),
    (mail("I'll pass", "What a round.\n"), []),
    # A thread keeps its subject; an old bid in it must not be made again.
    *((mail("BID 5", "", f"{name}: <1@felix.test>"), []) for name in ("In-Reply-To", "References")),
    *((mail(f"{mark}BID 5"), []) for mark in ("Re: ", "RE: ", "AW: ", "SV: ", "Fwd: ", "Antw: ", "Re[2]: ")),
])  # fmt: skip
def test_the_subject_of_a_new_mail_is_read_if_the_body_holds_no_order(raw: bytes, orders: list[str]) -> None:
    assert orders_of_mail(raw) == orders


@pytest.mark.parametrize("subject", ["=?nothing?b?###?=", "=?utf-8?b?=?=", "=?utf-7?q?+2AA-?=", "x" * 5000])
def test_an_odd_subject_is_no_order(subject: str) -> None:
    assert read_mail(mail(subject, "PASS")).said == said("PASS")


# ---- a move in plain language ---------------------------------------------------------------------------
@pytest.mark.parametrize("text", [
    "I'll play the 15\n", "Hi felix,\nI'll play the 15\n", "I'll play the 15, thanks!\n\nSee you on Sunday",
    "What a round.\n\nI play the 15.\n\n-- \nBen", "I'll play the 15\nSTATUS\n",
])  # fmt: skip
def test_a_move_said_in_a_paragraph_of_its_own_is_one(text: str) -> None:
    assert "PLAY 15" in orders_of(text)
