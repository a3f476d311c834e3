"""Words about when something is to be done, and about being asked again: they are no move, and against none.

Whoever is not in turn says `6 when my turn comes`; a limit has an end: `up to 8, then ask me`. Everything
else about a text is read without these words.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from felix_async.meaning.lexicon import phrases, words
from felix_async.meaning.mentions import slots_of
from felix_async.meaning.phrases import Found
from felix_async.meaning.situation import Situation
from felix_async.meaning.text import Text, text_of

_LIMITS = ("up_to", "until", "out_above")


def without_when(text: Text, situation: Situation) -> Text:
    """Return the text of somebody who is not in turn without the words for that, and for not being asked."""
    if not situation.is_early:
        return text
    found = phrases("advance", "my_turn", "unasked").find(text, slots_of(situation))
    return _without(
        text, [cue for cue in found if not text.sentences[text.sentence_of[cue.start]].is_question]
    )


def without_asking(text: Text, situation: Situation) -> Text | None:
    """Return the text without the words that want to be asked above a limit; None if there are none."""
    slots = slots_of(situation)
    limit = next(phrases("limits", *_LIMITS).find(text, slots), None)
    if situation.decision != "bidding" or limit is None:
        return None
    found = list(phrases("advance", "unasked", "asks").find(text, slots, limit.end))
    if not any(cue.key == "asks" for cue in found):
        return None
    above = list(phrases("advance", "above").find(text, slots, limit.end))
    return _without(text, [*found, *_beside(text, found, above)])


def _beside(text: Text, found: Sequence[Found], above: Sequence[Found]) -> Iterator[Found]:
    """Yield the words for `above that` right before and behind those that want to be asked."""
    for cue in above:
        for one in found:
            start, end = (cue.end, one.start) if cue.end <= one.start else (one.end, cue.start)
            between = text.tokens[start:end]
            if start <= end and all(
                token.kind == "mark" or token.word in words("advance", "between") for token in between
            ):
                yield cue
                break


def _without(text: Text, found: Sequence[Found]) -> Text:
    """The text with blanks instead of these words."""
    if not found:
        return text
    lines = list(text.lines)
    for cue in found:
        for token in text.tokens[cue.start : cue.end]:
            blank = " " * (token.end - token.start)
            lines[token.line] = f"{lines[token.line][: token.start]}{blank}{lines[token.line][token.end :]}"
    return text_of(lines)
