"""Looks once more at a text by which something would be done: is it an answer of its writer, and meant?

A text tells of others, of another day, of what might be; it is a joke, a list, a mail that was passed on;
or it takes back at its end what it said. Cues of that count by where they stand: some anywhere, some behind
the move, some in its sentence from the last word on that begins afresh (`but`, `so`), some beside it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from felix_async.meaning.around import is_strange
from felix_async.meaning.cues import above_in
from felix_async.meaning.decide import Decision, doubted
from felix_async.meaning.lexicon import phrases, words
from felix_async.meaning.mentions import Mention, slots_of
from felix_async.meaning.phrases import Found
from felix_async.meaning.situation import Situation
from felix_async.meaning.standing import is_score, why_unclear
from felix_async.meaning.text import Text
from felix_async.meaning.tokens import Token
from felix_async.meaning.turned import is_turned

_DOUBTS: Final = {
    "retracts": "taken back",
    "unreal": "hesitation",
    "mocks": "hesitation",
    "mocks_all": "hesitation",
    "both": "several",
    "roughly": "hesitation",
    "unreal_behind": "hesitation",
    "condition": "condition",
    "condition_behind": "condition",
    "asks": "question",
    "day": "hesitation",
}
"""The doubt that a cue is, by its list in the language's table."""
_SHORT: Final = 8
"""Words and marks of a line of a list."""
_QUOTES: Final = frozenset("\"'")
_CITED: Final = 2
"""Words beside a quotation that only lead to it: `so: "7"`."""
_NEAR: Final = 3
"""Words between a move and what takes it back alone, and of a time before a colon."""
_LISTED: Final = 3
"""So many lines with numbers are a list."""


def reconsidered(text: Text, decision: Decision, found: Sequence[Mention], situation: Situation) -> Decision:
    """Return the decision, or what to ask if something speaks against it, or an empty one.

    A bid and the limit behind it are looked at both.
    """
    if decision.do is None:
        return decision
    move = replace(decision.do, limit=None, asks=False)
    limits = [one for one in decision.by if one.kind == "limit"]
    moves = [one for one in decision.by if {move, decision.do} & {*one.orders} and one.kind != "limit"]
    for mention in (*moves[-1:], *limits[-1:]):
        if is_turned(text.lines):
            return doubted(decision, "unclear", situation)
        if _is_elsewhere(text, mention, situation):
            return Decision()
        doubt = _doubt(text, mention, situation, is_limited=bool(limits)) or why_unclear(
            text, mention, found, situation
        )
        if doubt:
            return doubted(decision, doubt, situation)
    return decision


# ---- No answer ---------------------------------------------------------------------------------------


def _is_elsewhere(text: Text, mention: Mention, situation: Situation) -> bool:
    """Return True if the mention is no move of this game, or not the writer's."""
    if any(cue.start < mention.end and cue.end > mention.start for cue in _found(text, situation, "idioms")):
        return True
    if next(phrases("misgivings", "pasted").find(text), None) is not None and not _is_own(text, mention):
        return True
    return (
        _is_cited(text, mention)
        or _is_passed_on(text, mention)
        or _is_listed(text, mention)
        or (is_score(text, mention) and not _is_governed(text, mention))
        or _is_animal(text, mention, situation)
        or _is_counted(text, mention)
        or _is_left(text, mention)
        or _is_reported(text, mention, situation)
        or _is_for_another(text, mention, situation)
        or (
            mention.kind != "limit"
            and any(_in_scope(text, mention, cue) for cue in _found(text, situation, "elsewhere"))
        )
    )


def _is_own(text: Text, mention: Mention) -> bool:
    """Return True if the writer says the move in the first person: `I bid 7`."""
    return any(token.word in words("misgivings", "own") for token in _left(text, mention)[-4:])


def _is_cited(text: Text, mention: Mention) -> bool:
    """Return True between quotation marks, of whatever kind, of a sentence that says more than that."""
    line = text.tokens[mention.start].line
    marks = [
        at
        for at, token in enumerate(text.tokens)
        if token.line == line and (token.word in _QUOTES or token.raw[-1] == "'")
    ]
    before = sum(1 for at in marks if at < mention.start)
    if not before or before == len(marks):
        return False
    first, last = marks[before - 1], marks[before]
    is_code = first > 0 and text.tokens[first - 1].kind == "mark" and text.tokens[first].word == "'"
    if is_code or text.tokens[first].end == text.tokens[first + 1].start - 1:
        return False  # an apostrophe behind a word, or a quotation that ends
    sentence = text.sentences[text.sentence_of[mention.start]]
    said = sum(1 for token in text.tokens[sentence.start : sentence.end] if token.kind == "word")
    cited = sum(1 for token in text.tokens[first:last] if token.kind == "word")
    return said - cited > _CITED


