"""The verdict on a line, and what the lines around it make of that.

Of lines that answer one decision in different ways none is done. A line below an order may take it back, or
put another one in its place, though it is no order: `sorry, not 7 but 8` and `scratch that` are plain
language, as are `sorry I'm late` and `how are the 3 kids?`, so a number counts only if a word of correction
is beside it, and if it stands where a move may end. An order alone on its line may yet be a part of the
sentence around it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, repeat
from typing import Final, Literal

from felix_async.language.data import any_of
from felix_async.language.grammar import Order, changes, moves_in, names_no_order
from felix_async.language.terminals import move_pattern
from felix_async.language.words import (
    AFTER_AN_ORDER,
    ANOTHER_DECISION,
    ANOTHER_MOVE,
    ANSWERS,
    ASKED,
    BEFORE_AN_ORDER,
    BESIDE_AN_ORDER,
    CARD_WORDS,
    CONDITIONS,
    CORRECTIONS,
    DOG,
    KINDS,
    MICE,
    MOVES,
    NUMBER_WORDS,
    QUESTIONS,
    REPLIES,
    STOP_WORDS,
    TWO_MOVES,
    WHICH_ORDER,
    WORD_OF,
)
from felix_async.reading.line import Line, Place
from felix_async.reading.signs import is_greeting, tells_of_another
from felix_events.envelope import BETWEEN_LINES

DECISIONS: Final = (("PLAY",), ("BID", "PASS", "UPTO"), ("NEXT",), ANSWERS, REPLIES)
"""Orders that answer the same decision."""
Verdict = Literal["order", "asked", "not understood", "ambiguous", "ignored"]


@dataclass(frozen=True, slots=True)
class Understood:
    """A line, and what felix makes of it.

    `order` is to be obeyed if the verdict is "order", and to be asked about if it is "asked"; `choices`
    are the orders that the line may be otherwise. `below` are the lines that belong to it, as they were
    written: those of a NEW, which list its players. As many of the verdicts behind it as `after` has numbers
    may belong to it, too, by what they say; the numbers are those of their paragraphs. It is `shaky` if it
    stands where a mail program may have broken a quoted line, or where somebody else's text, or a sentence
    that turns it into something else, may go on. It stands `apart` if it is asked about as it is written, and
    nothing else is read out of its words.
    """

    line: Line
    verdict: Verdict
    why: str
    order: Order | None = None
    choices: tuple[Order, ...] = ()
    below: tuple[Line, ...] = ()
    after: tuple[int, ...] = ()
    shaky: bool = field(default=False, compare=False)
    apart: bool = field(default=False, compare=False)

    @property
    def text(self) -> str:
        """The line as it was written."""
        return self.line.text

    @property
    def whole(self) -> str:
        """The same, with the lines that belong to it."""
        return BETWEEN_LINES.join([self.text, *(line.text for line in self.below)])

    @property
    def place(self) -> Place:
        """Whose line it is."""
        return self.line.place

    @property
    def only_asks(self) -> bool:
        """Return True unless there is an order that changes something."""
        return self.order is None or self.order.word in QUESTIONS

    @property
    def is_talk(self) -> bool:
        """Return True if there is an order that only says something to the table."""
        return self.order is not None and self.order.word == "SAY"

    @property
    def is_told(self) -> bool:
        """Return True if an answer repeats it: quotes and signatures are not sent about."""
        return self.verdict != "ignored" or (self.line.place == "written" and not is_stop(self.line.clean))


def is_stop(text: str) -> bool:
    """Return True if a cleaned line ends the reading: END, thanks."""
    return text.rstrip(".,!").lower() in STOP_WORDS


def undecided(lines: Sequence[Understood]) -> list[Understood]:
    """The verdicts, with none of several orders that answer the same decision in different ways.

    Which of them counts, nobody can know. A PLAY and a BID answer two decisions.
    """
    told = list(lines)
    for words in DECISIONS:
        answers = _all_answers(told, words)
        given = {
            line.order for line, meant in zip(told, answers, strict=True) if meant and line.verdict == "order"
        }
        if not given or all(given <= {*meant} for meant in answers if meant):
            continue
        whys = chain([TWO_MOVES], repeat(ANOTHER_MOVE))
        told = [
            replace(line, verdict="ambiguous", why=next(whys), order=None, choices=meant) if meant else line
            for line, meant in zip(told, answers, strict=True)
        ]
    for number, line in enumerate(told):
        if _is_unread(line) and takes_back(line.line.clean):
            told[:number] = map(_taken_back, told[:number])
    return told


def settled(lines: Sequence[Understood]) -> list[Understood]:
    """The verdicts as they are when all lines are looked at together.

    Who seems to ask for something is shown it. Beside a clear order nothing is asked, unless it only says
    something to the table, and of several orders in doubt none: nobody could answer YES.
    """
    lines = [replace(line, verdict="order") if _may_ask(line) else line for line in lines]
    is_clear = any(line.verdict == "order" and not (line.only_asks or line.is_talk) for line in lines)
    doubtful = {str(line.order) for line in lines if line.verdict == "asked"}
    if is_clear:
        return [_no_longer_asked(line, "ignored", BESIDE_AN_ORDER) for line in lines]
    if len(doubtful) > 1:
        return [_no_longer_asked(line, "ambiguous", WHICH_ORDER) for line in lines]
    return lines


def _may_ask(line: Understood) -> bool:
    return line.verdict == "asked" and line.only_asks and line.place == "written"


def _no_longer_asked(line: Understood, verdict: Verdict, why: str) -> Understood:
    if line.verdict != "asked":
        return line
    is_move = verdict == "ignored" and line.order is not None and line.order.word in MOVES
    return replace(line, verdict=verdict, why=ANOTHER_DECISION if is_move else why, order=None)


def _all_answers(lines: Sequence[Understood], words: Sequence[str]) -> list[tuple[Order, ...]]:
    """The answers to one decision, line by line; what corrects an order above it counts, too."""
    answers: list[tuple[Order, ...]] = []
    given: Order | None = None
    for line in lines:
        meant = _answers(line, words)
        if not meant and given is not None and _is_unread(line):
            meant = instead_of(line.line.clean, given, words)
        given = line.order if meant and line.verdict == "order" else given
        answers.append(meant)
    return answers


def _is_unread(line: Understood) -> bool:
    """Return True if the writer says something here that is no order, or not surely one."""
    return line.verdict not in ("order", "ignored") and line.place == "written"


def _taken_back(line: Understood) -> Understood:
    """The same line, asked about if it was to be obeyed and changes something; a reply is to be said anew."""
    if line.verdict != "order" or line.order is None or line.order.word in (*QUESTIONS, "SAY"):
        return line
    if line.order.word in REPLIES:
        return replace(line, verdict="ambiguous", why=WHICH_ORDER, order=None)
    return replace(line, verdict="asked", why=ASKED["taken_back"].format(order=line.order))


def _answers(line: Understood, words: Sequence[str]) -> tuple[Order, ...]:
    """The answers to one decision that a line of the writer's may be; a number or a card alone is not one."""
    if line.verdict == "ignored" or line.line.place != "written":
        return ()
    if line.verdict != "order" and names_no_order(line.line.clean):
        return ()
    return tuple(order for order in (line.order, *line.choices) if order is not None and order.word in words)


