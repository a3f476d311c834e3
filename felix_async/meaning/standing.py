"""Looks at how a move stands in its text: is it understood what the words right around it say of it?

A move in a list, behind one of several labels, glued to a word that nobody knows, or in the middle of a long
story is not clearly its writer's. The longer the text, the more has to speak for a move in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from difflib import get_close_matches
from typing import Final

from felix_async.meaning.around import is_strange
from felix_async.meaning.lexicon import phrases, words
from felix_async.meaning.mentions import Mention, is_unknown, slots_of
from felix_async.meaning.situation import Situation
from felix_async.meaning.text import Clause, Sentence, Text
from felix_async.meaning.tokens import Token

_LABELS: Final = (":", "=", "-", "—")
_LABEL: Final = 3
"""Words of a label."""
_ITEM: Final = 4
"""Words and figures of an item of a list."""
_LONG: Final = 25
"""Words of a text in which a move without a verb has to be a sentence of its own."""
_BETWEEN: Final = 4
"""Words beside a move that stands for another one."""
_CORRECTING: Final = 12
"""Letters of a word of correction."""
_PAIR: Final = 2
"""A name and its number, and so many of these are a score."""
_ALIKE: Final = 0.75
"""How much of two spellings has to be the same."""


def why_unclear(text: Text, mention: Mention, found: Sequence[Mention], situation: Situation) -> str:
    """Return the doubt that the place of a move in its text makes, '' if there is none."""
    bidding = situation.decision == "bidding"
    if _is_of_several_labels(text, mention, found, situation):
        return "several"
    if mention.kind in ("limit", "amount"):
        return ""
    if _is_put_otherwise(text, mention, found, bidding):
        return "several"
    if _is_open(text, mention, found):
        return "hesitation"
    unclear = (
        _stops_talking(text, mention, found)
        or _is_glued(text, mention, bidding)
        or _is_described(text, mention, bidding)
        or _is_item(text, mention, bidding)
        or _is_repeated(text, mention, found, bidding)
        or _is_lost(text, mention, bidding)
    )
    return "unclear" if unclear else ""


def is_score(text: Text, mention: Mention) -> bool:
    """Return True for a number of a row of names with numbers, or one that says it again."""
    if mention.kind != "number":
        return False
    own = text.sentence_of[mention.start]
    for sentence in text.sentences[max(0, own - 1) : own + 1]:
        said = [text.tokens[text.clauses[at].start : text.clauses[at].end] for at in sentence.clauses]
        pairs = [clause for clause in said if len(clause) == _PAIR and clause[1].value is not None]
        named = [clause for clause in pairs if clause[0].capital and is_unknown(clause[0].word)]
        if len(named) >= _PAIR and any(clause[1].value == mention.value for clause in pairs):
            return True
    return False


def _stops_talking(text: Text, mention: Mention, found: Sequence[Mention]) -> bool:
    """Return True for `OK I'll stop` behind talk that names nothing of an auction: it may be the jokes."""
    said = {token.word for token in text.tokens[mention.start : mention.end]}
    if mention.kind != "pass" or len(found) > 1 or said.isdisjoint(words("misgivings", "stops")):
        return False
    before = {token.word for token in text.tokens[: text.sentences[text.sentence_of[mention.start]].start]}
    auction = words("acts", "bid") | words("numbered", "mice") | words("numbered", "rows")
    return bool(before) and before.isdisjoint(auction)


def _is_of_several_labels(
    text: Text, mention: Mention, found: Sequence[Mention], situation: Situation
) -> bool:
    """Return True for one of several moves with labels that are not the writer's: `odd: 5, even: 6`."""
    labelled = {_said(text, label): one for one in found if (label := _label(text, one)) is not None}
    moves = {one.orders or (one.value,) for one in labelled.values()}
    label = _label(text, mention)
    if label is None or len(moves) < 2:
        return False
    rounds = phrases("around", "now", "next").find(text, slots_of(situation), label.start, label.end)
    if next(rounds, None) is not None:
        return False
    said = _said(text, label)
    own = words("misgivings", "own") | words("numbered", "decision_labels")
    shared = {word for other in labelled if other != said for word in other}
    is_of_set = not shared.isdisjoint(set(said) - words("numbered", "determiners"))
    return is_of_set or own.isdisjoint(said)