def _is_passed_on(text: Text, mention: Mention) -> bool:
    """Return True for `pass... the popcorn`."""
    behind = text.tokens[mention.end :]
    dots = next((number for number, token in enumerate(behind) if token.word not in (".", "…")), 0)
    is_pass = text.tokens[mention.end - 1].word in words("numbered", "passes")
    return is_pass and dots > 1 and behind[dots].raw in words("numbered", "passed_things")


def _is_listed(text: Text, mention: Mention) -> bool:
    """Return True for a number of a list, a table, a bill."""
    if mention.kind == "pass" or _is_own(text, mention) or _is_governed(text, mention):
        return False
    long = Counter(token.line for token in text.tokens)
    listed = [
        token for token in text.tokens if token.kind in ("number", "figure") and long[token.line] <= _SHORT
    ]
    lines, values = {token.line for token in listed}, {token.word for token in listed}
    return len(lines) >= _LISTED and len(values) >= _LISTED and text.tokens[mention.start].line in lines


def _is_animal(text: Text, mention: Mention, situation: Situation) -> bool:
    """Return True for an animal that does something itself, or something is done to: `my dog ate`."""
    if mention.kind != "card" or situation.decision != "placing" or mention.value is not None:
        return False
    if _is_governed(text, mention):
        return False
    left, right = _left(text, mention), _right(text, mention)
    return bool(
        text.tokens[mention.end - 1].word in words("misgivings", "several_animals")
        or (right and right[0].word in words("misgivings", "animal_does"))
        or any(token.word in words("misgivings", "animal_done") for token in left[-3:])
    )


def _is_counted(text: Text, mention: Mention) -> bool:
    """Return True for `7 of us` and `5 more minutes`."""
    right = _right(text, mention)
    if mention.kind not in ("number", "amount", "limit") or not right:
        return False
    said = [token.word for token in right[:3]]
    if mention.kind == "limit" and said[0] in words("misgivings", "counted"):
        return True
    if said[0] == "of":
        is_own = not words("numbered", "mice").isdisjoint(token.word for token in right[:4])
        return not words("misgivings", "of_whom").isdisjoint(said[1:2]) and not is_own
    if said[0] in words("misgivings", "more"):
        said = said[1:]
    ends_more = text.tokens[mention.end - 1].word in words("misgivings", "more")
    is_more = ends_more or len(said) < len(right[:3])
    return is_more and bool(said) and said[0] in words("misgivings", "counted")


def _is_left(text: Text, mention: Mention) -> bool:
    """Return True if something else than the auction is left, or is too dear: `I quit my job`."""
    if mention.kind != "pass":
        return False
    said = {token.word for token in text.tokens[mention.start : mention.end]}
    if said & words("numbered", "passes"):
        return False
    of = _right(text, mention)[:2]
    if len(of) > 1 and of[0].word in words("misgivings", "out_of") and _is_new(of[1]):
        return True
    behind = text.tokens[mention.end : text.sentences[text.sentence_of[mention.start]].end]
    right = [token.word for token in behind if token.kind != "mark"][:6]
    if not right or right[0] in words("misgivings", "leaves_this"):
        return False
    beside = () if mention.is_certain else _right(text, mention)
    if beside and beside[0].word in words("misgivings", "left_for") and any(map(_is_new, beside[1:3])):
        return True
    return any(word in words("misgivings", "left_things") for word in right)


def _is_new(token: Token) -> bool:
    return token.kind in ("word", "figure") and is_strange(token, bidding=True)


def _is_reported(text: Text, mention: Mention, situation: Situation) -> bool:
    """Return True for what somebody else says: `Dan said: bid 7`, `bid 7, says Dan`."""
    start = text.sentences[text.sentence_of[mention.start]].start
    between = words("misgivings", "said_between") | words("acts", "bid") | words("acts", "play")
    between |= {token.word for token in text.tokens[mention.start : mention.end]}
    between -= words("misgivings", "saying") | words("misgivings", "saying_loud")
    at = mention.start - 1
    while at >= start and (text.tokens[at].kind == "mark" or text.tokens[at].word in between):
        at -= 1
    if at >= start and _is_saying(text, at):
        before = {token.word for token in text.tokens[max(start, at - 2) : at]}
        return bool(before) and not before & words("misgivings", "speaker")
    is_quoting = any(token.word in _QUOTES for token in text.tokens[start : mention.start])
    is_told = is_quoting and not _is_own(text, mention)
    return any(
        cue.start >= mention.end or (is_told and _in_scope(text, mention, cue))
        for cue in _near(text, mention, situation, "says_who")
    )


def _is_saying(text: Text, at: int) -> bool:
    word, behind = text.tokens[at].word, text.tokens[at + 1]
    is_loud = word in words("misgivings", "saying_loud") and behind.kind == "mark"
    return is_loud or word in words("misgivings", "saying")


