"""The one table of decisions over a mail: its exact orders, and what its writer's words mean as a whole.

    exact orders | the words mean         | and so
    -------------|------------------------|-----------------------------------------------
    some         | one of them, or no more| they are done at once
    some         | another move           | that is taken: it corrects them
    some         | a doubt                | asked; what the game would refuse, it refuses
    none         | one move               | taken; asked if it may be somebody else's words
    none         | a doubt                | asked
    none         | yes, no, undo          | the answer to what is open
    any          | nothing                | each line for itself

What is refused by the rules is refused by them: that has a reason of its own. Questions, talk and wishes for
later stand beside all of this.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final, Literal

from felix_async.language.grammar import Order
from felix_async.language.words import REPLIES
from felix_async.meaning.meaning import Doubt, Meaning

Step = Literal["lines", "take", "ask", "reply"]
"""Something done with a mail: each line for itself, one move taken, its writer asked, a question answered."""
_LEFT_TO_THE_RULES: Final[tuple[Doubt, ...]] = ("not in hand", "too low", "too high", "other decision")


def step_of(exact: Collection[Order], meaning: Meaning, waiting: Order | None, *, is_sure: bool) -> Step:
    """Return the step that a mail calls for; `waiting` is the order that felix has asked about or taken.

    It `is_sure` if the words are the writer's own, and no other order in the mail stands against them.
    """
    if meaning.do is not None:
        return _moves(exact, meaning.do, waiting, is_sure=is_sure)
    if meaning.doubt or meaning.ask:
        is_refused = bool(exact) and meaning.doubt in _LEFT_TO_THE_RULES
        return "lines" if is_refused else "ask"
    if meaning.reply and not exact:
        return "reply"
    if meaning.reply == "UNDO" or (exact and _contradicts(exact, meaning)):
        return "ask"
    return "lines"


def _moves(exact: Collection[Order], do: Order, waiting: Order | None, *, is_sure: bool) -> Step:
    """Return the step if the words mean one move."""
    says_yes = do == waiting and Order("YES") in exact
    if do in exact or says_yes:
        return "lines"
    return "take" if is_sure else "ask"


def _contradicts(exact: Collection[Order], meaning: Meaning) -> bool:
    """Return True if the words answer felix otherwise than an exact YES or NO above them."""
    replies = {order.word for order in exact if order.word in REPLIES}
    return bool(replies) and meaning.reply != "" and meaning.reply not in replies
