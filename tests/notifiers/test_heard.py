"""Answers to plain language: what they say, what can be tapped in them, and what they leave out."""

from __future__ import annotations

import re
from typing import Any

import pytest

from felix_async.clock import later
from felix_async.follow_up.answer import Answer
from felix_async.game.folding import fold
from felix_async.game.views import view
from felix_async.language.grammar import Misread, Order, read_line
from felix_async.meaning.meaning import meaning_of
from felix_async.meaning.situation import situation_of
from felix_notifiers.content.answered import Answered
from felix_notifiers.content.answers import Answers, Question
from felix_notifiers.content.block import Block
from felix_notifiers.mails.game import mail_of
from gallery.heard import NOW, answered, heard, said, taken
from notifiers.sections import all_in, the
from notifiers.sheets import Html, an_answer, changed, compose, mail
from table import ANNA, BEN, Table, a_game, a_hosted_invitation, an_invitation

TAKEN = taken("4 for me", "BID 4", "BID 5", "PASS", "WAIT")
AT_ONCE = taken("4 for me", "BID 4", pause=0)
ASKED = ("asked: two cards", "asked: a condition", "asked: too high", "asked: not in hand", "asked: a limit")


def bodies(name: str) -> list[str]:
    """What can be tapped in the mail of that name."""
    return [link.body for link in Html(compose(heard()[name]).html).links]


def text(answer: Answer, **fields: Any) -> str:
    """The text part of an answer to Ben, who is asked for more than 3 mice."""
    occasion = changed(heard()["taken"], answer=answer, **fields)
    return " ".join(compose(occasion).text.split())


# ---- what was taken ---------------------------------------------------------------------------------
def test_what_was_taken_says_as_what_and_when_it_is_done() -> None:
    assert "I took this as BID 4. I'll do it in 2 minutes. Not meant?" in text(TAKEN)


def test_every_way_out_of_what_was_taken_is_a_tap() -> None:
    assert bodies("taken") == ["BID 5", "PASS", "WAIT"]


def test_what_was_taken_is_no_longer_asked_for() -> None:
    assert not the(mail_of(heard()["taken"]), Answers).options
    assert "It is your turn" not in text(TAKEN)


def test_what_was_done_at_once_is_told_without_a_way_out() -> None:
    told = text(AT_ONCE)
    assert "I took this as BID 4." in told
    assert "Not meant?" not in told
    assert "I'll do it" not in told


@pytest.mark.parametrize(("pause", "zone", "when"), [
    (59, "UTC", "in a moment"), (60, "UTC", "in 1 minute"),
    (61, "UTC", "in 2 minutes"), (600, "UTC", "in 10 minutes"), (3600, "UTC", "at 17:40 UTC"),
    (3600, "Europe/Berlin", "at 18:40 CET (UTC+1)"), (86400, "UTC", "at Mon 23 Nov, 16:40 UTC"),
])  # fmt: skip
def test_a_pause_is_a_length_of_time_or_a_time_of_day(pause: int, zone: str, when: str) -> None:
    assert f"I'll do it {when}." in text(taken("4", "BID 4", "WAIT", pause=pause), zone=zone)


def test_of_a_pause_that_is_over_no_time_is_told() -> None:
    assert "I'll do it" not in text(TAKEN, now=later(NOW, 121))


def test_what_waits_is_told_to_who_was_not_understood_meanwhile() -> None:
    told = compose(heard()["not understood, while something waits"]).text
    assert "BID 4 still waits. I'll do it in 2 minutes." in told
    assert bodies("not understood, while something waits") == ["WAIT"]


def test_of_two_that_were_taken_in_one_letter_the_newer_one_waits() -> None:
    older = TAKEN.model_copy(update={"asks": 1})
    newer = taken("no, make it 5", "BID 5", "BID 4", "WAIT").model_copy(update={"asks": 2})
    both = Answer.folded([older, newer])
    section = mail_of(changed(heard()["taken"], answer=both))
    assert the(section, Question).told == "I took this as BID 5."
    assert [option.order for option in the(section, Question).options] == ["BID 4", "WAIT"]
    assert [one.line for one in the(section, Answered).lines] == ["4 for me"]


def test_what_came_to_nothing_is_told_with_what_is_possible() -> None:
    assert bodies("taken, and taken back") == ["BID 4", "BID 5", "PASS"]
    assert "I didn't do PLAY 8 after all." in compose(heard()["taken, dropped as the game moved on"]).text