def _is_for_another(text: Text, mention: Mention, situation: Situation) -> bool:
    """Return True for what somebody else is told to do: `bid 7, Ben!`, `come on Dan, pass`."""
    number = text.clause_of[mention.start]
    if number < 0 or _is_own(text, mention):
        return False
    clause = text.clauses[number]
    first = text.tokens[clause.start]
    urges = list(_near(text, mention, situation, "urges"))
    sentence = text.sentences[clause.sentence]
    again = [at for at in sentence.clauses if text.tokens[text.clauses[at].start].word == first.word]
    urged = bool(urges) or len(again) > 1
    is_bare = clause.start == mention.start and bool(urges) and urges[0].end <= mention.start
    if first.word not in words("misgivings", "commands") and not is_bare:
        return False
    beside = [text.clauses[at] for at in (number - 1, number + 1) if 0 <= at < len(text.clauses)]
    beside = [other for other in beside if other.sentence == clause.sentence]
    called = any(_is_name(text.tokens[other.end - 1]) for other in beside if other.end <= clause.start)
    called = called or any(
        _is_called(text.tokens[other.start]) and other.end == other.start + 1 for other in beside
    )
    called = called or (clause.end == mention.end + 1 and _is_called(text.tokens[mention.end]))
    return called and (urged or first.word not in words("numbered", "passes"))


def _is_called(token: Token) -> bool:
    return _is_name(token) or token.word in words("misgivings", "somebody")


def _is_name(token: Token) -> bool:
    return (
        token.capital
        and token.word not in words("light", "words")
        and token.word not in words("numbered", "addressees")
    )


# ---- An answer, with something against it --------------------------------------------------------------


def _doubt(text: Text, mention: Mention, situation: Situation, *, is_limited: bool) -> str:
    cues = _found(text, situation, *_DOUBTS)
    if is_limited:
        # If somebody goes higher is what a limit is for.
        higher = above_in(text, situation)
        cues = [cue for cue in cues if not any(one.start < cue.end and cue.start < one.end for one in higher)]
    if any(cue.start >= mention.end for cue in _found(text, situation, "meant")):
        cues = [cue for cue in cues if cue.key not in ("retracts", "mocks")]
    if mention.kind != "pass":
        cues = [cue for cue in cues if not mention.start <= cue.start < cue.end <= mention.end]
    for cue in cues:
        if _counts(text, mention, situation, cue):
            return _DOUBTS[cue.key]
    if any(_takes_back(text, mention, cue) for cue in _found(text, situation, "retracts_alone")):
        return "taken back"
    if _is_wished(text, mention):
        return "hesitation"
    return "unclear" if _is_foreign(text, mention) else ""


def _counts(text: Text, mention: Mention, situation: Situation, cue: Found) -> bool:
    """Return True if a cue stands where it speaks against the mention."""
    if mention.is_certain and mention.start <= cue.start and cue.end <= mention.end:
        return False
    if cue.key == "retracts":
        return cue.start >= mention.end and not _corrects(text, mention, situation)
    if cue.key == "mocks":
        return mention.kind != "pass" or (cue.start < mention.end and mention.start < cue.end)
    if cue.key.startswith("condition") and mention.kind == "limit":
        return text.sentence_of[cue.start] == text.sentence_of[mention.start]
    if cue.key == "mocks_all":
        return True
    if cue.key == "asks" and _is_asked_for(text, mention):
        return False
    if cue.key == "roughly":
        return cue.start in (mention.end, mention.end + 1)
    if cue.key == "condition_behind":
        return cue.start >= mention.end and cue.start - mention.end <= 1 + _marks(
            text, mention.end, cue.start
        )
    if cue.key == "unreal_behind":
        return cue.start >= mention.end and text.clause_of[cue.start] == text.clause_of[mention.start]
    if cue.key == "day":
        upcoming = phrases("around", "next").find(text, slots_of(situation)) if mention.cards else ()
        is_next = any(one.start <= cue.start < one.end for one in upcoming)
        is_next |= any(order.word == "NEXT" for order in mention.orders)
        return _is_dated(text, mention, cue) and not is_next
    if cue.key == "unreal":
        is_apart = text.clause_of[cue.start] != text.clause_of[mention.start]
        if cue.start >= mention.end or (is_apart and mention.kind == "pass"):
            return False
    return _in_scope(text, mention, cue)


def _is_beside(text: Text, mention: Mention, cue: Found) -> bool:
    """Return True if a cue stands in the clause of the mention."""
    return text.clause_of[cue.start] == text.clause_of[mention.start] >= 0


def _corrects(text: Text, mention: Mention, situation: Situation) -> bool:
    """Return True if the mention stands for another before it, so that what follows explains that."""
    return any(
        cue.end <= mention.start
        for cue in phrases("around", "corrects").find(text, slots_of(situation), end=mention.start)
    )