_CORRECTING: Final = re.compile(rf"(?<![\w']){any_of(CORRECTIONS['words'])}(?![\w'])")
_MOVE: Final = re.compile(move_pattern())
_NAMES: Final = (*NUMBER_WORDS[2:], *(name for name, card in CARD_WORDS.items() if card == 0 or DOG in name))
"""Numbers and cards in letters; `one` and `big` say too many other things."""
_BEHIND: Final = any_of(
    (*AFTER_AN_ORDER, *CORRECTIONS["words"], *CORRECTIONS["behind"], *CONDITIONS, *MICE, *KINDS)
)
_ENDS: Final = rf"(?= ?(?:$|[;!?)\"']|[.,:](?!\d)|[-/] )| {_BEHIND}(?![\w']))"
_VALUE: Final = re.compile(
    rf"(?<![\w.,:/$€£#%+-])(?P<value>-?\d{{1,3}}|{any_of(_NAMES)}|{WORD_OF['PASS'].lower()}){_ENDS}"
)
_NOT_BEFORE: Final = re.compile(rf"(?<![\w']){any_of(CORRECTIONS['not_before'])} $")
_AROUND: Final = any_of((*BEFORE_AN_ORDER, *AFTER_AN_ORDER, *CORRECTIONS["words"], *CORRECTIONS["around"]))
_BACK: Final = (
    f"(?:{any_of(CORRECTIONS['verbs'])} {any_of(CORRECTIONS['things'])}|{any_of(CORRECTIONS['phrases'])})"
)
_TAKES_BACK: Final = re.compile(f"(?:{_AROUND} )*{_BACK}(?: {_AROUND})*")
_ALONE: Final = re.compile(f"(?:{_AROUND} )*{any_of(CORRECTIONS['alone'])}(?: {_AROUND})*")
_CLAUSES: Final = re.compile(r"[.,;:!?()]+ ?| -+ ")
_MOST_WORDS: Final = 8
"""A clause of more words than these says more than that something is taken back."""


