"""How a mention is meant: wanted, and how clearly; or what else explains it, or speaks against it.

The evidence is what stands around the mention in its clause, and the cues of its sentence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from felix_async.meaning.around import GOVERNS, Around
from felix_async.meaning.clearness import clearness
from felix_async.meaning.cues import Cues, within
from felix_async.meaning.elsewise import (
    is_card,
    is_counted,
    is_fixed,
    is_foreign,
    is_had,
    is_kept,
    is_labelled,
    is_named,
    is_no_pass,
    is_of_other,
    is_of_writer,
    is_others,
    is_past,
    is_quoted,
    is_row_of_numbers,
    is_shown,
    is_signed,
    is_sum,
    is_turned_next,
    is_valued,
    offers_mice,
    plays_in_auction,
)
from felix_async.meaning.lexicon import words
from felix_async.meaning.mentions import Mention, up_to
from felix_async.meaning.situation import Situation
from felix_async.meaning.text import Text

Stance = Literal[
    "clear",
    "likely",
    "faint",
    "against",
    "explained",
    "reported",
    "conditional",
    "asked",
    "doubtful",
    "told",
    "foreign",
    "other",
]
"""`clear`, `likely` and `faint` are wanted; `explained` is something else, `reported` of others or past.

`told` is what the writer wanted before, or somebody near to them wants; `other` is for another decision.
"""
WANTED: Final = ("clear", "likely", "faint")
_NEAR: Final = 4
"""Words between `goes` and the number that somebody goes to."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A mention and how it is meant.

    `is_governed` is True if a verb of the game goes before it, `is_alternative` if an `or` or an `and` does,
    `is_conditional` if it is a limit in case of a higher bid, `is_next` if it is for the next round,
    `decided` if the writer says that it is the decision, `corrects` if it stands for what was said before.
    """

    mention: Mention
    stance: Stance
    is_governed: bool = False
    is_alternative: bool = False
    is_conditional: bool = False
    is_next: bool = False
    decided: bool = False
    corrects: bool = False


def evidence_in(text: Text, mentions: Sequence[Mention], cues: Cues, situation: Situation) -> list[Evidence]:
    """Return the evidence for each mention."""
    found: list[Evidence] = []
    for number, mention in enumerate(mentions):
        before = mentions[number - 1] if number else None
        behind = mentions[number + 1] if number + 1 < len(mentions) else None
        around = _evidence(Around(text, mention, before, behind, cues, situation))
        found.append(_as_before(text, found[-1], around) if found else around)
    return found


def _as_before(text: Text, before: Evidence, found: Evidence) -> Evidence:
    """The evidence of a mention that goes on with what the one before it in its clause was said of."""
    goes_on = (
        before.stance in ("explained", "reported", "against")
        and found.stance in WANTED
        and found.mention.kind in ("number", "card")
        and not (found.is_governed or found.decided)
        and text.clause_of[before.mention.start] == text.clause_of[found.mention.start] >= 0
    )
    if goes_on and before.stance == "against" and before.mention.end == found.mention.start:
        return replace(found, corrects=True)  # `not nine five`
    return replace(found, stance=before.stance) if goes_on else found


def _evidence(around: Around) -> Evidence:
    outbid = [
        cue for cue in around.cues.if_outbid if around.sentence.start <= cue.start < around.mention.start
    ]
    if outbid and not is_next(around):
        return _if_outbid(around, outbid[0].end)
    stance = _stance(around)
    decided = around.concludes or around.bids() or around.is_decision_label()
    decided |= within(around.cues.decides, around.start, around.end)
    return Evidence(
        around.mention,
        stance,
        is_governed=around.act is not None,
        is_alternative=_is_alternative(around),
        is_next=is_next(around),
        decided=decided,
        corrects=within(around.cues.corrects, around.start, around.end),
    )


def _if_outbid(around: Around, end: int) -> Evidence:
    """The evidence for what is said of being outbid: a number is a limit, a pass goes without saying."""
    mention = around.mention
    value = mention.value if mention.kind in ("number", "amount", "limit") else None
    left = [token.word for token in around.left]
    is_theirs = mention.start - end < _NEAR and bool(left) and left[-1] in words("numbered", "goes_to")
    if value is None or is_theirs:
        return Evidence(mention, "explained" if value is None or mention.kind == "pass" else "reported")
    orders, _ = up_to(value, around.situation)
    stance: Stance = "doubtful" if _is_doubtful(around) else "clear"
    return Evidence(replace(mention, kind="limit", limit=value, orders=orders), stance, is_conditional=True)


def _is_alternative(around: Around) -> bool:
    if any(token.word in words("numbered", "or") for token in around.before_left):
        return True
    start = around.mention.start
    joined = around.before is not None and around.before.end >= around.clause.start
    joined &= around.mention.kind != "limit"
    between = [token.word for token in around.text.tokens[around.before.end : start]] if around.before else []
    plain = words("numbered", "determiners") | words("numbered", "and") | words("numbered", "then_also")
    return joined and bool(between) and all(word in plain for word in between)


def _stance(around: Around) -> Stance:
    mention = around.mention
    if around.mention.kind == "number" and not around.bidding and offers_mice(around):
        return "other"
    if around.bids() and not (is_quoted(around) or _is_against(around)):
        return "doubtful" if _is_doubtful(around) else "conditional" if _is_conditional(around) else "clear"
    if around.bids(own=False):
        return "reported"
    if is_fixed(around) or is_quoted(around) or is_counted(around) or is_sum(around):
        return "explained"
    if mention.kind == "pass" and is_no_pass(around):
        return "explained"
    if _is_against(around):
        # `7 and not one more` takes nothing back.
        return "explained" if mention.kind == "amount" else "against"
    if mention.kind in ("card", "number") and is_kept(around):
        return "against"
    if mention.kind == "amount" and not mention.cards and _is_labelled_next(around):
        return "explained"
    if is_of_other(around):
        return "reported"
    if is_others(around) or is_past(around):
        return "told" if is_of_writer(around) else "reported"
    if plays_in_auction(around) and not is_next(around):
        return "other"
    if is_foreign(around):
        return "foreign"
    if mention.kind in ("number", "card", "amount") and is_had(around):
        return "explained"
    if mention.kind in ("number", "card") and not is_next(around) and is_labelled(around):
        return "explained"
    if (around.situation.is_early and not is_next(around) and is_shown(around)) or _is_dropped(around):
        return "doubtful"
    if is_turned_next(around) or (mention.kind == "limit" and is_valued(around)):
        return "explained"
    if mention.kind == "number" and (is_named(around) or is_row_of_numbers(around)):
        return "explained"
    if around.situation.decision == "bidding" and is_card(around) and not is_next(around):
        return "explained"
    if is_signed(around):
        return "explained"
    if _is_other_half(around):
        return "doubtful"
    if around.bidding and not is_next(around) and _is_later(around):
        return "conditional"
    if _is_conditional(around):
        return "conditional"
    if _is_doubtful(around):
        return "doubtful"
    if _is_asked(around):
        return "asked"
    return clearness(around)


def _is_dropped(around: Around) -> bool:
    """Return True for `drop 7` in an auction: a limit to forget, or mice to bid."""
    said = [token.word for token in around.whole]
    return around.bidding and len(said) == 1 and said[0] in words("advance", "drop") and not around.right


def _is_labelled_next(around: Around) -> bool:
    """Return True for `Next round: +8`, a card."""
    label = around.label
    return label is not None and within(around.cues.next, label.start, label.end)


def _is_against(around: Around) -> bool:
    if around.mention.kind == "limit" or is_next(around):
        return any(token.word in words("advance", "against") for token in around.left)
    behind = around.text.tokens[around.clause.end : around.clause.end + 1]
    if behind and behind[0].word in words("pictures", "no"):
        return True
    negations = words("numbered", "negations")
    skip = words("numbered", "leads"), words("acts", "bid"), words("acts", "play"), words("light", "adverbs")
    left = around.left
    for back, token in enumerate(reversed(left[-GOVERNS:]), 1):
        if token.word in words("numbered", "but") and back < len(left):
            return left[-back - 1].word in words("numbered", "but_for")
        if token.word in words("numbered", "no") and back > 1:
            if left[-back + 1].word not in words("numbered", "no_nouns"):
                break
            return True
        if token.word in negations:
            # `no 7` is an answer to what was said before.
            is_answer = token.word in words("numbered", "no") and back == 1
            if is_answer and token.raw.casefold() != token.word:
                return False  # `nah pass` is no `no pass`
            return not is_answer or _is_named(around)
        if not any(token.word in some for some in skip):
            break
    said = [token.word for token in around.left if token.word not in words("numbered", "determiners")]
    if said and said[-1] in words("numbered", "than") and not around.bidding:
        return True
    right = around.right
    if not right or right[0].word not in words("numbered", "negations") - words("numbered", "no"):
        return False
    # `rabbit not dog` is against the dog.
    rest = [token.word for token in right[1:] if token.word not in words("numbered", "determiners")]
    return bool(rest) or around.behind is None or around.behind.start > around.end


def _is_conditional(around: Around) -> bool:
    cues = around.outside(around.cues.condition)
    if around.mention.kind == "limit":
        higher = [
            (around.mention.start, around.mention.end),
            *((cue.start, cue.end) for cue in around.cues.above),
        ]
        cues = tuple(cue for cue in cues if not any(start <= cue.start < end for start, end in higher))
    return within(cues, around.sentence.start, around.sentence.end)


def _is_doubtful(around: Around) -> bool:
    return within(around.cues.hesitates, around.sentence.start, around.sentence.end) or within(
        around.cues.about, around.clause.start, around.clause.end
    )


def _is_asked(around: Around) -> bool:
    if around.is_request():
        return False
    if _opens_question(around) and not is_next(around):
        return True
    if not around.sentence.is_question:
        return False
    marks = [
        at
        for at in range(around.mention.end, around.sentence.end)
        if around.text.tokens[at].word == "?" and around.text.tokens[at].kind == "mark"
    ]
    if not marks:
        return False
    between = around.text.tokens[around.mention.end : marks[0]]
    if all(token.kind != "mark" for token in between):
        return True
    tail = [token.word for token in between if token.kind == "word"]
    return len(tail) <= 2 and any(word in words("numbered", "tags") for word in tail)


def _is_later(around: Around) -> bool:
    """Return True for a bid or a pass in another round, or tomorrow."""
    start, end = around.start, around.end
    cues = around.cues
    later = around.outside((*cues.tomorrow, *(cue for cue in cues.next if cue.end - cue.start > 1)))
    is_now = within(cues.now, start, end)
    if around.behind is not None and around.behind.cards and around.behind.start < around.clause.end:
        end = around.mention.end  # `pass + next card 8`
    return around.mention.kind in ("number", "pass") and not is_now and within(later, start, end)


def _is_other_half(around: Around) -> bool:
    """Return True behind a lone `or` or a quiz, and before a `no` at the end."""
    is_joined = around.before is not None and around.before.end >= around.clause.start
    ored = any(token.word in words("numbered", "or") for token in around.before_left)
    is_first = around.clause.end > around.clause.start and _first(around) in words("numbered", "or")
    refused = bool(around.right) and around.right[-1].word in words("numbered", "no")
    before = around.text.sentence_of[around.mention.start] - 1
    is_answer = before >= 0 and within(
        around.cues.quiz, around.text.sentences[before].start, around.text.sentences[before].end
    )
    if is_answer and around.act is None and around.mention.kind == "number":
        return True
    return is_first or (ored and not is_joined) or (refused and around.mention.kind != "pass")


def _first(around: Around) -> str:
    return around.text.tokens[around.clause.start].word


def _is_named(around: Around) -> bool:
    """Return True for a card's name, and for the word PASS: `no pass` wants none."""
    first = around.text.tokens[around.mention.start].word
    return around.mention.kind == "card" or first in words("numbered", "passes")


def _opens_question(around: Around) -> bool:
    said = [token.word for token in around.whole if token.word not in words("numbered", "fillers")]
    if len(said) > 1 and said[0] in words("numbered", "openers_with_i"):
        return said[1] in words("numbered", "how_many")
    if said and said[0] in words("numbered", "asked_would") and around.mention.kind == "number":
        return len(said) == 1 and bool(around.right)
    return bool(said) and said[0] in words("numbered", "openers")


def is_next(around: Around) -> bool:
    """Return True if the mention is for the next round."""
    cues = around.cues.next
    if not around.mention.cards or around.bids_next():
        return False
    if any(cue.start < around.end and around.start < cue.end for cue in cues):
        return True
    if around.label is not None and within(cues, around.label.start, around.label.end):
        return True
    is_alone = all(token.word in words("numbered", "determiners") for token in around.left)
    if not is_alone or around.number <= 0:
        return False
    before = around.text.clauses[around.number - 1]
    return before.sentence == around.clause.sentence and any(
        cue.start - before.start <= 1 and cue.end == before.end for cue in cues
    )
