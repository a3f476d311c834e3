"""The table of decisions: exact orders, and what the writer's own words mean beside them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from felix_async.follow_up.answer import Answer
from felix_async.inbox.decide import step_of
from felix_async.inbox.likely import instead_of, likely
from felix_async.meaning.meaning import Doubt, Meaning
from felix_async.meaning.situation import Situation
from felix_events.envelope import MAX_SAYING
from inbox.meaning_of_tests import Reader, a_reader, order, orders
from inbox.postbag import Postbag, a_first_round, a_table, an_auction
from inbox.taking import states, waiting

BIDS = orders("BID 1", "BID 2", "PASS")
TEXTS = {
    "bunny mice": Meaning(do=order("BID 3")),
    "BID 1\nlol 3": Meaning(do=order("BID 3")),
    "BID 1\nmine": Meaning(do=order("BID 1")),
    "BID 1\nhmm?": Meaning(ask=BIDS, doubt="taken back"),
    "BID 99\nwow": Meaning(ask=BIDS, doubt="too high"),
    "one or two": Meaning(ask=BIDS, doubt="several"),
    "one, I guess": Meaning(ask=orders("BID 1"), doubt="hesitation"),
    "sure thing": Meaning(reply="YES"),
    "nah": Meaning(reply="NO"),
    "hold your mice": Meaning(reply="UNDO"),
    "nine tops": Meaning(do=order("UP TO 9")),
    "three, and a card then": Meaning(do=order("BID 3, NEXT 8")),
    "who has what?": Meaning(info=("mice", "rules/row")),
    "three. who has what?": Meaning(do=order("BID 3"), info=("mice",)),
    "PASS\nwho has what?": Meaning(do=order("PASS"), info=("mice",)),
    "tell them: woof": Meaning(say=("woof",)),
    "three, you bandits": Meaning(do=order("BID 3"), talk="you bandits"),
    "nice evening": Meaning(talk="nice evening"),
    "a novel": Meaning(talk="x" * (MAX_SAYING + 1)),
    "markup": Meaning(do=order("BID 3"), talk="<b>woof</b>"),
    "HAND\nbunny mice": Meaning(),
    "the first": Meaning(do=order("BID 1")),
    "too much": Meaning(do=order("BID 99")),
    "I'm in!": Meaning(do=order("JOIN")),
}


@pytest.fixture(autouse=True)
def reader(monkeypatch: pytest.MonkeyPatch) -> Reader:
    """What the texts of this file mean."""
    return a_reader(monkeypatch, TEXTS)


@pytest.fixture
def bag() -> Postbag:
    """Four in the auction of the first round."""
    return an_auction()


def said(answer: Answer) -> list[tuple[str, str]]:
    return [(line.verdict, line.order or line.code) for line in answer.lines]


# ---- the table itself -----------------------------------------------------------------------------------
@pytest.mark.parametrize(("exact", "meaning", "sure", "step"), [
    ([], Meaning(), True, "lines"),
    (["BID 1"], Meaning(), True, "lines"),
    (["BID 1"], Meaning(do=order("BID 1")), True, "lines"),
    (["BID 1"], Meaning(do=order("BID 1")), False, "lines"),
    (["BID 1"], Meaning(do=order("PASS")), True, "take"),
    (["BID 1"], Meaning(do=order("PASS")), False, "ask"),
    (["BID 1"], Meaning(ask=BIDS, doubt="several"), True, "ask"),
    (["BID 1"], Meaning(doubt="unclear"), True, "ask"),
    *((["BID 1"], Meaning(ask=BIDS, doubt=doubt), True, "lines")
      for doubt in ("not in hand", "too low", "too high", "other decision")),
    ([], Meaning(ask=BIDS, doubt="too low"), True, "ask"),
    (["PLAY 5"], Meaning(do=order("BID 1")), True, "ask"),
    (["PASS"], Meaning(do=order("PLAY 5")), True, "ask"),
    ([], Meaning(do=order("BID 1")), True, "take"),
    ([], Meaning(do=order("BID 1")), False, "ask"),
    ([], Meaning(reply="YES"), True, "reply"),
    ([], Meaning(reply="UNDO"), True, "reply"),
    (["BID 1"], Meaning(reply="UNDO"), True, "ask"),
    (["YES"], Meaning(reply="YES"), True, "lines"),
    (["YES"], Meaning(reply="NO"), True, "ask"),
    (["YES"], Meaning(do=order("BID 2")), True, "lines"),
    (["YES"], Meaning(do=order("BID 1")), True, "take"),
    (["YES"], Meaning(do=order("JOIN")), True, "lines"),
    (["NO"], Meaning(do=order("DECLINE")), True, "lines"),
    (["JOIN for luck"], Meaning(do=order("JOIN")), True, "lines"),
    ([], Meaning(talk="woof", info=("hand",)), True, "lines"),
    ([], Meaning(do=order("UP TO 9")), True, "take"),
    (["BID 1"], Meaning(do=order("BID 1, NEXT 8")), True, "take"),
    (["BID 1", "PLAY 5"], Meaning(do=order("BID 1, NEXT 5")), True, "lines"),
    # Beside an answer to what is open, no other move is looked for.
    ([], Meaning(ask=BIDS, doubt="unclear", reply="YES"), True, "reply"),
    ([], Meaning(ask=BIDS, doubt="condition", reply="YES"), True, "reply"),
    ([], Meaning(ask=BIDS, doubt="several", reply="YES"), True, "ask"),
    (["YES"], Meaning(ask=BIDS, doubt="condition", reply="YES"), True, "lines"),
    (["YES"], Meaning(ask=BIDS, doubt="unclear", reply="NO"), True, "ask"),
])  # fmt: skip
def test_the_exact_orders_and_the_meaning_make_one_step(
    exact: list[str], meaning: Meaning, sure: bool, step: str
) -> None:
    assert step_of([*orders(*exact)], meaning, order("BID 2"), is_sure=sure) == step


def test_a_yes_and_a_condition_without_a_move_are_no_yes() -> None:
    meaning = Meaning(ask=BIDS, doubt="unclear", reply="YES")
    assert step_of([], meaning, order("BID 2"), is_sure=True, is_plain=False) == "ask"


@pytest.mark.parametrize("doubt", ["unclear", "condition", "several"])
def test_a_yes_to_what_is_for_good_goes_by_its_own_rule(doubt: Doubt) -> None:
    meaning = Meaning(ask=BIDS, doubt=doubt, reply="YES")
    assert step_of(orders("YES"), meaning, order("RESIGN"), is_sure=True) == "lines"


def test_a_yes_with_nothing_open_is_refused_as_such() -> None:
    meaning = Meaning(ask=BIDS, doubt="unclear", reply="YES")
    assert step_of(orders("YES"), meaning, None, is_sure=True) == "lines"


# ---- one move -------------------------------------------------------------------------------------------
def test_a_move_in_plain_words_is_taken(bag: Postbag) -> None:
    size, seat = bag.size, bag.to_move
    answer = bag.send(seat, "bunny mice")
    assert (said(answer), bag.size) == ([("taken", "BID 3")], size)
    assert [one.text for one in waiting(bag, seat)] == ["BID 3"]


def test_beside_what_was_taken_other_moves_are_offered_and_a_way_back(bag: Postbag) -> None:
    assert bag.send(bag.to_move, "bunny mice").offers == ["BID 4", "PASS", "WAIT"]


def test_an_exact_move_with_nothing_against_it_is_done_at_once(bag: Postbag) -> None:
    assert bag.send(bag.to_move, "BID 1\nmine").lines[0].verdict == "done"
    assert bag.game.high_bid == 1


def test_a_correction_below_an_exact_move_is_taken_instead(bag: Postbag) -> None:
    answer = bag.send(bag.to_move, "BID 1\nlol 3")
    assert (said(answer), bag.game.high_bid) == ([("taken", "BID 3")], 0)


def test_an_exact_move_that_may_be_taken_back_is_asked_about(bag: Postbag) -> None:
    answer = bag.send(bag.to_move, "BID 1\nhmm?")
    assert (said(answer), bag.game.high_bid, answer.offers) == ([("asked", "")], 0, [*map(str, BIDS)])
    assert answer.doubt == "taken back"


def test_what_the_rules_refuse_is_refused_with_what_is_possible(bag: Postbag) -> None:
    answer = bag.send(bag.to_move, "BID 99\nwow")
    assert (said(answer), answer.offers) == ([("refused", "bid/above_mice")], ["BID 15", "PASS"])


def test_what_would_be_refused_is_not_taken(bag: Postbag) -> None:
    answer = bag.send(bag.to_move, "too much")
    assert (said(answer), answer.offers) == ([("refused", "bid/above_mice")], ["BID 15", "PASS"])


def test_the_words_that_say_so_are_repeated(bag: Postbag, reader: Reader) -> None:
    text = "hello all\nmy bid is three mice today\ncheers to Ruth"
    reader.meanings[text] = Meaning(do=order("BID 3"), words=("three mice",))
    assert bag.send(bag.to_move, text).lines[0].text == "my bid is three mice today"


def test_an_invitation_is_answered_in_plain_words() -> None:
    bag = a_table()
    assert said(bag.send(0, "I'm in!")) == [("taken", "JOIN")]


def test_beside_another_order_a_move_in_plain_words_is_asked_about(bag: Postbag) -> None:
    answer = bag.send(bag.to_move, "NOTIFY ALL\nbunny mice")
    assert [line.verdict for line in answer.lines] == ["done", "asked"]
    assert waiting(bag, bag.to_move) == []


def test_a_mail_that_opens_a_table_means_nothing_else(bag: Postbag) -> None:
    answer = bag.send(bag.to_move, "NEW\nbunny mice")
    assert ("taken" in [line.verdict for line in answer.lines], waiting(bag, bag.to_move)) == (False, [])


def test_an_order_that_lacks_something_is_no_part_of_the_words(bag: Postbag, reader: Reader) -> None:
    bag.send(bag.to_move, "AWAY somewhere nice\nbunny mice")
    assert reader.read[-1][0] == ("bunny mice",)


def test_beside_an_exact_question_it_is_taken(bag: Postbag) -> None:
    answer = bag.send(bag.to_move, "HAND\nbunny mice")
    assert ([line.verdict for line in answer.lines], answer.show) == (["done", "taken"], ["hand"])


# ---- what is read ---------------------------------------------------------------------------------------
def test_only_the_writers_own_words_are_read(bag: Postbag, reader: Reader) -> None:
    bag.send(bag.to_move, "HAND\nbunny mice\nOn Monday felix wrote:\n> BID 7\n-- \nAnna")
    assert reader.read[-1][0] == ("bunny mice",)


def test_they_are_read_in_the_situation_of_the_seat(bag: Postbag, reader: Reader) -> None:
    bag.send(bag.to_move, "hm")
    situation = reader.read[-1][1]
    assert (situation.decision, situation.mice, len(situation.names)) == ("bidding", 15, 3)


def test_what_is_taken_is_the_question_that_waits(bag: Postbag, reader: Reader) -> None:
    bag.send(bag.to_move, "bunny mice")
    bag.send(bag.to_move, "hm")
    assert reader.read[-1][1].waiting == order("BID 3")


LONG = "> Please bid between one and fifteen mice, or pass, which brings you"


@pytest.mark.parametrize("text", [
    f"{LONG}\nbunny mice",
    "no idea yet\n\n> Bid 1 to 15 mice\n\nbunny mice",
    "Sent from my phone\n\nbunny mice",
])  # fmt: skip
def test_words_that_may_be_anothers_are_asked_about(bag: Postbag, reader: Reader, text: str) -> None:
    reader.meanings["no idea yet\nbunny mice"] = Meaning(do=order("BID 3"))
    answer = bag.send(bag.to_move, text)
    assert ([line.verdict for line in answer.lines], answer.asks_text != "") == (["asked"], True)


@pytest.mark.parametrize("text", [
    "> Bid 1 to 15 mice\n> or pass.\n\nbunny mice", "> Bid 1 to 15 mice\nbunny mice\n> or pass.",
    "bunny mice\n\nOn Monday felix wrote:\n> Bid 1 to 15 mice", f"{LONG}\n> the mice.\nbunny mice",
])  # fmt: skip
def test_words_above_or_below_or_between_quotes_are_taken(bag: Postbag, text: str) -> None:
    assert said(bag.send(bag.to_move, text)) == [("taken", "BID 3")]


@pytest.mark.parametrize("above", ["I do not want to", "If Ben goes on I", "Ben said:", "When do I write"])
def test_words_that_a_sentence_above_may_turn_are_not_taken(bag: Postbag, reader: Reader, above: str) -> None:
    reader.meanings[f"{above}\nbunny mice"] = Meaning(do=order("BID 3"))
    assert bag.send(bag.to_move, f"{above}\nbunny mice").lines[0].verdict == "asked"


def test_more_lines_than_are_read_are_never_enough(bag: Postbag, reader: Reader) -> None:
    reader.meanings["\n".join(["bla"] * 50)] = Meaning(do=order("BID 3"))
    assert bag.send(bag.to_move, "bla\n" * 60).lines[0].verdict == "asked"


# ---- asked ----------------------------------------------------------------------------------------------
def test_of_several_answers_the_writer_is_asked_which(bag: Postbag) -> None:
    answer = bag.send(bag.to_move, "one or two")
    assert (said(answer), answer.doubt, answer.asks) == ([("asked", "")], "several", 0)
    assert answer.offers == [*map(str, BIDS)]


def test_a_single_answer_is_asked_about_with_yes(bag: Postbag) -> None:
    answer = bag.send(bag.to_move, "one, I guess")
    assert (said(answer), answer.asks > 0) == ([("asked", "")], True)
    bag.reply(bag.to_move, "sure thing")
    assert bag.game.high_bid == 1


def test_what_was_taken_is_not_done_while_its_writer_is_asked_again(bag: Postbag) -> None:
    seat = bag.to_move
    bag.send(seat, "bunny mice")
    bag.send(seat, "one or two")
    assert (waiting(bag, seat), states(bag, seat)) == ([], [("BID 3", "no")])


def test_who_is_not_in_turn_yet_is_asked_and_taken_at_their_word(bag: Postbag) -> None:
    seat = (bag.to_move + 1) % 4
    assert said(bag.send(seat, "one or two")) == [("asked", "")]
    assert said(bag.send(seat, "the first")) == [("taken", "BID 1")]


def test_who_has_passed_is_told_so(bag: Postbag) -> None:
    seat = bag.to_move
    bag.send(seat, "PASS")
    assert said(bag.send(seat, "one or two")) == [("refused", "turn/already_passed")]
    assert said(bag.send(seat, "the first")) == [("refused", "turn/already_passed")]


# ---- the answer to what is open -------------------------------------------------------------------------
def test_yes_in_other_words_does_what_was_taken_at_once(bag: Postbag) -> None:
    seat = bag.to_move
    bag.send(seat, "bunny mice")
    bag.send(seat, "sure thing")
    assert (bag.game.high_bid, states(bag, seat)) == (3, [("BID 3", "yes")])


@pytest.mark.parametrize("text", ["nah", "hold your mice"])
def test_no_and_undo_in_other_words_drop_it(bag: Postbag, text: str) -> None:
    seat = bag.to_move
    bag.send(seat, "bunny mice")
    answer = bag.send(seat, text)
    assert (states(bag, seat), bag.game.high_bid) == ([("BID 3", "no")], 0)
    assert [line.verdict for line in answer.lines] == ["done"]
    assert answer.offers == ["BID 1", "BID 2", "PASS"]


def test_what_is_for_good_wants_the_word(bag: Postbag) -> None:
    seat = bag.to_move
    bag.send(seat, "RESIGN")
    answer = bag.reply(seat, "sure thing")
    assert ("word itself" in answer.lines[0].why, bag.game.seats[seat].gone) == (True, False)


def test_a_question_about_an_address_wants_the_word() -> None:
    bag = a_table()
    bag.bring("JOIN", bag.address(0), "anna.phone@elsewhere.test")
    bag.reply(0, "sure thing")
    assert [one.state for one in bag.asked(0, "sender")] == ["open"]


def test_undo_with_nothing_open_tells_what_can_be_taken_back(bag: Postbag) -> None:
    assert bag.send(bag.to_move, "hold your mice").show == ["undo"]


# ---- beside a move --------------------------------------------------------------------------------------
def test_questions_are_answered(bag: Postbag) -> None:
    answer = bag.send(bag.to_move, "who has what?")
    assert (said(answer), answer.show) == ([("done", "")], ["mice", "rules/row"])


def test_a_question_beside_a_move_is_answered_with_it(bag: Postbag) -> None:
    answer = bag.send(bag.to_move, "three. who has what?")
    assert (said(answer), answer.show) == ([("taken", "BID 3")], ["mice"])


def test_beside_an_exact_order_the_answer_to_a_question_speaks_for_itself(bag: Postbag) -> None:
    answer = bag.send(bag.to_move, "PASS\nwho has what?")
    assert ([line.text for line in answer.lines], answer.show) == (["PASS"], ["mice"])


def test_words_for_the_others_are_said(bag: Postbag) -> None:
    bag.send(0, "tell them: woof")
    assert [one.text for one in bag.look(lambda reader: reader.sayings(bag.game_id))] == ["woof"]


def test_talk_beside_a_move_is_offered_and_not_said(bag: Postbag) -> None:
    answer = bag.send(bag.to_move, "three, you bandits")
    assert (said(answer), answer.offers[-1]) == ([("taken", "BID 3")], "SAY you bandits")
    assert list(bag.look(lambda reader: reader.sayings(bag.game_id))) == []


@pytest.mark.parametrize("text", ["a novel", "markup"])
def test_what_could_not_be_said_is_not_offered(bag: Postbag, text: str) -> None:
    assert not any(offer.startswith("SAY") for offer in bag.send(bag.to_move, text).offers)


def test_talk_alone_is_offered_and_once_it_is_told_how_that_goes(bag: Postbag) -> None:
    seat = (bag.to_move + 1) % 4
    first, second = (bag.send(seat, "nice evening") for _ in range(2))
    assert (said(first), first.tries) == ([("asked", "")], 0)
    assert ("SAY nice evening" in first.offers, first.show, second.show) == (True, ["say"], [])


def test_a_limit_is_taken_and_the_bid_itself_offered(bag: Postbag) -> None:
    answer = bag.send(bag.to_move, "nine tops")
    assert (said(answer), answer.offers) == ([("taken", "UP TO 9")], ["BID 9", "PASS", "WAIT"])


def test_a_card_for_the_next_round_is_taken_beside_the_move(bag: Postbag) -> None:
    answer = bag.send(bag.to_move, "three, and a card then")
    assert said(answer) == [("taken", "BID 3, NEXT 8")]
    assert answer.offers == ["BID 3", "BID 4, NEXT 8", "WAIT"]


# ---- not understood -------------------------------------------------------------------------------------
def test_what_says_nothing_is_told_once_in_its_writers_words() -> None:
    bag = a_first_round()
    answer = bag.send(0, "hrmpf\nweather is fine")
    assert [(line.text, line.verdict) for line in answer.lines] == [
        ("hrmpf; weather is fine", "not understood")
    ]
    assert answer.tries == 1


def test_talk_on_ones_own_turn_counts_as_not_understood(bag: Postbag) -> None:
    assert [bag.send(bag.to_move, "nice evening").tries for _ in range(2)] == [1, 2]


def test_talk_while_others_are_asked_does_not(bag: Postbag) -> None:
    assert bag.send((bag.to_move + 1) % 4, "nice evening").tries == 0


def test_nothing_is_not_understood_beside_what_was_done(bag: Postbag) -> None:
    answer = bag.send(bag.to_move, "HAND\nhrmpf\nBID 1\nlovely")
    assert [line.verdict for line in answer.lines] == ["done", "done"]


# ---- the likeliest answers ------------------------------------------------------------------------------
@pytest.mark.parametrize(("situation", "taken", "offers"), [
    ("BIDDING", "BID 6", ("BID 7", "PASS")),
    ("BIDDING", "BID 12", ("BID 11", "PASS")),
    ("BIDDING", "PASS", ("BID 6", "BID 7")),
    ("PLACING", "PLAY 5", ("PLAY 3", "PLAY 8")),
])  # fmt: skip
def test_beside_what_was_taken_two_others_are_offered(
    situation: str, taken: str, offers: tuple[str, ...]
) -> None:
    now = {"BIDDING": BIDDING, "PLACING": PLACING}[situation]
    assert instead_of(now, order(taken)) == offers


PLACING = Situation("placing", plays=(-8, 3, 5, 8, 15, "small_dog"))
BIDDING = Situation("bidding", mice=12, high=5, least=6, most=12)


@pytest.mark.parametrize(("situation", "meant", "offers"), [
    (BIDDING, "BID 4", ("BID 6", "BID 7", "PASS")),
    (BIDDING, "BID 40", ("BID 12", "PASS")),
    (BIDDING, "PLAY 5", ("BID 6", "BID 7", "PASS")),
    (replace(BIDDING, least=12), "BID 4", ("BID 12", "PASS")),
    (replace(BIDDING, least=13), "BID 4", ("PASS",)),
    (PLACING, "PLAY 11", ("PLAY 8", "PLAY 15", "PLAY 5", "PLAY 3")),
    (PLACING, "PLAY -5", ("PLAY 5", "PLAY -8", "PLAY 3", "PLAY 8")),
    (PLACING, "PLAY LARGE DOG", ("PLAY SMALL DOG", "PLAY -8", "PLAY 3", "PLAY 5")),
    (Situation(""), "BID 4", ()),
])  # fmt: skip
def test_the_answers_next_to_the_one_that_was_meant_are_the_likeliest(
    situation: Situation, meant: str, offers: tuple[str, ...]
) -> None:
    assert likely(situation, order(meant)) == offers
