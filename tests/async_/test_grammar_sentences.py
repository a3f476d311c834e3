"""The grammar itself: sentences made from it, spoilt ones, what is asked about, where a reading fails."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.lark import from_lark
from lark import UnexpectedCharacters, UnexpectedToken

from each import each
from felix_async.game.cards import PET_CARDS
from felix_async.language.grammar import MAX_LINE, Misread, Order, clean, continues, parser, read_line
from felix_async.language.terminals import FIRST_WORDS, NAMED_CARDS, ORDER_WORDS, number_of
from felix_async.language.words import (
    AFTER_AN_ORDER,
    BEFORE_AN_ORDER,
    CARD_WORDS,
    CONDITIONS,
    CONTINUATIONS,
    COURTESIES,
    EXPECTED,
    I_WORDS,
    NEAR_CHOICES,
    NEAR_ORDERS,
    NUMBER_WORDS,
    PLEASE,
    WORD_OF,
    WORDY,
)

ROOT = Path(__file__).parents[2]
sentences = from_lark(parser(), start="order")
near_sentences = from_lark(parser(), start="near")


def meant(line: str) -> Order | None:
    """What felix asks about; None where it asks for no single order."""
    read = read_line(line)
    assert isinstance(read, Misread)
    assert (read.meant is not None) == (read.code == "order/did_you_mean")
    return read.meant


# ---- sentences of the grammar -----------------------------------------------------------------------
@pytest.mark.slow
@given(sentences)
def test_every_sentence_of_the_grammar_is_an_order_and_reads_back(sentence: str) -> None:
    # The grammar is one of cleaned lines: a cedilla alone, for one, is a blank and a mark there.
    assume(clean(sentence) == sentence)
    # And full stops at the end of a line are nobody's words.
    assume(not re.search(r"[:\s][.,!\s]+$", sentence))
    # It is matched in small letters, and a capital I with a dot becomes two characters.
    assume(len(sentence.lower()) == len(sentence))
    read = read_line(sentence)
    assert isinstance(read, Order)
    assert read_line(str(read)) == read


@given(sentences)
def test_small_and_capital_letters_are_the_same(sentence: str) -> None:
    assume(not has_own_words(sentence) and sentence.upper().lower() == sentence)
    assert read_line(sentence.upper()) == read_line(sentence) == read_line(sentence.title())


@given(
    sentences,
    st.sampled_from(["* ", "- ", "\u2022 ", "  ", "\u00a0"]),
    st.sampled_from(["", ".", "!", " ,", "\r\n"]),
)
def test_what_a_mail_program_adds_changes_no_order(sentence: str, before: str, after: str) -> None:
    """A player's own words may end in what a mail program adds."""
    assume(len(sentence) < MAX_LINE - 10 and not has_own_words(sentence))
    assert read_line(f"{before}{sentence}{after}") == read_line(sentence)


@given(near_sentences)
def test_a_sentence_that_is_nearly_an_order_is_asked_about_or_is_one(sentence: str) -> None:
    read = read_line(sentence)
    if isinstance(read, Misread) and read.meant is not None:
        assert read.kind == "ambiguous"
        assert read_line(str(read.meant)) == read.meant
        assert str(read.meant) in str(read)


@given(near_sentences, st.sampled_from(["not", "never", "don't", "won't", "cannot"]), st.data())
def test_a_no_anywhere_in_a_line_is_never_an_order_nor_a_suggestion(
    sentence: str, no: str, data: st.DataObject
) -> None:
    words = sentence.split()
    assume(re.split("[,.:!]", words[0])[0] not in ("join", "new"))
    words.insert(data.draw(st.integers(0, len(words))), no)
    assert meant(" ".join(words)) is None


@given(sentences, st.data())
def test_a_mutated_sentence_is_an_order_only_where_the_grammar_says_so(
    sentence: str, data: st.DataObject
) -> None:
    place = data.draw(st.integers(0, len(sentence)))
    cut = data.draw(st.integers(0, 3))
    line = sentence[:place] + data.draw(st.text(max_size=4)) + sentence[place + cut :]
    assert isinstance(read_line(line), Order) == is_in_the_grammar(line)


