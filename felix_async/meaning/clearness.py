"""How clearly a mention is wanted: by the words beside it that nobody knows, or that comment on it."""

from __future__ import annotations

from typing import Final, Literal

from felix_async.meaning.around import Around, is_strange
from felix_async.meaning.cues import within
from felix_async.meaning.lexicon import words

Clearness = Literal["clear", "likely", "faint"]
_LIGHT: Final = 2
"""Unknown words around a mention in a short clause that leave it likely."""
_FEW: Final = 2
"""Tokens of a text that a number with an unknown word behind it is a move in: `9 la`."""
_SHORT: Final = 7


def clearness(around: Around) -> Clearness:
    """Return how clearly a mention is wanted against which nothing speaks."""
    if around.situation.decision == "inviting":
        return "clear"
    if around.mention.kind == "pass":
        return _leaving_clearness(around)
    if around.mention.kind in ("limit", "amount"):
        return "faint" if around.mention.kind == "amount" and _is_commented(around) else "clear"
    unknown = around.unknown()
    if (
        _before_unknown(around)
        and not around.is_put_in
        and not (around.act is not None and around.is_auction_verb())
    ):
        return "likely" if len(around.text.tokens) <= _FEW and not around.left else "faint"
    if within(around.cues.days, around.clause.start, around.clause.end):
        return "faint"
    if _is_commented(around):
        return "faint"
    if around.act is not None or not unknown or around.is_put_in:
        return "clear"
    right = [token.word for token in around.right[:3]]
    left = [token.word for token in around.left[-2:]]
    if any(word in words("numbered", "courtesy") for word in (*right, *left)):
        return "clear"
    if around.is_decision_label() and not around.left:
        return "clear"
    if unknown <= _LIGHT and around.clause.end - around.clause.start <= _SHORT:
        return "likely" if not _beside_unknown(around) else "faint"
    return "faint"


def _leaving_clearness(around: Around) -> Clearness:
    """How clearly somebody leaves the auction, and not town."""
    if around.mention.is_certain:
        return "clear"
    strange = around.unknown_left()
    said = {token.word for token in around.text.tokens[around.mention.start : around.mention.end]}
    has_own = bool(said & words("numbered", "first"))
    if strange and (strange[-1] is around.left[-1] or not has_own):
        return "faint"
    first = around.text.tokens[around.mention.start].word
    if first in words("numbered", "all") and around.left and not has_own:
        return "faint"  # `then I am all yours`
    right = around.right
    if not right:
        return "clear"
    unknown = around.unknown_right()
    if said & words("numbered", "leaves"):
        noun = right[1:2] if right[0].word in words("numbered", "determiners") else right[:1]
        is_strange_next = bool(noun) and noun[0] in unknown and not noun[0].word.endswith("ly")
        return "faint" if is_strange_next or right[0].word in words("numbered", "is") else "clear"
    allowed = words("leaving", "after_out") | words("leaving", "around_bare")
    is_allowed = all(
        token.word in allowed or token.value is not None or around.is_name(token) for token in right
    )
    is_elsewhere = right[0].word in words("numbered", "until")
    return "clear" if is_allowed and not is_elsewhere else "faint"


def _before_unknown(around: Around) -> bool:
    """Return True if an unknown word stands right behind a number: `11 exclamation marks`."""
    right = around.right
    if not right or around.mention.kind not in ("number", "card"):
        return False
    if around.mention.kind == "card" and around.act is not None:
        return False
    is_worth = right[0].word in words("numbered", "worth")
    if is_worth and any(token.word in words("numbered", "cat_with") for token in around.whole[-3:]):
        return False
    is_address = right[0].capital and around.is_name(right[0]) and len(right) > 1
    unknown = around.unknown_right()
    if right[0] in unknown or (is_address and around.mention.kind == "number"):
        return True
    is_plain = len(right) > 1 and right[1].word in words("numbered", "plain_after")
    is_behind = right[0].word in words("numbered", "prepositions") and bool(unknown)
    return is_behind and not is_plain and not _is_put(around)


def _is_put(around: Around) -> bool:
    """Return True if the writer puts it there: whatever for may follow."""
    if around.act is None:
        return False
    if around.left[-around.act].word not in words("acts", "core"):
        return False
    is_told = len(around.left) == around.act == 2 and around.left[-1].word in words("numbered", "determiners")
    return is_told or any(token.word in words("numbered", "acting") for token in around.whole)


def _is_commented(around: Around) -> bool:
    """Return True for `12 is so much`: something is said of it."""
    right = around.right
    if not right or around.is_put_in or right[0].word not in words("numbered", "comments"):
        return False
    said = [token.word for token in right[1:3]]
    if (
        right[0].word in words("numbered", "intended_to")
        and len(said) > 1
        and said[0] in words("numbered", "be")
    ):
        return said[1] not in words("numbered", "would_be")
    return not (said and said[0] in words("numbered", "no_comments"))


def _beside_unknown(around: Around) -> bool:
    """Return True if an unknown word stands right before a number: `bus 5`."""
    if not around.left or around.mention.kind != "number":
        return False
    is_cue = around.mention.start - 1 in around.cues.known
    return not is_cue and is_strange(around.left[-1], around.bidding)
