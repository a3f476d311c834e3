"""Words for the others: those that are passed on, those that may be meant for them, and no others."""

from __future__ import annotations

from typing import Final

from each import each
from felix_async.meaning.situation import Situation
from felix_async.meaning.talk import MAX_TALK, said_in, talk_in
from felix_async.meaning.text import text_of

BIDDING: Final = Situation("bidding", mice=12, high=4, least=5, most=12, names=("Tom", "Ruth", "Jonas"))


def said(text: str) -> tuple[str, ...]:
    """The words to pass on."""
    return tuple(one.words for one in said_in(text_of(text.split("\n")), BIDDING))


def talk(text: str, *carrying: int, is_alone: bool = False) -> str:
    """What may be meant for the others, beside sentences of these numbers that carry a move."""
    read = text_of(text.split("\n"))
    return talk_in(read, BIDDING, said_in(read, BIDDING), set(carrying), is_alone=is_alone)


# ---- what the writer asks to pass on ----------------------------------------------------------------
@each(
    ("text", "expected"),
    [
        ("tell Jonas he plays like my grandma", ("Jonas: he plays like my grandma",)),
        ("8. and tell Tom that i can see right through him", ("Tom: i can see right through him",)),
        ("tell everyone that I was asleep", ("I was asleep",)),
        ("Do tell the others that I was not asleep.", ("I was not asleep.",)),
        ("say all yours Jonas, woof", ("all yours Jonas, woof",)),
        ("to all: dinner at 7 on Friday. Bring wine!", ("dinner at 7 on Friday. Bring wine!",)),
        ("Pass. Say to Ruth that she has beautiful nerves.", ("Ruth: she has beautiful nerves.",)),
        ("Message for Tom: your umbrella is here.", ("Tom: your umbrella is here.",)),
        ("could you tell Tom and Ruth that I'm late", ("Tom and Ruth: I'm late",)),
        ("please let the others know that I'm on a train", ("I'm on a train",)),
        ("Tell Tom I love him: 5", ("Tom: I love him:",)),
        ("tell Ruth hi\nsay thanks everybody", ("Ruth: hi", "thanks everybody")),
    ],
)
def test_words_are_passed_on_without_the_command(text: str, expected: tuple[str, ...]) -> None:
    assert said(text) == expected


@each(
    "text",
    [
        "say 5",
        "I say five",
        "I'll say 4",
        "Tell nobody, but it's the rabbit. Shhh.",
        "tell me my cards",
        "tell Felix he is great",
        "don't tell Tom",
        "I told you so",
        "Say something if that doesn't suit",
        "let them fight",
        "let me know",
        "to be honest, 5",
        "say",
        "tell Tom",
        "tell Granny that I love her",
        "I want to tell Tom about it",
    ],
)
def test_what_is_no_request_is_not_passed_on(text: str) -> None:
    assert said(text) == ()


# ---- beside a move ----------------------------------------------------------------------------------
@each(
    ("text", "carrying", "expected"),
    [
        ("Five. Tom, you are toast!", [0], "Tom, you are toast!"),
        ("pass\n@Ruth that was my row you thief", [0], "@Ruth that was my row you thief"),
        ("3. everyone pls hurry up", [0], "everyone pls hurry up"),
        ("9. I had fish for dinner.", [0], ""),
        ("Thanks Felix! 7", [1], ""),
        ("Hi all, 7 please", [0], ""),
        ("7. Cheers, Ruth", [0], ""),
        ("Ruth has the 15, so 7 for me.", [0], ""),
        ("15, and guys, can we finish this? I'm begging you", [0], "I'm begging you"),
        ("pass. Br, Ruth", [0], ""),
        ("Five. Tell Granny I love her.", [0], "Tell Granny I love her."),
        ("6. See you all on Friday. Tom owes me a beer.", [0], "See you all on Friday. Tom owes me a beer."),
    ],
)
def test_beside_a_move_only_what_speaks_to_others_is_talk(
    text: str, carrying: list[int], expected: str
) -> None:
    assert talk(text, *carrying) == expected


# ---- alone ------------------------------------------------------------------------------------------
@each(
    "text",
    [
        "Marta, that last round was brilliant, I take my hat off to you.",
        "sry for the wait guys my phone died",
        "This is the best game we've had since Christmas!",
        "haha nice one felix, that made my day",
        "gg last round everyone, that was sick",
        "Kenji is thinking since four hours. Maybe he fell in the sack.",
    ],
)
def test_a_friendly_text_alone_is_talk_as_a_whole(text: str) -> None:
    assert talk(text, is_alone=True) == text


@each(
    "text",
    [
        "",
        "😂😂😂",
        "Dear Felix,\n\n\nKind regards,\nUrsula",
        "Thank you very much!",
        "Sent from my iPhone",
        "gghjj  bb.   k",
        "Automatic reply: I am on annual leave from 8th to 15th.",
        "Delivery delayed: the recipient's mailbox is full. No action is required on your part.",
        "GARDEN CLUB NEWSLETTER No. 8\n\nIn this issue: pruning in March.\n\nUnsubscribe",
        "[image: IMG_0538.jpg]",
        "Hello!",
    ],
)
def test_what_says_nothing_to_anybody_is_no_talk(text: str) -> None:
    assert talk(text, is_alone=True) == ""


def test_what_stands_below_a_farewell_is_no_talk() -> None:
    assert talk("Sorry folks, crazy day.\nBest,\nYvonne Miller of Miller and Sons", is_alone=True) == (
        "Sorry folks, crazy day."
    )


def test_talk_is_one_line_that_may_be_said() -> None:
    told = talk("Tom, this is long. " * 40, is_alone=True)
    assert "\n" not in told
    assert len(told) <= MAX_TALK
    assert told.endswith("this is long.")


def test_a_sentence_that_is_too_long_is_cut() -> None:
    told = talk("Tom, " + "this goes on and on " * 30, is_alone=True)
    assert len(told) <= MAX_TALK
    assert told.endswith("…")
