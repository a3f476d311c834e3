"""How a mention is meant: wanted, and how clearly; or what else explains it, or speaks against it.

The evidence is what stands around the mention in its clause, and the cues of its sentence.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from felix_async.meaning.cues import Cues, within
from felix_async.meaning.lexicon import words
from felix_async.meaning.mentions import Mention, is_unknown
from felix_async.meaning.situation import Situation
from felix_async.meaning.text import Clause, Text
from felix_async.meaning.tokens import Token

Stance = Literal[
    "clear", "likely", "faint", "against", "explained", "reported", "conditional", "asked", "doubtful"
]
"""`clear`, `likely` and `faint` are wanted; `explained` is something else, `reported` of others or past."""
WANTED: Final = ("clear", "likely", "faint")
_GOVERNS: Final = 7
"""Words between a verb and what it governs."""
_LIGHT: Final = 2
"""Unknown words around a mention in a short clause that leave it likely."""
_SHORT: Final = 7
_MOST_MICE: Final = 108
"""Mice in the largest game."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """A mention and how it is meant.

    `is_next` is True if it is for the next round, `decided` if the writer says that this is the decision,
    `corrects` if it stands for what was said before.
    """

    mention: Mention
    stance: Stance
    is_next: bool = False
    decided: bool = False
    corrects: bool = False


def evidence_in(text: Text, mentions: Sequence[Mention], cues: Cues, situation: Situation) -> list[Evidence]:
    """Return the evidence for each mention."""
    found: list[Evidence] = []
    for number, mention in enumerate(mentions):
        before = mentions[number - 1] if number else None
        behind = mentions[number + 1] if number + 1 < len(mentions) else None
        found.append(_Around(text, mention, before, behind, cues, situation).evidence())
    return found


class _Around:
    """What stands around a mention in its clause: the words left and right of it, up to other mentions."""

    def __init__(
        self,
        text: Text,
        mention: Mention,
        before: Mention | None,
        behind: Mention | None,
        cues: Cues,
        situation: Situation,
    ) -> None:
        self.text, self.mention, self.cues, self.situation = text, mention, cues, situation
        clause_number = text.clause_of[mention.start]
        self.sentence = text.sentences[text.sentence_of[mention.start]]
        if clause_number < 0:  # a picture
            self.clause = Clause(mention.start, mention.end, text.sentence_of[mention.start])
        else:
            self.clause = text.clauses[clause_number]
        self.number = clause_number
        end = next(
            (clause.end for clause in text.clauses if clause.start < mention.end <= clause.end), mention.end
        )
        start = self.clause.start
        if before is not None and before.end > start:
            start = before.end
        if behind is not None and behind.start < end:
            end = behind.start
        left, right = text.tokens[start : mention.start], text.tokens[mention.end : end]
        self.whole = text.tokens[self.clause.start : mention.start]
        splits = [at for at, token in enumerate(left) if token.word in words("numbered", "splits")]
        self.split = bool(splits)
        self.left = left[splits[-1] + 1 :] if splits else left
        self.start = mention.start - len(self.left)
        splits = [at for at, token in enumerate(right) if token.word in words("numbered", "splits")]
        self.right = right[: splits[0]] if splits else right
        self.end = mention.end + len(self.right)
        self.label = self._label()
        self.act = self._act()

    def _label(self) -> Clause | None:
        """The clause before a colon, if the mention stands behind one."""
        if self.clause.before in (":", "=") and self.number > 0:
            label = self.text.clauses[self.number - 1]
            if label.sentence == self.clause.sentence:
                return label
        return None

    def _act(self) -> int | None:
        """How many words left of the mention the verb stands that governs it."""
        bidding = self.situation.decision == "bidding"
        acts = words("acts", "bid" if bidding else "play")
        leads = words("numbered", "leads")
        for back, token in enumerate(reversed(self.left[-_GOVERNS:]), 1):
            if token.word in acts:
                return back
            if (
                token.word not in leads
                and token.kind == "word"
                and token.word not in words("light", "adverbs")
            ):
                return None
        return None

    def evidence(self) -> Evidence:
        stance = self.stance()
        decided = within(self.cues.decides, self.start, self.end) or self._is_label_of_decision()
        corrects = within(self.cues.corrects, self.start, self.end)
        return Evidence(self.mention, stance, self.is_next(), decided, corrects)

    # ---- what else it is ---------------------------------------------------------------------------------

    def stance(self) -> Stance:
        mention = self.mention
        if self._is_quoted() or self._is_counted():
            return "explained"
        if mention.kind == "pass" and self._is_no_pass():
            return "explained"
        if self._is_against():
            return "against"
        if mention.kind in ("card", "number") and self._is_kept():
            return "against"
        if self._is_others() or self._is_past():
            return "reported"
        if mention.kind in ("number", "card") and self._is_had():
            return "explained"
        if mention.kind == "number" and self._is_labelled() and not self.is_next():
            return "explained"
        if self.situation.decision == "bidding" and self._is_card() and not self.is_next():
            return "explained"
        if self._is_signed():
            return "explained"
        if self._is_conditional():
            return "conditional"
        if self._is_doubtful():
            return "doubtful"
        if self._is_asked():
            return "asked"
        return self._clearness()

    def _is_quoted(self) -> bool:
        at = self.mention.start
        if at not in self.text.quoted:
            return False
        alone = all(
            position in self.text.quoted
            and (position >= self.mention.start)
            and (position < self.mention.end)
            for position in range(self.clause.start, self.clause.end)
        )
        return not (alone and len(self.text.quoted) == self.mention.end - self.mention.start)

    def _is_counted(self) -> bool:
        """Return True if the number counts something that is no mice."""
        if self.mention.kind != "number":
            return False
        right = self.text.tokens[self.mention.end : self.clause.end]
        if right and right[0].word == "-" and len(right) > 1:
            right = right[1:]
        if not right:
            return False
        word = right[0].word
        if word in words("numbered", "mice"):
            return len(right) > 1 and right[1].word in words("numbered", "units")
        if word in words("numbered", "units") and word not in words("numbered", "no_units"):
            return True
        is_plural = word.endswith("s") and not word.endswith("ss") and len(word) > 3
        return is_plural and word not in words("numbered", "no_units") and word not in words("light", "words")

    def _is_no_pass(self) -> bool:
        """Return True for `pass the salt`, `pass 5 times`."""
        tokens = self.text.tokens
        if tokens[self.mention.end - 1].word not in words("numbered", "passes"):
            return False
        behind = tokens[self.mention.end : self.clause.end]
        if not behind:
            return False
        word = behind[0].word
        if word in words("numbered", "passed_things"):
            return not (len(behind) > 1 and behind[1].word in words("numbered", "passed_moves"))
        return behind[0].value is not None

    def _is_card(self) -> bool:
        """Return True if a card is named in an auction, in words that do not place it."""
        return self.mention.kind == "card" and not self._plays() and self._unknown() > 0

    def _plays(self) -> bool:
        said = {token.word for token in self.left}
        return bool(said & words("acts", "only_play"))

    def _is_signed(self) -> bool:
        """Return True in a line as of a signature (`Name | Ext. 4412`), and for a number beyond all mice."""
        line = self.text.lines[self.text.tokens[self.mention.start].line]
        beyond = self.mention.value is not None and abs(self.mention.value) > _MOST_MICE
        return "|" in line or (beyond and self.act is None and len(self.text.tokens) > 2)

    def _is_against(self) -> bool:
        if self.mention.kind == "limit":
            return False
        negations = words("numbered", "negations")
        skip = (
            words("numbered", "leads")
            | words("acts", "bid")
            | words("acts", "play")
            | words("light", "adverbs")
        )
        left = self.left
        for back, token in enumerate(reversed(left[-_GOVERNS:]), 1):
            if token.word in negations:
                # `no 7` is an answer to what was said before.
                return not (
                    token.word in words("numbered", "no") and back == 1 and self.mention.kind != "card"
                )
            if token.word not in skip:
                break
        right = self.right
        return bool(right) and right[0].word in words("numbered", "negations") - words("numbered", "no")

    def _is_kept(self) -> bool:
        keeping = words("numbered", "keeping")
        if any(token.word in words("numbered", "rows") for token in self.right):
            return False
        left = [token.word for token in self.left[-4:]]
        if any(word in keeping for word in left if word not in words("numbered", "also_acts")):
            return True
        right = [token.word for token in self.right[:5]]
        return (
            any(word in keeping for word in right)
            and self.mention.kind in ("card", "number")
            and (self.situation.decision == "placing")
        )

    def _subject(self) -> Token | None:
        """The last word left of the mention, in its clause, that somebody who acts may be."""
        first, others, kin = (
            words("numbered", "first"),
            words("numbered", "subjects"),
            words("numbered", "kin"),
        )
        for token in reversed(self.whole):
            if token.word in first or token.word in others or token.word in kin:
                return token
            if self._is_name(token):
                return token
        return None

    def _is_name(self, token: Token) -> bool:
        if token.kind != "word" or not token.capital:
            return False
        names = {part.casefold() for name in self.situation.names for part in name.split()}
        return token.word in names or (is_unknown(token.word) and not _is_known(token.word))

    def _is_others(self) -> bool:
        subject = self._subject()
        if self.left and self.left[-1].word in words("numbered", "possessives"):
            return True
        if subject is None or subject.word in words("numbered", "first"):
            return self.mention.kind == "pass" and self._passes_other()
        first = self.text.tokens[self.mention.start].word
        if self.mention.kind == "pass" and first in words("numbered", "subjects") | words(
            "numbered", "first"
        ):
            return False
        if subject.word in words("numbered", "your"):
            return self.act is None and not self._is_request()
        at = self.whole.index(subject)
        # A name right before the mention is spoken to: `Felix 7`, `Dan 8`.
        return not (subject.capital and at == len(self.whole) - 1)

    def _passes_other(self) -> bool:
        behind = self.text.tokens[self.mention.end : self.clause.end]
        return (
            len(behind) > 1 and behind[0].word in words("numbered", "by_others") and self._is_name(behind[1])
        )

    def _is_past(self) -> bool:
        past = words("acts", "past")
        span = self.whole
        if self.right and self.right[0].word in past and self.mention.kind != "pass":
            return True
        at = next((number for number, token in enumerate(span) if token.word in past), None)
        if at is None:
            return False
        later = [token.word for token in span[at + 1 :]]
        return not any(word in words("numbered", "present") for word in later)

    def _is_had(self) -> bool:
        having, between = words("numbered", "having"), words("numbered", "had_between")
        for back, token in enumerate(reversed(self.left), 1):
            if token.word in having:
                return not (self._is_request() or self._will(back))
            if token.word not in between:
                break
        return False

    def _will(self, back: int) -> bool:
        before = self.left[: len(self.left) - back]
        return bool(before) and before[-1].word in words("numbered", "future")

    def _is_labelled(self) -> bool:
        if not self.left:
            return self.label is not None and not self._is_label_of_decision()
        word = self.left[-1].word
        if word in words("numbered", "labels"):
            if self.act is None:
                return True
            return word in words("numbered", "times") and not self._is_auction_verb()
        return False

    def _is_auction_verb(self) -> bool:
        assert self.act is not None
        return self.left[-self.act].word in words("acts", "auction")

    def _is_label_of_decision(self) -> bool:
        """Return True if what stands before the colon says that a decision follows, or is a sentence."""
        if self.label is None:
            return False
        said = self.text.tokens[self.label.start : self.label.end]
        if any(token.word in words("numbered", "decision_labels") for token in said):
            return True
        before = [
            token for token in self.text.tokens[self.sentence.start : self.label.end] if token.kind == "word"
        ]
        return len(before) > 2 and before[-1].word not in words("numbered", "labels")

    # ---- what speaks against it --------------------------------------------------------------------------

    def _is_conditional(self) -> bool:
        if self.mention.kind == "limit":
            return False
        return within(self.cues.condition, self.sentence.start, self.sentence.end)

    def _is_doubtful(self) -> bool:
        return within(self.cues.hesitates, self.sentence.start, self.sentence.end)

    def _is_asked(self) -> bool:
        if self._is_request():
            return False
        if self._opens_question():
            return True
        if not self.sentence.is_question:
            return False
        marks = [
            at
            for at in range(self.mention.end, self.sentence.end)
            if self.text.tokens[at].word == "?" and self.text.tokens[at].kind == "mark"
        ]
        if not marks:
            return False
        between = self.text.tokens[self.mention.end : marks[0]]
        if all(token.kind != "mark" for token in between):
            return True
        tail = [token.word for token in between if token.kind == "word"]
        return len(tail) <= 2 and any(word in words("numbered", "tags") for word in tail)

    def _opens_question(self) -> bool:
        said = [token.word for token in self.whole if token.word not in words("numbered", "fillers")]
        return len(said) > 1 and said[0] in words("numbered", "openers")

    def _is_request(self) -> bool:
        return within(self.cues.requests, self.clause.start, self.clause.end)

    # ---- how clearly it is wanted --------------------------------------------------------------------

    def _clearness(self) -> Stance:
        if self.mention.kind in ("pass", "limit", "amount"):
            return "clear"
        unknown = self._unknown()
        if self._is_commented():
            return "faint"
        if self.act is not None or not unknown:
            return "clear"
        right = [token.word for token in self.right[:3]]
        left = [token.word for token in self.left[-2:]]
        if any(word in words("numbered", "courtesy") for word in (*right, *left)):
            return "clear"
        if self._is_label_of_decision() and not self.left:
            return "clear"
        if unknown <= _LIGHT and self.clause.end - self.clause.start <= _SHORT:
            return "likely" if not self._beside_unknown() else "faint"
        return "faint"

    def _is_commented(self) -> bool:
        """Return True for `12 is so much`: something is said of it."""
        right = self.right
        if not right or right[0].word not in words("numbered", "comments"):
            return False
        return not (len(right) > 1 and right[1].word in words("numbered", "no_comments"))

    def _beside_unknown(self) -> bool:
        """Return True if an unknown word stands right before a number: `bus 5`."""
        return bool(self.left) and _is_strange(self.left[-1]) and self.mention.kind == "number"

    def _unknown(self) -> int:
        return sum(1 for token in self._context() if _is_strange(token) and not self._is_name(token))

    def _context(self) -> Iterator[Token]:
        yield from self.left
        yield from self.right

    def is_next(self) -> bool:
        """Return True if the mention is for the next round."""
        cues = self.cues.next
        if not self.mention.cards or self.mention.kind not in ("card", "number"):
            return False
        if within(cues, self.start, self.end):
            return True
        if self.label is not None and within(cues, self.label.start, self.label.end):
            return True
        if self.left or self.number <= 0:
            return False
        before = self.text.clauses[self.number - 1]
        return before.sentence == self.clause.sentence and any(
            cue.start == before.start and cue.end == before.end for cue in cues
        )


def _is_strange(token: Token) -> bool:
    return token.kind in ("word", "figure") and not _is_known(token.word) and token.value is None


def _is_known(word: str) -> bool:
    return (
        word in words("light", "words")
        or word in words("acts", "bid")
        or word in words("acts", "play")
        or word in words("light", "adverbs")
        or word in words("numbered", "leads")
        or word in words("numbered", "mice")
        or word in words("numbered", "first")
        or word in words("numbered", "negations")
    )
