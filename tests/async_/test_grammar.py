"""A line of a mail as an order: what people write, and what is not guessed at."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from each import each
from felix_async.game.cards import PET_CARDS
from felix_async.game.commands import Bid, Pass, Play
from felix_async.language.grammar import MAX_WORDS, Misread, Order, clean, read_line
from felix_async.language.words import HELP, MISUNDERSTOOD, MOVES, QUESTIONS, REPLIES, WORD_OF
from felix_events.model import Card

ALONE = ("PASS", "DECLINE", "START", "CANCEL", "REMATCH", "STOP", "RESIGN", *QUESTIONS, *REPLIES)


def code(line: str) -> str:
    read = read_line(line)
    assert isinstance(read, Misread)
    return read.code


# ---- the orders -------------------------------------------------------------------------------------

CARDS: list[tuple[str, Card]] = [
    ("-8", -8), ("-5", -5), ("0", 0), ("3", 3), ("5", 5), ("8", 8), ("11", 11), ("15", 15),
    ("rabbit", 0), ("bunny", 0), ("large dog", "large_dog"), ("big dog", "large_dog"), ("large", "large_dog"),
    ("big", "large_dog"), ("small dog", "small_dog"), ("small", "small_dog"), ("little dog", "small_dog"),
    ("+11", 11), ("+ 3", 3), ("plus 15", 15), ("minus 8", -8), ("minus 5", -5), ("- 8", -8), ("-0", 0),
    ("008", 8),
]  # fmt: skip


@each(("words", "card"), CARDS)
def test_a_card_as_people_write_it(words: str, card: Card) -> None:
    assert read_line(f"PLAY {words}") == Order("PLAY", card=card)
    assert read_line(f"play {words.upper()}") == Order("PLAY", card=card)


def test_every_card_can_be_named() -> None:
    assert {card for _, card in CARDS} == {*PET_CARDS}


@pytest.mark.parametrize("words", [
    "1", "-3", "-11", "16", "150", "cat", "dogs", "rabbits", "5 8", "5.0", "8,11", "1e1", "0x8",
    "--8", "+-8", "large cat", "mouse",
])  # fmt: skip
def test_a_card_that_does_not_exist(words: str) -> None:
    assert code(f"PLAY {words}") == "order/no_card_like_that"


def test_play_alone_names_no_card() -> None:
    assert code("PLAY") == "order/no_card"


def test_a_dog_without_a_size_might_be_either() -> None:
    read = read_line("PLAY dog")
    assert isinstance(read, Misread)
    assert (read.kind, read.code) == ("ambiguous", "order/which_dog")


@pytest.mark.parametrize(("words", "amount"), [
    ("5", 5), ("0", 0), ("12", 12), ("+4", 4), ("-3", -3), ("007", 7), ("999999999", 999999999),
])  # fmt: skip
def test_a_bid_is_a_whole_number(words: str, amount: int) -> None:
    """Whether it is enough, or too much, the rules say."""
    assert read_line(f"BID {words}") == Order("BID", amount=amount)


@pytest.mark.parametrize("words", [
    "", "5.5", "5,5", "1e3", "5 6", "0x5", "½", "1½", "1000000000", "9" * 5000, "٥", "५",
    "V", "IV", "+", "-",
])  # fmt: skip
def test_a_bid_that_is_no_whole_number(words: str) -> None:
    """Digits of other scripts are no numbers here either."""
    assert code(f"BID {words}") == "order/no_amount"


@pytest.mark.parametrize("word", ALONE)
def test_an_order_that_stands_alone(word: str) -> None:
    assert read_line(word) == read_line(word.lower()) == read_line(word.capitalize()) == Order(word)


@pytest.mark.parametrize("word", ALONE)
def test_an_order_that_does_not_stand_alone_is_not_guessed_at(word: str) -> None:
    read = read_line(f"{word} on this")
    assert read == Misread("not understood", "order/too_much", {"word": word})
    assert str(read) == f"{word} stands alone on its line."


def test_a_join_takes_the_rest_of_its_line() -> None:
    assert read_line("join  Miau, says the cat") == Order("JOIN", text="Miau, says the cat")
    assert read_line("JOIN") == Order("JOIN", text="")


def test_a_join_has_a_limit() -> None:
    read = read_line("JOIN " + "x" * 1000)
    assert isinstance(read, Order)
    assert read.text == "x" * MAX_WORDS


@pytest.mark.parametrize("line", [
    "", " ", "hello", "PASSED", "> PASS", ">PASS", "| BID 5", "/PASS", "Re: PASS",
    "P A S S", "\x00", "\ud800",
])  # fmt: skip
def test_a_line_that_is_no_order(line: str) -> None:
    assert code(line) == "order/unknown"


# ---- what mail programs do to a line ----------------------------------------------------------------
@pytest.mark.parametrize("dash", ["-", "−", "–", "—", "‐", "‑", "‒", "﹣", "－"])
def test_any_dash_before_a_number_is_a_minus(dash: str) -> None:
    assert read_line(f"PLAY {dash}8") == Order("PLAY", card=-8)


@pytest.mark.parametrize("bullet", ["* ", "• ", "· ", "‣ ", "◦ ", "- ", "– ", "*   ", "•\t"])
def test_a_bullet_is_forgiven(bullet: str) -> None:
    assert read_line(f"{bullet}PLAY -8") == Order("PLAY", card=-8)


@pytest.mark.parametrize("line", ["*BID 5*", "**BID 5**", "_BID 5_", "`BID 5`", "***BID 5***", "* *BID 5*"])
def test_bold_and_its_like_are_forgiven(line: str) -> None:
    assert read_line(line) == Order("BID", amount=5)


def test_bold_that_ends_elsewhere_is_not_guessed_at() -> None:
    assert code("*BID* 5") == "order/unknown"
    assert code("**BID 5*") == "order/unknown"


@pytest.mark.parametrize("end", [".", ",", "!", "!!!", "...", " .", ". "])
def test_a_full_stop_at_the_end_is_forgiven(end: str) -> None:
    assert read_line(f"PASS{end}") == Order("PASS")
    assert read_line(f"BID 5{end}") == Order("BID", amount=5)
    assert read_line(f"PLAY large dog{end}") == Order("PLAY", card="large_dog")


@pytest.mark.parametrize("noise", "\ufeff\u200b\u200c\u200d\u2060\u00ad\u200e\u200f")
def test_what_cannot_be_seen_is_not_read(noise: str) -> None:
    assert read_line(f"{noise}BI{noise}D{noise} 5{noise}") == Order("BID", amount=5)


@pytest.mark.parametrize("blank", ["\u00a0", "\u2009", "\u3000", "\t", "   ", " \u00a0 "])
def test_any_blank_is_a_blank(blank: str) -> None:
    assert read_line(f"{blank}PLAY{blank}large{blank}dog{blank}") == Order("PLAY", card="large_dog")


def test_wide_letters_and_digits_are_read() -> None:
    """They are what some keyboards write (NFKC)."""
    assert read_line("ＢＩＤ　１２") == Order("BID", amount=12)


@given(st.text())
def test_a_clean_line_is_one_line_without_odd_blanks(line: str) -> None:
    assert clean(line) == " ".join(clean(line).split())


# ---- there and back ---------------------------------------------------------------------------------

orders = (
    st.builds(Order, st.just("PLAY"), card=st.sampled_from(PET_CARDS))
    | st.builds(Order, st.just("BID"), amount=st.integers(-999_999_999, 999_999_999))
    | st.builds(Order, st.sampled_from(ALONE))
)
lines = st.text() | st.builds(
    "{}{}{}{}".format, st.sampled_from(["", "* ", "**", "> "]), st.sampled_from([*WORD_OF, "pass", "Bid"]),
    st.text(" -+*_.,!0123456789", max_size=6), st.text(max_size=8),
)  # fmt: skip


@given(orders)
def test_an_order_reads_back_as_it_is_told(order: Order) -> None:
    assert read_line(str(order)) == order
    assert str(order).isascii()


@example("HOST . .")
@given(lines)
def test_no_line_raises_and_whatever_was_read_reads_back_the_same(line: str) -> None:
    read = read_line(line)
    if isinstance(read, Order):
        assert read_line(str(read)) == read
    else:
        assert str(read) == MISUNDERSTOOD[read.code].format(**read.details)


def test_words_of_a_join_that_are_cut_at_a_full_stop_read_back_the_same() -> None:
    read = read_line("JOIN " + "x" * (MAX_WORDS - 1) + ". And more")
    assert read_line(str(read)) == read


@pytest.mark.parametrize(("order", "text"), [
    (Order("PLAY", card=-8), "PLAY -8"),
    (Order("PLAY", card=0), "PLAY RABBIT"),
    (Order("PLAY", card="large_dog"), "PLAY LARGE DOG"),
    (Order("BID", amount=0), "BID 0"),
    (Order("PASS"), "PASS"),
    (Order("JOIN", text="miau"), "JOIN miau"),
    (Order("JOIN"), "JOIN"),
])  # fmt: skip
def test_an_order_as_it_is_repeated(order: Order, text: str) -> None:
    assert str(order) == text


# ---- orders and commands ----------------------------------------------------------------------------
@pytest.mark.parametrize(("order", "command"), [
    (Order("PLAY", card=0), Play(seat=2, card=0)),
    (Order("PLAY", card="small_dog"), Play(seat=2, card="small_dog")),
    (Order("BID", amount=0), Bid(seat=2, amount=0)),
    (Order("PASS"), Pass(seat=2)),
])  # fmt: skip
def test_a_moving_order_is_a_command_of_its_seat(order: Order, command: Play | Bid | Pass) -> None:
    assert order.move(2) == command


@each("word", [word for word in WORD_OF if word not in MOVES])
def test_other_orders_move_nothing(word: str) -> None:
    assert Order(word).move(2) is None


# ---- words ------------------------------------------------------------------------------------------
def test_every_example_in_the_help_is_an_order() -> None:
    for line in HELP.splitlines():
        if line.startswith("  "):
            example = line.strip().split("  ")[0]
            assert isinstance(read_line(example), Order), example