# ---- what felix asks --------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ASKED)
def test_a_question_offers_two_to_four_answers_and_no_list_of_all(name: str) -> None:
    answer = heard()[name].answer
    assert answer is not None
    assert bodies(name) == answer.offers
    assert 2 <= len(answer.offers) <= 4
    assert not the(mail_of(heard()[name]), Answers).options


@pytest.mark.parametrize("name", ASKED)
def test_the_words_that_are_asked_about_are_told_once(name: str) -> None:
    answer = heard()[name].answer
    assert answer is not None
    assert compose(heard()[name]).text.count(f'"{answer.lines[0].text}"') == 1
    assert all_in(mail_of(heard()[name]), Answered) == []


def test_a_question_for_a_yes_offers_yes_and_no_alone() -> None:
    asks = an_answer(("psas", "asked", "Did you mean PASS?"))
    asks = asks.model_copy(update={"asks": 2, "asks_text": "Did you mean PASS?"})
    composed = mail(a_game(start=ANNA).in_auction(top_bid=3, by=ANNA), BEN, {"answer"}, answer=asks)
    assert [link.body for link in Html(composed.html).links] == ["YES", "NO"]
    assert composed.text.count("Did you mean PASS?") == 1


def test_what_was_taken_back_for_a_question_is_told_with_it() -> None:
    asked = said("or 5?", "asked", doubt="several", offers=["BID 4", "BID 5"])
    undone = said("", "done", order="BID 4")
    told = text(asked.model_copy(update={"lines": [*undone.lines, *asked.lines]}))
    assert "OK, I won't do BID 4. Which one?" in told
    assert told.count("BID 4") == 2


# ---- what was not understood, or is not possible ----------------------------------------------------
def test_who_was_not_understood_once_gets_what_their_words_are_near_to() -> None:
    assert bodies("not understood once") == ["PASS", "BID 4"]


def test_who_was_not_understood_twice_gets_all_that_is_possible_the_likeliest_first_and_help() -> None:
    assert bodies("not understood twice") == ["PASS", "BID 4", "BID 5", "BID 6", "HELP"]
    assert the(mail_of(heard()["not understood twice"]), Question).is_big


def test_who_need_not_answer_gets_what_always_works() -> None:
    waiting = a_game(start=ANNA).in_round(3).in_auction()
    answer = said("lovely weather", "not understood", tries=1)
    links = Html(mail(waiting, BEN, {"answer"}, answer=answer).html).links
    assert [link.body for link in links] == ["STATUS", "HELP"]


@pytest.mark.parametrize(("name", "ways"), [
    ("refused: too low", ["BID 4", "PASS"]),
    ("refused: not in hand", ["PLAY 8", "PLAY 5", "PLAY RABBIT", "PLAY -5"]),
])  # fmt: skip
def test_what_is_not_possible_is_answered_with_what_is(name: str, ways: list[str]) -> None:
    assert bodies(name) == ways
    assert all_in(mail_of(heard()[name]), Answered) == []


@pytest.mark.parametrize("name", ["asked: not in hand", "refused: not in hand"])
def test_who_names_a_card_that_is_gone_sees_the_hand(name: str) -> None:
    assert "Your hand: −8, −5, rabbit, 5, 8, small dog\n" in compose(heard()[name]).text


# ---- talk, and wishes -------------------------------------------------------------------------------
def test_talk_is_one_tap_below_everything_else() -> None:
    section = mail_of(heard()["taken, talk is offered"])
    assert isinstance(section.sections[-1], Block)
    assert bodies("taken, talk is offered")[-1] == "SAY well played, Anna"


@pytest.mark.parametrize(("name", "first"), [
    ("only talk", ["SAY thanks everyone, great fun", "BID 4", "BID 5", "BID 6", "PASS"]),
    ("only talk, cards", ["SAY great fun!", "PLAY -8", "PLAY -5"]),
])  # fmt: skip
def test_a_mail_that_is_only_talk_is_offered_and_below_it_the_moves(name: str, first: list[str]) -> None:
    assert bodies(name)[: len(first)] == first
    told = compose(heard()[name]).text
    assert "Sorry" not in told
    assert told.index("Shall I pass this on") < told.index("It's still your turn to")


def test_talk_is_offered_below_the_moves_to_who_writes_so_again() -> None:
    again = said("great fun!", "not understood", tries=2, offers=["SAY great fun!"])
    offered = [link.body for link in Html(compose(changed(heard()["taken"], answer=again)).html).links]
    assert (offered[0], offered[-1]) == ("BID 4", "SAY great fun!")
    assert "It's still your turn to bid or pass. Reply with one of these:" in text(again)


