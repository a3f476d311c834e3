"""Wishes for a game that is over: which sentences ask to see it again, and which do not."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from each import each
from felix_async.meaning.meaning import Meaning, meaning_of
from felix_async.meaning.situation import Situation

OVER: Final = Situation("", names=("Ben", "Cara", "Dan"), is_over=True)
WISHES: Final = [
    "Can I watch it again?",
    "can I watch it again",
    "send me the replay please",
    "pls send me the replay",
    "show me the game",
    "Show me the game!",
    "I'd love to see the game again",
    "Could you send me the replay?",
    "Can you send the whole game?",
    "how do I watch the replay?",
    "Where is the replay?",
    "is there a replay?",
    "How do I open the replay?",
    "I want to watch the game again",
    "can I see the whole thing again?",
    "Let me watch that again!",
    "can I look at the game?",
    "send the game",
    "can we see how it went?",
    "watch again",
    "yes, show me the replay",
    "Could I see all the hands?",
    "Where can I see everybody's hands?",
    "I would like to have the file",
    "Can I have the game as a file?",
    "may I watch the game?",
    "Is there a way to watch the game again?",
    "please, can I see it once more",
    "well played everyone! can I watch it again?",
    "what a game! would love to see it all again",
    "Hi felix, show me the game please. Thanks, Anna",
    "Who bid what in round 2?",
    "who paid how much?",
    "who passed in round 3?",
]
RUNNING: Final = [
    "Can I watch it again?",
    "can I watch it again",
    "I want to watch the game again",
    "Is there a way to watch the game again?",
    "Let me watch that again!",
    "well played everyone! can I watch it again?",
    "watch again",
]
OF_ANOTHER: Final = [
    "show me the replay of our other game",
    "Can you send me the replay of the previous game?",
    "where is the recording of the game before?",
]
OTHERS: Final = [
    "again!",
    "another one?",
    "let's do it again",
    "can we play again?",
    "Can we have another game?",
    "I'd love to play again",
    "I'd like to replay this with the same people",
    "Great game! Let's replay it next week",
    "want a replay, same people?",
    "I would like to get a game going with my kids",
    "looking forward to the next game",
    "let me know when the game starts",
    "Thanks for the game, great fun.",
    "Thank you for showing me the game",
    "good game all, see you next time",
    "Nice game, can't wait to see you again!",
    "Can I see you again on Friday?",
    "what a show! I'd like to see all of you again",
    "Ben, did you watch the game last night?",
    "Ben, watch the replay!",
    "who said what?",
    "who did what in round 2?",
    "what did Ben bid in round 2?",
    "who will bid what next time?",
    "did you watch the match again?",
    "did you see that?!",
    "I watched the replay, wow",
    "The replay was great",
    "the replay shows that Ben bluffed",
    "I can't open the replay",
    "Don't send me the replay",
    "I don't want to see that again",
    "please never send me the game again",
    "Can you stop sending me this again and again?",
    "could you send it again?",
    "send me your last mail again",
    "can I show the game to my wife?",
    "Can I send the game to a friend?",
    "I would like to give the game to my sister",
    "I want to give the game a good review",
    "Where did it all go wrong?",
    "can you show me the rules of the game",
    "Can I see the score of the game?",
    "send me the result of the game please",
    "can I see my cards again?",
    "show me what happened",
    "can I see who won the game?",
    "show me the table",
    "let me see",
    "",
    "???",
    "I want to see " + "the game again " * 8,
]
"""Talk, other games, other questions, and what is denied."""


def meant(text: str, situation: Situation = OVER) -> Meaning:
    return meaning_of(text.split("\n"), situation)


@each("text", WISHES)
def test_a_wish_to_see_it_again_is_one(text: str) -> None:
    assert meant(text).info == ("replay",)


@each("text", OTHERS)
def test_what_is_said_of_something_else_is_none(text: str) -> None:
    assert "replay" not in meant(text).info


@each("text", [*WISHES, *OTHERS])
def test_nothing_is_done_for_such_words_but_to_answer_them(text: str) -> None:
    found = meant(text)
    assert (found.do, found.reply, found.say) == (None, "", ())


@each("text", OF_ANOTHER)
def test_the_replay_of_another_game_is_found_among_the_writers_games(text: str) -> None:
    assert meant(text).info == meant(text, replace(OVER, is_over=False)).info == ("games",)


@each("text", RUNNING)
def test_who_would_watch_a_game_again_that_runs_asks_for_it(text: str) -> None:
    assert meant(text, replace(OVER, is_over=False)).info == ("replay",)


@each("text", sorted({*WISHES, *OTHERS} - {*RUNNING}))
def test_a_game_that_runs_is_not_asked_for_otherwise(text: str) -> None:
    assert "replay" not in meant(text, replace(OVER, is_over=False)).info