def _label(text: Text, mention: Mention) -> Clause | None:
    """The few words before a colon or a dash, if the move stands right behind it."""
    number = text.clause_of[mention.start]
    if number < 1 or text.clauses[number].before not in _LABELS:
        return None
    label, clause = text.clauses[number - 1], text.clauses[number]
    is_near = label.sentence == clause.sentence and label.end - label.start <= _LABEL
    left = text.tokens[clause.start : mention.start]
    is_label = any(token.kind == "word" for token in text.tokens[label.start : label.end])
    is_right_behind = all(token.word in words("numbered", "determiners") for token in left)
    return label if is_near and is_label and is_right_behind else None


def _said(text: Text, clause: Clause | Sentence) -> tuple[str, ...]:
    return tuple(token.word for token in text.tokens[clause.start : clause.end])


def _is_put_otherwise(text: Text, mention: Mention, found: Sequence[Mention], bidding: bool) -> bool:
    """Return True if another move beside it is said with a misspelled word of correction: `bid 7 sory 8`."""
    for other in found:
        if other.orders == mention.orders or not other.orders or other.kind == "limit":
            continue
        first, last = sorted((mention, other), key=lambda one: one.start)
        beside = [token for token in text.tokens[first.end : last.end + 1] if token.kind == "word"]
        if _is_row(text, first, last):
            return True
        if len(beside) <= _BETWEEN and any(_is_misspelled(token, bidding) for token in beside):
            return True
    return False


def _is_row(text: Text, first: Mention, last: Mention) -> bool:
    """Return True for two bare moves with nothing but a mark between them: `toss-up: 7, 9`."""
    number, other = text.clause_of[first.start], text.clause_of[last.start]
    if number < 0 or other != number + 1:
        return False
    clauses = [text.clauses[number], text.clauses[other]]
    is_bare = all(
        (clause.start, clause.end) == (one.start, one.end)
        for clause, one in zip(clauses, (first, last), strict=True)
    )
    is_labelled = clauses[0].before in _LABELS and not _is_own_label(text, number)
    return is_bare and is_labelled and clauses[0].sentence == clauses[1].sentence


def _is_own_label(text: Text, number: int) -> bool:
    said = _said(text, text.clauses[number - 1]) if number else ()
    return not (words("misgivings", "own") | words("numbered", "decision_labels")).isdisjoint(said)


def _is_misspelled(token: Token, bidding: bool) -> bool:
    """Return True for what is nearly a word of correction."""
    correcting = words("misgivings", "correcting")
    is_new = token.word not in correcting and is_strange(token, bidding)
    return is_new and bool(get_close_matches(token.word[:_CORRECTING], correcting, 1, _ALIKE))


def _is_open(text: Text, mention: Mention, found: Sequence[Mention]) -> bool:
    """Return True if the text ends with another move that is asked or left open: `11. The 5? …`"""
    spoken = (token.word for token in reversed(text.tokens) if token.kind in ("word", "number", "figure"))
    if next(spoken, "") in words("misgivings", "unfinished") and _ends_open(text):
        return True
    others = [one for one in found if one.orders and one.orders != mention.orders]
    if not others or _is_said(text, mention):
        return False
    last = max((*others, mention), key=lambda one: one.end)
    behind = text.tokens[last.end :]
    dots = [token for token in behind if token.word in (".", "…")]
    is_end = all(token.kind == "mark" for token in behind)
    return is_end and (len(dots) > 1 or (last is not mention and any(one.word == "?" for one in behind)))


def _ends_open(text: Text) -> bool:
    return text.tokens[-1].word in (".", "…", ",", "-", "—")


def _is_glued(text: Text, mention: Mention, bidding: bool) -> bool:
    """Return True for a number that is a part of a word that nobody knows: `eleventy-seven`."""
    if mention.kind != "number" or mention.start < 2:
        return False
    word, mark, number = text.tokens[mention.start - 2 : mention.start + 1]
    if word.line != number.line or word.kind == "mark":
        return False
    is_new = is_strange(word, bidding)
    if mark.word == "-":
        is_joined = word.end == mark.start and mark.end == number.start
        return is_joined and (is_new or word.value is not None)
    is_pass = word.word in words("numbered", "passes")
    return is_new and not (word.capital or is_pass) and mark.word in words("numbered", "and")


