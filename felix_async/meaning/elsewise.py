"""What else explains a mention: it counts something, is a name or a code, is had, is of others, or past."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

from felix_async.meaning.around import Around
from felix_async.meaning.cues import within
from felix_async.meaning.lexicon import words
from felix_async.meaning.tokens import Token

_MOST_MICE: Final = 108
"""Mice in the largest game."""
_QUOTES: Final = 14
"""A move alone between quotation marks is one in a text that is no longer than this."""


def is_quoted(around: Around) -> bool:
    at = around.mention.start
    if at not in around.text.quoted:
        return False
    alone = len(around.text.tokens) <= _QUOTES and all(
        position in around.text.quoted
        and (position >= around.mention.start)
        and (position < around.mention.end)
        for position in range(around.clause.start, around.clause.end)
    )
    return not (alone and len(around.text.quoted) == around.mention.end - around.mention.start)


def is_fixed(around: Around) -> bool:
    """Return True within a phrase as `high five`."""
    start, end = around.mention.start, around.mention.end
    return any(cue.start < end and start < cue.end for cue in around.cues.fixed)


def is_counted(around: Around) -> bool:
    """Return True if the number counts something that is no mice."""
    if around.mention.kind not in ("number", "limit", "amount") or around.is_put_in:
        return False
    right = around.text.tokens[around.mention.end : around.clause.end]
    if right and right[0].word == "-" and len(right) > 1:
        right = right[1:]
    if not right:
        return False
    word = right[0].word
    if right[0].kind == "figure" or word == around.text.tokens[around.mention.start].word == "":
        return True
    if word in words("numbered", "of") and around.act is None:
        return not (len(right) > 1 and right[1].word in words("numbered", "mine"))
    if word in words("numbered", "mice") and not around.bidding and not around.is_bid():
        return True
    if word in words("numbered", "mice"):
        return len(right) > 1 and right[1].word in words("numbered", "units")
    if word in words("numbered", "units") and word not in words("numbered", "no_units"):
        return True
    if around.mention.kind == "amount" and right[0] in around.unknown_right():
        return True
    is_plural = word.endswith("s") and not word.endswith("ss") and len(word) > 3
    return is_plural and word not in words("numbered", "no_units") and word not in words("light", "words")


def offers_mice(around: Around) -> bool:
    """Return True for `I offer 5 mice`."""
    return bool(around.right) and around.right[0].word in words("numbered", "mice") and around.is_bid()


def is_sum(around: Around) -> bool:
    """Return True in an auction for a number of a calculation: `11 + 3 = 14`."""
    if around.situation.decision != "bidding" or around.mention.kind != "number":
        return False
    signs = words("numbered", "plus")
    before, after = (
        around.text.tokens[max(0, around.mention.start - 2) : around.mention.start],
        around.mention.end,
    )
    behind = around.text.tokens[after : after + 2]
    is_behind = len(before) == 2 and before[1].word in signs and before[0].value is not None
    is_before = len(behind) == 2 and behind[0].word in signs and behind[1].value is not None
    return is_behind or is_before


def is_no_pass(around: Around) -> bool:
    """Return True for `pass the salt`, `pass 5 times`."""
    tokens = around.text.tokens
    if tokens[around.mention.end - 1].word not in words("numbered", "passes"):
        return False
    behind = tokens[around.mention.end : around.clause.end]
    if not behind:
        return False
    word = behind[0].word
    if word in words("numbered", "passed_on") and len(behind) > 1:
        return behind[1].word not in words("numbered", "passed_moves") | words("numbered", "first")
    if word in words("numbered", "passed_things"):
        return not (len(behind) > 1 and behind[1].word in words("numbered", "passed_moves"))
    return behind[0].value is not None and len(behind) > 1


def is_named(around: Around) -> bool:
    """Return True if the number is what something else is: `the code is 8`."""
    left = [token.word for token in around.left]
    while left and left[-1] in words("numbered", "determiners") | words("numbered", "number_word"):
        left.pop()
    if around.bidding and around.act is None and _is_in_row(around):
        return True
    if not left or left[-1] not in words("numbered", "copulas"):
        return False
    if around.bidding and len(left) > 1 and left[-2] in words("numbered", "cat_with"):
        return True
    if " ".join(left[-2:]) in words("numbered", "has_to_be") and set(left) & words("numbered", "it"):
        return False  # `it has to be the 11`
    is_own = bool(set(left) & words("misgivings", "own_card")) and within(
        around.cues.next, around.start, around.mention.start
    )
    return not is_own and not (len(left) > 1 and left[-2] in words("numbered", "named")) and len(left) > 1


def is_shown(around: Around) -> bool:
    """Return True for `the 15`, which may be a card, where no verb of the auction goes before it."""
    left = around.left[-1:]
    is_the = bool(left) and left[0].word in words("numbered", "determiners")
    is_bid = around.act is not None and around.is_auction_verb()
    return is_the and not is_bid and around.mention.kind == "number" and bool(around.mention.cards)


def is_turned_next(around: Around) -> bool:
    """Return True for what is said of the row: `I hope the next card is the rabbit`."""
    left = [token.word for token in around.left]
    while left and left[-1] in words("numbered", "determiners"):
        left.pop()
    is_told = bool(left) and left[-1] in words("numbered", "copulas") | words("numbered", "for")
    is_upcoming = within(around.cues.next, around.start, around.mention.start)
    return is_told and is_upcoming and not set(left) & words("misgivings", "own_card")


def is_valued(around: Around) -> bool:
    """Return True for what something is worth: `the row is worth 8 at most`."""
    return any(token.word in words("numbered", "valued") for token in around.left[-2:])


def _is_in_row(around: Around) -> bool:
    """Return True for `the 8 in the row`, a card."""
    before = around.left[-1:]
    right = [token.word for token in around.right[:3]]
    is_the = bool(before) and before[0].word in words("numbered", "determiners")
    return is_the and len(right) > 2 and right[2] in words("numbered", "rows")


def is_row_of_numbers(around: Around) -> bool:
    """Return True for one of several different numbers with nothing between: a code, a telephone."""
    tokens, line = around.text.tokens, around.text.tokens[around.mention.start].line
    start, end = around.mention.start, around.mention.end
    while start > around.clause.start and tokens[start - 1].kind == "number":
        start -= 1
    while end < len(tokens) and tokens[end].kind == "number" and tokens[end].line == line:
        end += 1
    beside = (*tokens[start : around.mention.start], *tokens[around.mention.end : end])
    return any(token.kind == "number" and token.value != around.mention.value for token in beside)


def is_of_other(around: Around) -> bool:
    """Return True behind `Dan:` and `wrong game:`, before `from Dan` and `says Dan`."""
    if around.label is not None:
        said = around.text.tokens[around.label.start : around.label.end]
        if any(
            token.word in words("numbered", "others_game") | words("numbered", "sayings") for token in said
        ):
            return True
        if said and all(around.is_name(token) for token in said) and not around.is_decision_label():
            return True
    right = around.right
    if len(right) > 1 and right[0].word in words("numbered", "by_others") and around.is_name(right[1]):
        return True
    behind = around.number + 1
    clauses = around.text.clauses
    if around.number < 0 or behind >= len(clauses) or clauses[behind].sentence != around.clause.sentence:
        return False
    return around.text.tokens[clauses[behind].start].word in words("numbered", "sayings")


def is_labelled(around: Around) -> bool:
    if not around.left:
        return around.label is not None and not (around.concludes or around.is_decision_label())
    if around.mention.kind != "number":
        return around.mention.kind == "card" and _is_spoken_of(around)
    left = [token.word for token in around.left if token.kind != "mark"]
    if not left:
        return False
    word = left[-1]
    at = around.mention.start
    if at > 1 and around.text.tokens[at - 2].word in words("numbered", "cat_with") and not around.bidding:
        return False
    if (
        len(around.left) > 1
        and around.left[-2].word in words("numbered", "me_at")
        and word in words("numbered", "times")
    ):
        # `remind me at 9`
        return len(left) > 2 and left[-3] in words("numbered", "at_time")
    if word in words("numbered", "no") and around.before is not None and len(left) == 1:
        return False  # `9 no 7` corrects
    is_of_mine = word in words("numbered", "mine") and len(left) > 1 and left[-2] in words("numbered", "of")
    if is_of_mine and around.act is None:
        return True  # `5 of my 11 mice`
    if word in words("numbered", "determiners") and len(left) > 1 and left[-2] in words("numbered", "at_the"):
        return True
    if word in words("numbered", "for") and not (len(left) > 1 and left[-2] in words("numbered", "in_for")):
        return True
    if word in words("numbered", "labels"):
        if around.act is None:
            return True
        return word in words("numbered", "times") and not around.is_auction_verb()
    return False


def _is_spoken_of(around: Around) -> bool:
    """Return True for `my mind about the cats`, but not for `how about the rabbit`."""
    said = [token.word for token in around.left if token.word not in words("numbered", "determiners")]
    asked = words("numbered", "about_it")
    return len(said) > 1 and said[-1] in words("numbered", "spoken_of") and said[-2] not in asked


def is_kept(around: Around) -> bool:
    """Return True if a card stays in the hand: `I keep the 8`."""
    keeping = words("numbered", "keeping")
    if around.situation.decision == "placing" and any(
        token.word in words("numbered", "back") for token in around.right[:2]
    ):
        return True
    if any(token.word in words("numbered", "rows") for token in around.right):
        return False
    # The `wait` of `no wait 8` keeps nothing.
    taken_back = {at for cue in around.cues.takes_back for at in range(cue.start, cue.end)}
    near = enumerate(around.left, around.mention.start - len(around.left))
    left = [token.word for at, token in near if at not in taken_back][-4:]
    likes = words("numbered", "also_acts")
    if any(word in keeping for word in left if word not in likes):
        return True
    said = [token.word for token in around.left]
    if any(
        word in likes and not (at and said[at - 1] in words("numbered", "having_been"))
        for at, word in enumerate(said)
    ):
        return True
    right = [token.word for token in around.right[:5]]
    return (
        any(word in keeping for word in right)
        and around.mention.kind in ("card", "number")
        and (around.situation.decision == "placing")
    )


def is_had(around: Around) -> bool:
    said = [token.word for token in around.whole]
    for before, after in pairwise(said):
        if before in words("numbered", "there") and after in words("numbered", "exists"):
            return True
    having, between = words("numbered", "having"), words("numbered", "had_between")
    if _is_handed(around):
        return False
    for back, token in enumerate(reversed(around.left), 1):
        if token.word in having:
            return not (around.is_request() or _will(around, back))
        if token.word not in between:
            break
    return False


def _is_handed(around: Around) -> bool:
    """Return True for `here, have my 8`: it is given."""
    said = [token.word for token in around.left if token.word not in words("numbered", "fillers")]
    is_told = len(said) > 1 and said[0] in words("numbered", "have")
    return is_told and said[1] in words("numbered", "determiners") and not around.sentence.is_question


def _will(around: Around, back: int) -> bool:
    before = around.left[: len(around.left) - back]
    return bool(before) and before[-1].word in words("numbered", "future")


def is_card(around: Around) -> bool:
    """Return True if a card is named in an auction, in words that do not place it."""
    return around.mention.kind == "card" and not around.plays() and around.unknown() > 0


def is_signed(around: Around) -> bool:
    """Return True in a line as of a signature (`Name | Ext. 4412`), and for a number beyond all mice."""
    line = around.text.lines[around.text.tokens[around.mention.start].line]
    beyond = around.mention.value is not None and abs(around.mention.value) > _MOST_MICE
    return "|" in line or (beyond and len(around.text.tokens) > 3) or _is_address(around)


def _is_address(around: Around) -> bool:
    """Return True for `15 The Green` and `8 Elm Road`, below what was written."""
    tokens, mention = around.text.tokens, around.mention
    line = tokens[mention.start].line
    if mention.kind != "number" or not line or tokens[mention.start - 1].line == line:
        return False
    behind = [token for token in around.right if token.line == line]
    is_title = len(behind) > 1 and all(token.raw[:1].isupper() for token in behind)
    is_street = is_title and behind[-1].word in words("numbered", "streets")
    return is_street or (is_title and behind[0].word in words("numbered", "determiners"))


def is_others(around: Around) -> bool:
    subject = around.subject()
    if around.left and around.left[-1].word in words("numbered", "possessives"):
        return True
    if subject is None or subject.word in words("numbered", "first"):
        return around.mention.kind == "pass" and _passes_other(around)
    first = around.text.tokens[around.mention.start].word
    if around.mention.kind == "pass" and first in words("numbered", "subjects") | words("numbered", "first"):
        return False
    if subject.word in words("numbered", "your"):
        return not (around.is_request() or _is_told(around, subject))
    at = around.whole.index(subject)
    # A name right before the mention is spoken to: `Felix 7`, `Dan 8`.
    is_called = subject.capital and at == len(around.whole) - 1 and around.mention.kind != "pass"
    return not (is_called or subject.word in words("numbered", "addressees"))


def _is_told(around: Around, you: Token) -> bool:
    """Return True if felix is told to do it: `you can bid 7`, `you climb for me`."""
    after = around.whole[around.whole.index(you) + 1 :][:1]
    said = [token.word for token in around.text.tokens[around.clause.start : around.clause.end]]
    return bool(after and after[0].word in words("numbered", "modals")) or ("for" in said and "me" in said)


def _passes_other(around: Around) -> bool:
    behind = around.text.tokens[around.mention.end : around.clause.end]
    return len(behind) > 1 and behind[0].word in words("numbered", "by_others") and around.is_name(behind[1])


def is_past(around: Around) -> bool:
    if around.mention.kind == "limit" or around.mention.is_certain:
        said = around.text.tokens[around.sentence.start : around.mention.start]
        return any(token.word in words("numbered", "sayings") for token in said)
    if within(around.cues.past_days, around.clause.start, around.clause.end):
        return True
    before = [token.word for token in around.whole]
    if any(
        one in words("numbered", "having_been") and other in words("numbered", "have")
        for one, other in pairwise(before)
    ):
        return True
    if any(token.word in words("numbered", "habits") for token in around.left):
        return True
    past = words("acts", "past")
    is_own = around.split and any(token.word in words("numbered", "first") for token in around.left)
    span = around.left if is_own else around.whole
    if around.right and around.right[0].word in past and around.mention.kind != "pass":
        return True
    at = next((number for number, token in enumerate(span) if token.word in past), None)
    if at is None or _is_what_was_meant(around, span[at]):
        return False
    later = [token.word for token in span[at + 1 :]]
    return not any(word in words("numbered", "present") for word in later)


def _is_what_was_meant(around: Around, verb: Token) -> bool:
    """Return True for `3, no, sorry, I wanted the 8`."""
    said = {token.word for token in around.whole}
    if verb.word not in words("numbered", "meant") or not said & words("numbered", "first"):
        return False
    start = around.before.end if around.before is not None else around.mention.start
    corrected = (*around.cues.takes_back, *around.cues.excuses)
    return within(corrected, start, around.mention.start)


def is_of_writer(around: Around) -> bool:
    """Return True for `I was going to bid 9` and `my husband says 9`."""
    said = {token.word for token in around.whole}
    is_near = bool(said & words("numbered", "kin")) and bool(said & words("numbered", "voices"))
    return is_near or bool(said & words("numbered", "intended") and said & words("numbered", "first"))


def plays_in_auction(around: Around) -> bool:
    is_number = around.mention.kind == "number" and bool(around.mention.cards)
    return around.bidding and around.plays() and (is_number or around.mention.kind == "card")


def is_foreign(around: Around) -> bool:
    """Return True if the words around it are rather of another language."""
    said = [token.word for token in (*around.whole, *around.right) if token.kind == "word"]
    foreign = sum(1 for word in said if word in words("foreign", "words"))
    english = sum(1 for word in said if word not in words("foreign", "words"))
    return foreign > english and around.mention.kind in ("number", "card")