def takes_back(line: str) -> bool:
    """Return True if a cleaned line says that what stands above it is not to be done.

    >>> takes_back("oops, please scratch that!"), takes_back("Don't forget it is my turn to cook")
    (True, False)
    """
    small = line.lower()
    clauses = [clause.strip() for clause in _CLAUSES.split(small) if clause.strip()]
    whole = " ".join(clauses)
    short = (clause for clause in clauses if len(clause.split()) <= _MOST_WORDS)
    if any(_TAKES_BACK.fullmatch(clause) for clause in short):
        return True
    return len(whole.split()) <= _MOST_WORDS and _ALONE.fullmatch(whole) is not None


def instead_of(line: str, given: Order | None, words: Collection[str]) -> tuple[Order, ...]:
    """The other answers to a decision that a cleaned line below an order may put in its place.

    >>> [str(order) for order in instead_of("sorry, not 7 but 8", Order("BID", amount=7), ("BID", "PASS"))]
    ['BID 8']
    >>> instead_of("Sorry, 3 days late", Order("BID", amount=7), ("BID", "PASS"))
    ()
    """
    small = line.lower()
    if len(small) != len(line):
        return ()
    corrects = _CORRECTING.search(small) is not None
    named = chain(_named(line, small, corrects=corrects), _bare(small, given, words) if corrects else ())
    return tuple(dict.fromkeys(order for order in named if order.word in words and order != given))


def _named(text: str, small: str, *, corrects: bool) -> Iterator[Order]:
    for move in _MOVE.finditer(small):
        if text[move.start() : move.end()].isupper() or (corrects and " " in move[0]):
            yield from moves_in(move[0])
    for word in ANSWERS:
        if re.search(rf"(?<![\w']){WORD_OF[word]}(?![\w'])", text) or (
            corrects and re.search(rf"(?<![\w']){WORD_OF[word].lower()}{_ENDS}", small)
        ):
            yield Order(word)


def _bare(small: str, given: Order | None, words: Collection[str]) -> Iterator[Order]:
    """The answers that a number, a card or PASS alone may be, instead of the one that was given."""
    bare = "BID" if "BID" in words else "PLAY"
    for value in _VALUE.finditer(small):
        if _NOT_BEFORE.search(small, 0, value.start()) is not None:
            continue
        is_pass = value[0] == WORD_OF["PASS"].lower()
        for move in moves_in(value[0] if is_pass else f"{WORD_OF[bare].lower()} {value[0]}"):
            if given is not None and given.word == "UPTO" and move.amount is not None:
                yield replace(given, limit=move.amount)
            elif given is not None and given.word == "NEXT" and move.card is not None:
                yield Order("NEXT", next=move.card)
            else:
                yield move


_SENTENCE_ENDS: Final = (".", "!", "…", "?")


def within_sentences(said: Sequence[tuple[int, Understood]], paragraphs: Sequence[int]) -> set[int]:
    """Return the numbers of the lines that a sentence above may turn into something else, or a `?` below.

    Such a sentence goes on to the end of its line, and holds a negation, a condition or a question, or tells
    what somebody else wrote. `paragraphs` are those of the lines, by their numbers.
    """
    within: set[int] = set()
    is_open = False
    above = -1
    for number, line in said:
        goes_on = above >= 0 and number == above + 1 and paragraphs[number] == paragraphs[above]
        text = line.line.clean
        is_open &= goes_on
        if is_open:
            within.add(number)
        if goes_on and text and not text.strip("?! "):
            within.add(above)
        is_own = line.verdict != "order" and line.line.place == "written"
        is_open = is_own and not _ends(text) and (is_open or changes(text) or tells_of_another(text))
        above = number
    return within


def _ends(text: str) -> bool:
    return is_greeting(text) or text.endswith(_SENTENCE_ENDS)
