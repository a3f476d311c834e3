"""The one table of decisions over a message: its exact orders, and what its writer's words mean as a whole.

    exact orders | the words mean         | and so
    -------------|------------------------|-----------------------------------------------
    some         | one of them, or no more| they are done at once
    some         | another move           | that is taken: it corrects them
    some         | a doubt                | asked; what the game would refuse, it refuses
    some, beside | no move                | asked: the words of its line make it none
    none         | one move               | taken; asked if it may be somebody else's words
    none         | one, as we propose it  | it is done at once
    none         | a doubt                | asked
    none         | yes, no, undo          | the answer to what is open
    none         | a move at a wrong time | refused by the rules
    any, alone   | nothing                | each line for itself

What is refused by the rules is refused by them: that has a reason of its own. Questions, talk and wishes for
later stand beside all of this.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from felix_async.language.grammar import Order, changes
from felix_async.language.proposed import is_proposed
from felix_async.language.words import MOVES, REPLIES
from felix_async.meaning.meaning import Doubt, Meaning, Reply, meaning_of
from felix_async.meaning.situation import Situation
from felix_async.orders.registry import is_for_good
from felix_async.reading.own import OwnWords, decides, is_own, own_words
from felix_async.reading.verdicts import Understood
from felix_async.text import Harmless, plain
from felix_events.envelope import BETWEEN_LINES

Step = Literal["lines", "do", "take", "ask", "reply"]
"""Something done with a mail: each line for itself, one move done or taken, its writer asked, a question
answered.
"""
_PASS: Final = Order("PASS")
_PLAY: Final = "PLAY"
"""The one move that is no answer in an auction."""
_INVITED: Final = {"JOIN": "YES", "DECLINE": "NO"}
"""Answer to an invitation -> the reply that says the same."""
_BESIDE: Final = ("SAY", "NEXT")
"""Exact orders that stand against no move."""
LEFT_TO_THE_RULES: Final[tuple[Doubt, ...]] = ("not in hand", "too low", "too high", "other decision")
"""Doubts about one move that was meant, and that the rules refuse."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """The meaning of the writer's own words in their situation, and the step that it calls for.

    `doubted` are orders on lines that may be somebody else's. It `is_sure` if the words are the writer's own,
    and no other order in the mail stands against them.
    """

    own: OwnWords
    situation: Situation
    meaning: Meaning
    step: Step
    doubted: tuple[Order, ...]
    is_sure: bool

    @property
    def text(self) -> Harmless:
        """The lines that say so, as an answer repeats them."""
        words = [word for word in self.meaning.words if word]
        lines = [line.text.strip() for line in self.own.lines]
        saying = [line for line in lines if any(word in line for word in words)]
        return plain(BETWEEN_LINES.join(saying or lines))

    def covers(self, line: Understood) -> bool:
        """Return True if the meaning of the whole says all that there is to say about this line."""
        if not is_own(line):
            return False
        if self.step != "lines":
            return True
        return bool(self.meaning.say or self.meaning.info) and line.verdict != "order"


def weigh(
    lines: Sequence[Understood],
    situation: Situation,
    auction: Situation | None = None,
    *,
    last: Order | None = None,
    is_asked: bool = False,
    name: str = "",
) -> Weighed:
    """Return what the writer's own words among the lines of a mail mean, and the step that follows.

    Words that mean nothing in their situation may mean something at the wrong time: what they would mean in
    the `auction`, if one is given, is left to the rules. If the writer `is_asked` something about this
    decision, or was before, NO alone may answer that. What they did `last` they may want back. They may sign
    with their `name`.
    """
    own = own_words(lines)
    meaning = _meaning_of(own.lines, situation)
    if situation.placed is not None and meaning.doubt == "unclear" and not meaning.words:
        # Nothing is asked of them: without a word of a card it is no wish for another one.
        meaning = replace(meaning, doubt="", ask=())
    if auction is not None and not own.exact:
        meaning = _untimely(own, meaning, auction)
    meaning = _again(own, meaning, situation, last)
    if reply := _answers_nothing(own, meaning, situation, last):
        meaning = Meaning(reply=reply)
    doubted = tuple(
        line.order
        for line in lines
        if line.place == "doubtful" and line.order is not None and decides(line.order)
    )
    is_sure = not own.is_cut and not any(order != meaning.do for order in doubted)
    is_sure &= not any(map(_stands_against, lines)) and not _is_first_of_two(own, meaning.do)
    if len(own.firm) < len(own.lines):
        # A mail program may have broken a quoted line: what is surely the writer's has to say so, too.
        firm = _meaning_of(own.firm, situation)
        is_sure &= (firm.do, firm.reply) == (meaning.do, meaning.reply)
        # Nothing else may stand against an exact order.
        meaning = firm if own.exact else meaning
    meaning = _unsaid(own, meaning, situation)
    is_plain = not any(changes(line.line.clean) for line in own.lines)
    step = step_of(own.exact, meaning, situation.waiting, is_sure=is_sure, is_plain=is_plain)
    a_bid = Order("BID", amount=situation.least)
    may_decline = bool(situation.high or situation.is_last) and not (own.exact or situation.is_early)
    is_open = is_asked or not may_decline
    if step == "take" and is_open and meaning.do == _PASS and _would_answer(own, situation, a_bid) == "NO":
        # NO alone is no bid, but what it says no to is open.
        step = "ask"
        meaning = replace(meaning, do=None, doubt="unclear") if is_asked else meaning
    if step == "take" and _is_as_proposed(lines, own, meaning, situation, name):
        step = "do"
    return Weighed(own, situation, meaning, step, doubted, is_sure)


def _is_as_proposed(
    lines: Sequence[Understood], own: OwnWords, meaning: Meaning, situation: Situation, name: str
) -> bool:
    """Return True if all that is written is a move in words that a letter proposes for this decision.

    Whoever has a bid, or a move that waits, may mean to correct that.
    """
    do = meaning.do
    if do is None or meaning != Meaning(do, words=meaning.words) or own.exact or own.firm != own.lines:
        return False
    if situation.waiting is not None or situation.leads or any(line.place == "doubtful" for line in lines):
        return False
    return is_proposed([line.line.clean for line in lines if line.place == "written"], do, name)


def _unsaid(own: OwnWords, meaning: Meaning, situation: Situation) -> Meaning:
    """Return the meaning, with a doubt if an exact move has words beside it that make it none.

    `bid 7, Ben!` is said to Ben. A move alone on its line stays one.
    """
    if meaning.do is not None or meaning.doubt or meaning.ask or meaning.reply:
        return meaning
    moves = [line for line in own.lines if line.verdict == "order" and line.order in situation.possible]
    if not moves or any(_is_alone(line) for line in moves):
        return meaning
    return replace(
        meaning, doubt="unclear", ask=tuple(dict.fromkeys(line.order for line in moves if line.order))
    )


def _is_alone(line: Understood) -> bool:
    """Return True if nothing stands beside the order on its line."""
    said = [word for word in line.line.clean.split() if any(char.isalnum() for char in word)]
    return len(said) <= len(str(line.order).split())


def _meaning_of(lines: Sequence[Understood], situation: Situation) -> Meaning:
    return meaning_of([line.text for line in lines], situation) if lines else Meaning()


def _would_answer(own: OwnWords, situation: Situation, waiting: Order) -> Reply:
    """Return the answer that the words would be if this waited for one; '' if something does."""
    if situation.waiting is not None:
        return ""
    return _meaning_of(own.lines, replace(situation, waiting=waiting)).reply


def _answers_nothing(own: OwnWords, meaning: Meaning, situation: Situation, last: Order | None) -> Reply:
    """Return UNDO if the words say nothing but that something is not to be done, YES if they only agree, and
    nothing waits; '' for all other words, and for a yes of whoever is asked or has done nothing.
    """
    is_more = meaning != Meaning(doubt=meaning.doubt, talk=meaning.talk, words=meaning.words)
    nearly = {one.word for line in own.lines for one in (line.order, *line.choices) if one is not None}
    if is_more or own.exact or nearly - {*REPLIES}:
        return ""
    reply = _would_answer(own, situation, last or _PASS)
    is_placed = situation.decision == "placing" and situation.placed is not None
    is_asked = bool(situation.decision) and not situation.is_early and not is_placed
    agrees = reply == "YES" and last is not None and not (is_asked or meaning.talk)
    return reply if reply == "UNDO" or agrees else ""


def _again(own: OwnWords, meaning: Meaning, situation: Situation, last: Order | None) -> Meaning:
    """Return the meaning of words that are too low a bid, if they are the one that their writer has made and
    waits with.
    """
    bid = None if last is None else last.amount
    if bid is None or meaning.doubt != "too low" or not situation.is_early:
        return meaning
    then = _meaning_of(own.lines, replace(situation, least=bid, high=bid - 1, is_early=False, leads=False))
    return then if then.do == last else meaning


def _untimely(own: OwnWords, meaning: Meaning, auction: Situation) -> Meaning:
    """Return the meaning with a bid, a pass or an undo in it that is none now; else as it is."""
    if meaning.do is not None or meaning.ask or meaning.reply:
        return meaning
    then = _meaning_of(own.lines, auction)
    # A line that is nearly an exact order must agree.
    nearly = {one for line in own.lines for one in (line.order, *line.choices) if one is not None}
    if then.words and (then.do is not None or then.doubt in LEFT_TO_THE_RULES):
        return then if not nearly or then.do in nearly else meaning
    return meaning


def _is_first_of_two(own: OwnWords, do: Order | None) -> bool:
    """Return True if a line below a move may put another one in its place."""
    either = [line.choices for line in own.lines if line.choices]
    return len(either) > 1 and do not in either[-1] and any(do in choices for choices in either)


def _stands_against(line: Understood) -> bool:
    """Return True if an exact order beside a move asks for more than to be shown or told something."""
    is_order = line.verdict == "order" and not line.only_asks and not is_own(line)
    return is_order and line.order is not None and line.order.word not in _BESIDE


def step_of(
    exact: Collection[Order], meaning: Meaning, waiting: Order | None, *, is_sure: bool, is_plain: bool = True
) -> Step:
    """Return the step that a mail calls for; `waiting` is the order that felix has asked about or taken.

    The words are `is_plain` if there is no condition among them, and nothing is denied.
    """
    if waiting is not None and is_for_good(waiting) and any(order.word in REPLIES for order in exact):
        return "lines"
    if meaning.do is not None:
        return _moves(exact, meaning.do, waiting, is_sure=is_sure)
    if (meaning.doubt or meaning.ask) and not _only_replies(meaning, waiting, is_plain=is_plain):
        is_refused = bool(exact) and meaning.doubt in LEFT_TO_THE_RULES
        answers_nothing = bool(exact) and waiting is None and all(order.word in REPLIES for order in exact)
        answers_nothing &= meaning.doubt != "several"
        return "lines" if is_refused or answers_nothing else "ask"
    if meaning.reply and not exact:
        return "reply"
    if meaning.reply == "UNDO" or (exact and _contradicts(exact, meaning)):
        return "ask"
    return "lines"


def _only_replies(meaning: Meaning, waiting: Order | None, *, is_plain: bool) -> bool:
    """Return True if the words answer what is open, and what else they say stands beside that.

    A move under a condition is for later: `Yes. And if anyone goes to 6 I do 7`.
    """
    if not meaning.reply or waiting is None:
        return False
    return meaning.doubt == "condition" or (
        meaning.doubt == "unclear" and (is_plain or meaning.reply != "YES")
    )


def _moves(exact: Collection[Order], do: Order, waiting: Order | None, *, is_sure: bool) -> Step:
    """Return the step if the words mean one move."""
    says_yes = do == waiting and Order("YES") in exact
    # A JOIN may have words of its own.
    says_so = do.word in _INVITED and {do.word, _INVITED[do.word]} & {order.word for order in exact}
    if do in exact or says_yes or says_so:
        return "lines"
    # An exact order for another decision is corrected by nothing: one of them may be somebody else's.
    is_other = any(order.word in MOVES and (order.word == _PLAY) != (do.word == _PLAY) for order in exact)
    if is_other and replace(do, next=None) in exact:
        return "lines"
    return "take" if is_sure and not is_other else "ask"


def _contradicts(exact: Collection[Order], meaning: Meaning) -> bool:
    """Return True if the words answer felix otherwise than an exact YES or NO above them."""
    replies = {order.word for order in exact if order.word in REPLIES}
    return bool(replies) and meaning.reply != "" and meaning.reply not in replies