@given(st.text() | st.text("PLAYBIDpasyeno 58-+:?.,!'\"\u00a0", max_size=20))
def test_any_text_is_read_without_trouble(line: str) -> None:
    assert isinstance(read_line(line), Order) == is_in_the_grammar(line)
    assert read_line(line) == read_line(clean(line))
    assert continues(clean(line)) in (True, False)


def has_own_words(sentence: str) -> bool:
    """Return True if its end is the player's own: words keep their capitals, and an address its letters."""
    return re.split("[ :]", sentence)[0].upper() in (*WORDY, "ADDRESS")


def is_in_the_grammar(line: str) -> bool:
    """What the parser says without the first look that saves time, and without `read_line`."""
    try:
        parser().parse(clean(line).rstrip(".,!").strip().lower(), start="order")
    except (UnexpectedCharacters, UnexpectedToken):
        return False
    return True


def test_the_longest_line_is_read_to_its_end() -> None:
    line = "please " * (MAX_LINE // 7)
    assert meant(line) is None
    assert meant("hi " * 100 + "pass") == Order("PASS")


# ---- the tables of words ----------------------------------------------------------------------------
@each(("word", "phrase"), [(word, one) for word, all_ in NEAR_ORDERS.items() for one in all_])
def test_every_slip_asks_for_its_own_order(word: str, phrase: str) -> None:
    follows = {"PLAY": " 8", "BID": " 7", "UPTO": " 7", "NEXT": " 8"}.get(word, "")
    asked = meant(phrase + follows)
    assert asked is not None
    assert asked.word == word


def test_no_slip_is_an_order_or_stands_for_two() -> None:
    slips = [phrase for phrases in NEAR_ORDERS.values() for phrase in phrases]
    slips += NEAR_CHOICES
    assert len(slips) == len(set(slips))
    assert not {slip.upper() for slip in slips} & {*WORD_OF.values(), *CONTINUATIONS}


def test_what_cannot_be_asked_about_has_no_slips() -> None:
    """A question about an answer would take the place of the question that was open; and behind the others
    stands what felix would have to guess as well."""
    unasked = {"YES", "NO", "SAY", "HOST", "UNINVITE", "SUBSTITUTE", "NOTIFY", "RECEIPTS", "AWAY", "ADDRESS"}
    unasked |= {"DISPUTE", "STANDS", "HANDOVER"}
    assert sorted(NEAR_ORDERS) == sorted({*WORD_OF} - unasked)


@each("phrase", [phrase for phrase in BEFORE_AN_ORDER if phrase not in (*PLEASE, *I_WORDS)])
@each("order", ["PASS", "BID 5", "PLAY RABBIT"])
def test_words_before_an_order_are_asked_about(phrase: str, order: str) -> None:
    assert str(meant(f"{phrase} {order}")) == str(meant(f"{phrase}, {order.lower()}")) == order


@each("phrase", [phrase for phrase in AFTER_AN_ORDER if phrase not in COURTESIES])
@each("order", ["PASS", "BID 5", "PLAY -8"])
def test_words_after_an_order_are_asked_about(phrase: str, order: str) -> None:
    assert str(meant(f"{order} {phrase}")) == order
    behind_a_comma = read_line(f"{order.lower()}, {phrase}")
    depends = any(word in CONDITIONS for word in phrase.split())
    assert str(behind_a_comma.meant if isinstance(behind_a_comma, Misread) else behind_a_comma) == order
    assert isinstance(behind_a_comma, Order) != depends


@pytest.mark.parametrize("order", ["PASS", "BID 5", "PLAY -8", "PLAY LARGE DOG"])
def test_courtesies_around_a_move_change_nothing(order: str) -> None:
    for phrase in PLEASE:
        assert str(read_line(f"{phrase} {order}")) == str(read_line(f"{phrase}, {order.lower()}.")) == order
    for phrase in COURTESIES:
        assert str(read_line(f"{order} {phrase}")) == str(read_line(f"{order.lower()}, {phrase}!")) == order


@pytest.mark.parametrize("order", ["PASS", "BID 5", "PLAY -8", "PLAY THE LARGE DOG"])
@pytest.mark.parametrize("phrase", I_WORDS)
def test_a_move_may_be_said_in_a_sentence_of_its_own(phrase: str, order: str) -> None:
    read = read_line(f"{phrase} {order.lower()}, thanks!")
    assert isinstance(read, Order)
    assert (str(read), read.is_said) == (order.replace("THE ", ""), True)


@pytest.mark.parametrize("line", [
    "I pass on", "I pass if Ben bids", "I'll play 8 or 15", "I'll bid 5 unless", "please, please pass",
    "I would play the 8", "If I play the 8", "we play 8",
    "I don't pass", "I will not bid 5", "I'll play it safe",
    "thanks, I pass", "pass thanks please", "I pass?", "bid 5 please?", "should I pass",
])  # fmt: skip
def test_what_is_more_than_a_move_is_not_obeyed(line: str) -> None:
    assert not isinstance(read_line(line), Order)


@each("phrase", [*BEFORE_AN_ORDER, *AFTER_AN_ORDER])
def test_words_around_an_order_are_none_themselves(phrase: str) -> None:
    """YES is an order, which may stand before another."""
    assert meant(phrase) is None if phrase != "yes" else read_line(phrase) == Order("YES")


@each(("name", "card"), [*NAMED_CARDS.items()])
def test_every_name_of_a_card_is_played_or_asked_about(name: str, card: object) -> None:
    read = read_line(f"play {name}")
    order = read if isinstance(read, Order) else read.meant
    assert order is not None
    assert order.card == card
    assert isinstance(read, Order) == (name in CARD_WORDS or name.split()[-1] in NUMBER_WORDS)


@each(("number", "word"), [*enumerate(NUMBER_WORDS)])
def test_a_number_may_be_spelled_out(number: int, word: str) -> None:
    assert read_line(f"bid {word}") == Order("BID", amount=number)
    assert number_of(f"minus {word}") == -number


def test_the_numbers_that_are_cards_may_be_spelled_out_and_no_others() -> None:
    played = {word for word in NUMBER_WORDS if isinstance(read_line(f"play {word}"), Order)}
    assert played == {"zero", "three", "five", "eight", "eleven", "fifteen"}
    assert {word for word in NUMBER_WORDS if isinstance(read_line(f"play minus {word}"), Order)} == {
        "five",
        "eight",
    }


def test_a_line_of_an_order_is_never_dropped_by_the_first_look() -> None:
    assert {word.split()[0] for word in ORDER_WORDS} <= FIRST_WORDS


@pytest.mark.parametrize("word", ["UNDO", "BLOCK Ben", "UNTIL 8", "QUIT NOW", "FORGET"])
def test_an_order_of_later_is_not_understood_today(word: str) -> None:
    assert read_line(word) == Misread("not understood", "order/unknown")


# ---- words behind an order -------------------------------------------------------------------------
@pytest.mark.parametrize(("line", "order"), [
    ("Bid 11, sorry for the delay", "BID 11"), ("Play 8, good luck all", "PLAY 8"),
    ("BID 11! Ha, take that", "BID 11"),
    ("PASS - too rich for me", "PASS"), ("bid eleven — see you", "BID 11"),
    ("Play the large dog. Sorry, Ben", "PLAY LARGE DOG"),
    ("I'll bid 11, you rascals :-)", "BID 11"), ("Please play -8, that's it", "PLAY -8"),
    ("Decline, sorry", "DECLINE"),
])  # fmt: skip
def test_words_behind_an_order_and_a_comma_or_a_dash_change_nothing(line: str, order: str) -> None:
    assert str(read_line(line)) == order


@pytest.mark.parametrize(("line", "order"), [
    ("Bid 11, if nobody else does", "BID 11"), ("PASS, unless Ben bids", "PASS"),
    ("Play 8, I think", "PLAY 8"),
    ("BID 8 IF NO DOG SHOWS", "BID 8"), ("Bid 11 sorry for the delay", "BID 11"),
    ("Bid 11, sorry for 2 days", "BID 11"),
    ("Play 8, the rabbit is for later", "PLAY 8"), ("Bid 11, aber nur falls Ben passt", "BID 11"),
    ("Bid 11, is that enough?", "BID 11"), ("bid 5 mices", "BID 5"), ("JOIN, happy to come", "JOIN"),
    ("Bid 11, " + "and so on " * 5, "BID 11"), ("Bid 11, HAND please", "BID 11"),
])  # fmt: skip
def test_words_that_may_change_an_order_are_asked_about(line: str, order: str) -> None:
    assert str(meant(line)) == order


@pytest.mark.parametrize("words", [
    "I take it back", "strike that", "erase that", "I revoke", "I withdraw", "that was a typo", "disregard",
    "jk",
    "on second thought", "on second thoughts", "this is a test", "annulla",
    "vielleicht", "peut-être", "quizás", "forse", "misschien", "hypothetically", "undecided",
    "thinking about it",
    "still thinking", "probably", "guess?",
    "as soon as Ben passed", "following Ben", "sofern Ben da ist", "at most", "max", "in the next round",
    "tomorrow",
    "later", "Anna said", "he wrote", "was yesterday", "says Ben",
])  # fmt: skip
def test_an_afterthought_behind_a_move_is_asked_about(words: str) -> None:
    assert {str(meant(f"BID 9{mark}{words}")) for mark in (", ", " - ", "! ", ". ")} == {"BID 9"}


@pytest.mark.parametrize("line", [
    "bid 9, haha", "PASS, thanks", "bid 9, have a nice evening everyone", "pass - this is fun",
    "PASS, that was quick",
])  # fmt: skip
def test_small_talk_behind_a_move_changes_nothing(line: str) -> None:
    assert isinstance(read_line(line), Order)


@pytest.mark.parametrize(
    "line",
    [
        "bid 9, nope",
        "bid 9, nein",
        "bid 9, nee",
        "Bid 11, not now",
        "play 8, don't wait for me",
        "BID 5, never mind",
    ],
)
def test_a_negation_behind_an_order_suggests_nothing(line: str) -> None:
    assert read_line(line) == Misread("ambiguous", "order/unclear")


@pytest.mark.parametrize(("line", "moves"), [
    ("PASS and BID 5", ["PASS", "BID 5"]), ("BID 7 BID 8", ["BID 7", "BID 8"]),
    ("PASS; BID 5", ["PASS", "BID 5"]),
    ("BID 7. Sorry, I meant bid eight", ["BID 7", "BID 8"]), ("PLAY 8, then bid 2", ["PLAY 8", "BID 2"]),
    ("pass or bid 5", ["PASS", "BID 5"]), ("bid 5 or 6 or so", []),
    ("play the rabbit, not play -8", ["PLAY RABBIT", "PLAY -8"]),
])  # fmt: skip
def test_two_moves_on_one_line_are_told_and_not_chosen_from(line: str, moves: list[str]) -> None:
    read = read_line(line)
    assert isinstance(read, Misread)
    assert (list(map(str, read.choices)), read.meant) == (moves, None) or not moves


@pytest.mark.parametrize(("line", "order"), [
    ("~~BID 7~~ BID 8", "BID 8"), ("BID ~~7~~ 8", "BID 8"), ("~~BID 7 BID 8", "None"),
    ("B\u0336I\u0336D\u0336 \u03367\u0336 BID 8", "BID 8"),
    ("~~BID 7~~", "None"), ("P\u0335A\u0335S\u0335S\u0335", "None"), ("~~~~BID 8", "BID 8"),
])  # fmt: skip
def test_what_is_struck_out_is_not_read_and_what_is_left_is_asked_about(line: str, order: str) -> None:
    assert str(meant(line)) == order


def test_words_for_the_others_may_be_struck_out() -> None:
    assert str(read_line("SAY ~~hello~~ goodbye")) == "SAY ~~hello~~ goodbye"


@pytest.mark.parametrize(
    "line", ["pass the salt, please", "play along, folks", "I play 8 days a week", "passing by"]
)
def test_plain_language_that_begins_like_a_move_suggests_no_move_with_words(line: str) -> None:
    read = read_line(line)
    assert isinstance(read, Misread)
    assert (read.code, read.meant) != ("order/did_you_mean", Order("PLAY", card=8))


# ---- where the reading failed -----------------------------------------------------------------------
@pytest.mark.parametrize(("line", "column", "expected"), [
    ("BID", 4, "number"), ("BID five6", 9, "end"), ("BID x", 5, "number"), ("* BID  5 6", 6, "end"),
    ("bid5", 4, "number"), ("PLAY", 5, "card"), ("PLAY 7", 6, "card"), ("PLAY the 16", 10, "card"),
    ("PLAY 5 8", 7, "end"), ("PASS on", 5, "end"), ("hello", 1, "order"), ("", 1, "order"),
    ("I pass this time", 1, "order"),
])  # fmt: skip
def test_a_misreading_tells_where_it_failed_and_what_should_stand_there(
    line: str, column: int, expected: str
) -> None:
    read = read_line(line)
    assert isinstance(read, Misread)
    assert (read.column, read.expected) == (column, EXPECTED[expected])


@given(st.text() | near_sentences)
def test_the_place_of_a_misreading_is_within_the_line_or_right_behind_it(line: str) -> None:
    read = read_line(line)
    if isinstance(read, Misread):
        assert read.column is not None
        assert 1 <= read.column <= len(clean(line)) + 1
        assert read.expected in EXPECTED.values()


# ---- several orders, numbers alone ------------------------------------------------------------------
@pytest.mark.parametrize(
    "line", ["bid 5 or 6", "pass or bid 5", "play 8 or 11", "play rabbit or large dog", "5 or 6"]
)
def test_several_orders_are_not_chosen_from(line: str) -> None:
    assert read_line(line) == Misread("ambiguous", "order/which_one")


@pytest.mark.parametrize("number", sorted(card for card in PET_CARDS if isinstance(card, int) and card > 0))
def test_a_number_that_may_be_a_bid_or_a_card_is_neither(number: int) -> None:
    read = read_line(str(number))
    assert read == Misread("ambiguous", "order/bid_or_play", {"number": str(number)})
    assert str(read) == f"Do you mean BID {number} or PLAY {number}? Write the one you mean."


@pytest.mark.parametrize(("line", "order"), [
    ("12", "BID 12"), ("5 mice", "BID 5"), ("108", "BID 108"), ("-8", "PLAY -8"), ("0", "PLAY RABBIT"),
    ("bunny", "PLAY RABBIT"), ("the rabbit", "PLAY RABBIT"), ("109", "None"),
    ("2024", "None"), ("-3", "None"), ("0 mice", "None"),
])  # fmt: skip
def test_a_number_or_a_card_alone_is_asked_about_where_it_can_mean_one_thing(line: str, order: str) -> None:
    assert str(meant(line)) == order


# ---- lines that a mail program has wrapped ----------------------------------------------------------
@pytest.mark.parametrize("line", [
    "IF NO DOG SHOWS", "then pass", "Until 8", "ALL", "* and bid 5", "On Friday", "\u00a0IF, so",
    "*THEN PASS*", "ＩＦ so",
])  # fmt: skip
def test_a_line_that_belongs_to_the_one_before_it(line: str) -> None:
    assert continues(clean(line))


@pytest.mark.parametrize("line", [
    "", "PASS", "iffy", "all-in", "and/or", "onwards", "> IF", "BID 5 IF", "\u0131f so", "1 IF", "-",
])  # fmt: skip
def test_a_line_that_stands_for_itself(line: str) -> None:
    assert not continues(clean(line))


# ---- how it is built --------------------------------------------------------------------------------
def test_the_help_of_the_command_line_needs_no_parser() -> None:
    code = "import sys, felix_cli.main; sys.exit('lark' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False, timeout=60).returncode == 0


def test_the_grammar_names_no_word_itself() -> None:
    """Comments aside: another language is another table of words."""
    rules = (ROOT / "felix_async/language/grammar.lark").read_text("utf-8")
    assert not re.search(r'"|/[^/]', re.sub(r"//.*", "", rules))


def test_the_parser_is_made_once() -> None:
    assert parser() is parser()


@pytest.mark.slow
def test_the_grammar_is_in_the_wheel(tmp_path: Path) -> None:
    build = (
        "import sys; from hatchling.builders.wheel import WheelBuilder; "
        "print(*WheelBuilder(sys.argv[1]).build(directory=sys.argv[2]))"
    )
    run = subprocess.run(
        [sys.executable, "-c", build, str(ROOT), str(tmp_path)],
        check=True,
        capture_output=True,
        text=True,
        timeout=120,
    )
    with zipfile.ZipFile(run.stdout.split()[-1]) as wheel:
        assert "felix_async/language/grammar.lark" in wheel.namelist()