def test_talk_while_something_waits_was_heard() -> None:
    lost = heard()["not understood, while something waits"].answer
    assert lost is not None
    told = text(lost.model_copy(update={"offers": ["SAY lovely weather"]}))
    assert told.index("BID 4 still waits.") < told.index('You wrote: "lovely weather"')
    assert "I didn't get that" not in told


def test_talk_of_who_is_not_asked_is_offered_alone() -> None:
    table = a_game(start=ANNA).in_round(5).in_auction(top_bid=3, by=BEN)
    answer = said("great fun!", "asked", offers=["SAY great fun!"])
    told = compose(answered(table, answer))
    assert [link.body for link in Html(told.html).links] == ["SAY great fun!"]


def test_how_talk_goes_is_told_once() -> None:
    assert compose(heard()["only talk"]).text.count("Shall I pass this on to the others?") == 1


def test_long_talk_is_tapped_whole_and_shown_short() -> None:
    composed = compose(heard()["taken, talk is long"])
    assert len(Html(composed.html).links[-1].body) > 200
    assert max(map(len, composed.text.splitlines())) <= 72


def test_words_that_felix_asks_about_are_not_offered_to_the_others() -> None:
    offers = ["PLAY 8", "PLAY 5", "SAY the 8 or the 5"]
    assert "SAY" not in text(said("the 8 or the 5", "asked", doubt="several", offers=offers))


# ---- subjects ---------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", heard())
def test_no_subject_names_a_move_or_is_one(name: str) -> None:
    subject = mail_of(heard()[name]).subject
    assert isinstance(read_line(subject), Misread)
    assert re.fullmatch("Round [1-9] · Thursday club", subject)


def test_an_answer_has_the_subject_of_the_round_whatever_it_answers() -> None:
    exact = an_answer(("BID 4", "done", "."), subject="Re: BID 4")
    assert mail_of(changed(heard()["taken"], answer=exact)).subject == "Round 5 · Thursday club"


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("taken", "Got it. Did I get you right? There is still time to say so."),
        ("asked: two cards", "I can't tell which of them you mean. Tap yours."),
        ("not understood once", "Sorry, I didn't get that. Tap what you mean."),
    ],
)
def test_the_first_line_says_how_it_went_and_repeats_no_word(name: str, line: str) -> None:
    assert mail_of(heard()[name]).glance.preview == line


# ---- the mail that asks -----------------------------------------------------------------------------
@pytest.mark.parametrize(("table", "words"), [
    (a_game(start=BEN).in_round(1), '("the 3")'),
    (a_game(start=BEN).in_round(2), '("the 3")'),
    (a_game(start=ANNA).in_auction(top_bid=6, by=ANNA), '("7", "I\'m out")'),
    (a_game(start=ANNA).asking_all().with_mice({BEN: 3}).in_auction(top_bid=6, by=ANNA), '("I\'m out")'),
])  # fmt: skip
def test_a_mail_that_asks_invites_plain_words_that_would_answer_it(table: Any, words: str) -> None:
    composed = mail(table, BEN, {"turn"})
    assert f"in your own words {words}:" in " ".join(composed.text.split())
    asked = situation_of(view(table.game if isinstance(table, Table) else table, BEN))
    meant = [meaning_of([example], asked).do for example in re.findall('"([^"]+)"', words)]
    assert [order for order in meant if order not in asked.possible] == []


def test_an_invitation_invites_plain_words_that_would_answer_it() -> None:
    game = fold(an_invitation(4, [ANNA]))
    assert 'just reply "I\'m in".' in Html(mail(game, BEN, {"invitation"}).html).words
    assert meaning_of(["I'm in"], situation_of(view(game, BEN))).do == Order("JOIN")


@pytest.mark.parametrize(("seat", "offered"), [(ANNA, ["JOIN"]), (BEN, ["DECLINE", "JOIN"])])
def test_a_host_who_hesitates_is_not_offered_what_a_host_may_not_do(seat: int, offered: list[str]) -> None:
    unsure = said("maybe not", "asked", doubt="hesitation", offers=["DECLINE", "JOIN"])
    letter = mail(fold(a_hosted_invitation(4)), seat, {"answer"}, answer=unsure)
    assert [link.body for link in Html(letter.html).links] == offered


def test_what_was_refused_is_the_first_line_of_what_was_done_beside_it() -> None:
    partly = an_answer(
        ("SAY hi", "done", "Passed on."), ("13 and next 5", "refused", "The 5 is not in your hand.")
    )
    assert mail(a_game(start=ANNA).in_round(4), BEN, {"answer"}, answer=partly).text.startswith(
        "Not all of that worked."
    )