def _takes_back(text: Text, mention: Mention, cue: Found) -> bool:
    """Return True for a retraction of few words right behind the mention: `bid 8. NOT.`"""
    between = [token for token in text.tokens[mention.end : cue.start] if token.kind == "word"]
    return cue.start >= mention.end and len(between) <= _NEAR and _is_whole(text, cue)


def _is_asked_for(text: Text, mention: Mention) -> bool:
    """Return True for `would you play the 8 for me`: felix is asked to do it."""
    sentence = text.sentences[text.sentence_of[mention.start]]
    said = {token.word for token in text.tokens[sentence.start : sentence.end]}
    return bool(said & words("misgivings", "asked_for"))


def _marks(text: Text, start: int, end: int) -> int:
    return sum(1 for token in text.tokens[start:end] if token.kind in ("mark", "emoji"))


def _is_dated(text: Text, mention: Mention, cue: Found) -> bool:
    """Return True if the move is for another time: `I'll bid 7 tomorrow`, `7, but later`."""
    between = text.tokens[mention.end : cue.start]
    if cue.start >= mention.end:
        if text.sentence_of[cue.start] != text.sentence_of[mention.start]:
            return False
        if mention.is_certain and not _is_beside(text, mention, cue):
            return False  # `too dear for me, next time again`
        return all(
            token.kind == "mark" or token.word in words("misgivings", "dated_between") for token in between
        )
    number, own = text.clause_of[cue.start], text.clause_of[mention.start]
    if number < 0 or own < 0:
        return False
    is_label = number == own - 1 and text.clauses[own].before == ":" and _is_short(text, number)
    return number == own or is_label


def _is_short(text: Text, number: int) -> bool:
    return text.clauses[number].end - text.clauses[number].start <= _NEAR


def _is_wished(text: Text, mention: Mention) -> bool:
    """Return True for `I'd love to bid 7 but …`: a wish, and what stands in its way."""
    left = [token.word for token in _left(text, mention)]
    if mention.kind == "amount" and set(left) & words("numbered", "having"):
        return True
    if not set(left) & words("misgivings", "wishes"):
        return False
    sentence = text.sentences[text.sentence_of[mention.start]]
    behind = text.tokens[mention.end : sentence.end]
    return any(token.word in words("numbered", "but") for token in behind)


def _is_foreign(text: Text, mention: Mention) -> bool:
    """Return True if the word before the move is of another language, or the one behind it."""
    left, right = _left(text, mention), _right(text, mention)
    before, behind = words("misgivings", "foreign_verbs"), words("misgivings", "foreign_words")
    return bool((left and left[-1].word in before) or (right and right[0].word in behind))


def _is_whole(text: Text, cue: Found) -> bool:
    """Return True if a cue is a clause of its own, but for light words."""
    number = text.clause_of[cue.start]
    if number < 0:
        return True
    clause = text.clauses[number]
    goes_on = text.tokens[clause.end : clause.end + 1]
    if goes_on and goes_on[0].kind == "word" and text.sentence_of[clause.end] == clause.sentence:
        return False  # `not because …`
    around = (*text.tokens[clause.start : cue.start], *text.tokens[cue.end : clause.end])
    return all(token.kind != "word" or token.word in words("misgivings", "laughs") for token in around)


# ---- Scopes --------------------------------------------------------------------------------------------


def _found(text: Text, situation: Situation, *keys: str) -> list[Found]:
    return list(phrases("misgivings", *keys).find(text, slots_of(situation)))


def _near(text: Text, mention: Mention, situation: Situation, key: str) -> Iterator[Found]:
    """Yield the cues in the sentence of the mention."""
    sentence = text.sentences[text.sentence_of[mention.start]]
    return phrases("misgivings", key).find(text, slots_of(situation), sentence.start, sentence.end)


def _in_scope(text: Text, mention: Mention, cue: Found) -> bool:
    """Return True for a cue in the sentence of the mention, with no word between that begins afresh."""
    if text.sentence_of[cue.start] != text.sentence_of[mention.start]:
        return False
    between = text.tokens[cue.end : mention.start]
    return not any(token.word in words("misgivings", "afresh") for token in between)


def _left(text: Text, mention: Mention) -> Sequence[Token]:
    """The tokens of its clause before the mention."""
    number = text.clause_of[mention.start]
    return text.tokens[text.clauses[number].start : mention.start] if number >= 0 else ()


def _right(text: Text, mention: Mention) -> Sequence[Token]:
    number = text.clause_of[mention.end - 1]
    return text.tokens[mention.end : text.clauses[number].end] if number >= 0 else ()


def _is_governed(text: Text, mention: Mention) -> bool:
    """Return True if a verb of the game stands before the mention in its clause."""
    return any(token.word in words("misgivings", "plays") for token in _left(text, mention))