def _is_described(text: Text, mention: Mention, bidding: bool) -> bool:
    """Return True for a number of things that are told of: `ten little fingers`."""
    behind = text.tokens[mention.end : mention.end + 2]
    if mention.kind != "number" or len(behind) < 2 or _is_said(text, mention):
        return False
    is_told = behind[0].word in words("misgivings", "describing")
    return is_told and behind[1].kind == "word" and is_strange(behind[1], bidding)


def _is_item(text: Text, mention: Mention, bidding: bool) -> bool:
    """Return True for a line of a list: `eggs (8)` above `milk`, `rabbit` below `carrots` and `hay`."""
    if _is_said(text, mention):
        return False
    lines: dict[int, list[Token]] = {}
    for token in text.tokens:
        if token.kind != "mark":
            lines.setdefault(token.line, []).append(token)
    own = text.tokens[mention.start].line
    numbered = [line for line, said in lines.items() if _is_numbered(said, bidding)]
    if own in numbered and len(numbered) > 1:
        return True
    items = [line for line, said in lines.items() if line != own and _names_things(said, bidding)]
    is_thing = len(lines[own]) > mention.end - mention.start and _names_things(lines[own], bidding)
    return bool(items) and (is_thing or len(items) > 1) and 2 * len(items) + 1 >= len(lines)


def _names_things(said: Sequence[Token], bidding: bool) -> bool:
    """Return True for few words, one of them unknown, and none of them a verb of the game or the writer."""
    if len(said) > _ITEM or any(token.word in _speaking() for token in said):
        return False
    unknown = [token for token in said if is_strange(token, bidding)]
    known = [token for token in said if token not in unknown and token.value is None]
    names = [token for token in unknown if token.capital]
    return len(unknown) > len(names) and len(known) <= len(unknown)


def _is_numbered(said: Sequence[Token], bidding: bool) -> bool:
    """Return True for a line that begins with the number of an item: `7 Treasurer`."""
    return 1 < len(said) <= _ITEM and said[0].value is not None and is_strange(said[1], bidding)


def _speaking() -> frozenset[str]:
    return words("misgivings", "own") | words("misgivings", "plays") | words("numbered", "courtesy")


def _is_repeated(text: Text, mention: Mention, found: Sequence[Mention], bidding: bool) -> bool:
    """Return True if a bare number says again how many things there were: `11 sausages, ELEVEN`."""
    number = text.clause_of[mention.start]
    if mention.kind != "number" or number < 0:
        return False
    clause = text.clauses[number]
    if (clause.start, clause.end) != (mention.start, mention.end):
        return False
    for other in found:
        if other.end > mention.start or other.value != mention.value or text.clause_of[other.start] < 0:
            continue
        said = text.clauses[text.clause_of[other.start]]
        beside = (*text.tokens[other.end : other.end + 1], *text.tokens[said.start : other.start][-1:])
        is_near = text.sentence_of[mention.start] - text.sentence_of[other.start] <= 1
        if is_near and any(is_strange(token, bidding) for token in beside):
            return True
    return False


def _is_lost(text: Text, mention: Mention, bidding: bool) -> bool:
    """Return True for a bare number or card in a long text, in a sentence that says more than that."""
    if sum(1 for token in text.tokens if token.kind == "word") <= _LONG or mention.kind == "pass":
        return False
    if _is_said(text, mention):
        return False
    sentence = text.sentences[text.sentence_of[mention.start]]
    number = text.clause_of[mention.start]
    clause = text.clauses[number] if number >= 0 else sentence
    label = text.clauses[number - 1] if number > 0 and text.clauses[number].before == ":" else clause
    around = (*text.tokens[clause.start : clause.end], *text.tokens[label.start : label.end])
    is_counted = bidding and any(token.word in words("numbered", "mice") for token in around)
    if label is not clause and not words("numbered", "decision_labels").isdisjoint(_said(text, label)):
        return False
    return not is_counted and any(is_strange(token, bidding) for token in around)


def _is_said(text: Text, mention: Mention) -> bool:
    """Return True if the writer says the move with a verb, or of themselves: `I bid 7`, `7 for me`."""
    number = text.clause_of[mention.start]
    if number < 0:
        return False
    clause = text.clauses[number]
    around = (
        *text.tokens[clause.start : mention.start],
        *text.tokens[mention.end : min(clause.end, mention.end + _LABEL)],
    )
    return any(token.word in _speaking() for token in around)
