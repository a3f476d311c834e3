"""The words around a mention in its clause, up to other mentions: its verb, its subject, its label."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from felix_async.meaning.cues import Cues, within
from felix_async.meaning.lexicon import phrases, words
from felix_async.meaning.mentions import Mention, is_unknown
from felix_async.meaning.phrases import Found
from felix_async.meaning.situation import Situation
from felix_async.meaning.text import Clause, Text
from felix_async.meaning.tokens import Token

GOVERNS: Final = 7
"""Words between a verb and what it governs."""
_SENTENCE: Final = 5
"""More words than this before a colon are no label."""
_ARROWS: Final = (">", "→")
_POINTS: Final = (":", "=", *_ARROWS)
"""Behind one of these stands what a label is for."""


class Around:
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
        self.before, self.behind = before, behind
        self.bidding = situation.decision == "bidding"
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
        self.concludes = bool(splits) and left[splits[-1]].word in words("numbered", "concludes")
        if self.concludes:
            self.whole = left[splits[-1] + 1 :]
        self.before_left = left[max(0, splits[-1] - 1) : splits[-1] + 1] if splits else ()
        self.left = left[splits[-1] + 1 :] if splits else left
        self.start = mention.start - len(self.left)
        splits = [at for at, token in enumerate(right) if token.word in words("numbered", "splits")]
        self.right = right[: splits[0]] if splits else right
        self.end = mention.end + len(self.right)
        self.label = self._label()
        self.is_put_in = self._is_put_in()
        self.act = self._act()

    def _label(self) -> Clause | None:
        """The clause before a colon, if the mention stands behind one."""
        if self.clause.before in _POINTS and self.number > 0:
            label = self.text.clauses[self.number - 1]
            is_named = self.before is not None and self.before.end > label.start
            if label.sentence == self.clause.sentence and not (is_named and self.clause.before in _ARROWS):
                return label
        return None

    def _is_put_in(self) -> bool:
        """Return True if the words behind the mention place it: `the 11 is going in`."""
        if self.bidding or not self.right:
            return False
        is_number = self.mention.kind == "number"
        keys = ("play_behind", "leave_behind") if is_number else ("play_behind",)
        found = phrases("acts", *keys).at(self.text, self.mention.end)
        if found is None:
            return False
        rest = self.text.tokens[found.end : self.clause.end]
        return not rest or (is_number and not any(token.word in words("numbered", "when") for token in rest))

    def _act(self) -> int | None:
        """How many words left of the mention the verb stands that governs it."""
        bidding = self.situation.decision == "bidding"
        acts = words("acts", "bid" if bidding else "play")
        leads = words("numbered", "leads")
        for back, token in enumerate(reversed(self.left[-GOVERNS:]), 1):
            if token.word in acts:
                before = self.left[-back - 1] if back < len(self.left) else None
                if token.word in words("numbered", "likes") and (
                    before is None or before.word not in words("numbered", "having_been")
                ):
                    return None
                return back if before is None or not is_strange(before, self.bidding) else None
            if (
                token.word not in leads
                and token.kind == "word"
                and token.word not in words("light", "adverbs")
            ):
                return None
        return None

    def subject(self) -> Token | None:
        """The last word left of the mention, in its clause, that somebody who acts may be."""
        first, others, kin = (
            words("numbered", "first"),
            words("numbered", "subjects"),
            words("numbered", "kin"),
        )
        for token in reversed(self.whole):
            if token.word in first or token.word in others or token.word in kin:
                return token
            if self.is_name(token):
                return token
        return None

    def bids(self, *, own: bool = True) -> bool:
        """Return True if the number is bid in set words, by the writer or, not `own`, by others."""
        cue = self.cues.bids.get(self.mention.start)
        if cue is None or self.mention.kind != "number":
            return False
        others = words("numbered", "subjects") - words("numbered", "your") | words("numbered", "kin")
        before = self.text.tokens[self.clause.start : cue.start]
        is_theirs = any(token.word in others or self.is_name(token) for token in before)
        return is_theirs if not own else not is_theirs and self._says_no_more(cue, before)

    def _says_no_more(self, cue: Found, before: Sequence[Token]) -> bool:
        """Return True if nothing around set words says what else they are of: `put me down for 8 cakes`."""
        behind = self.text.tokens[cue.end : self.clause.end]
        if any(token.word in words("acts", "past") | words("numbered", "negations") for token in before):
            return False
        if behind and behind[0].word in words("numbered", "comments") | words("numbered", "units"):
            return False
        return not (
            within(self.cues.days, self.clause.start, self.clause.end)
            or any(is_strange(token, self.bidding) or self.is_name(token) for token in behind)
        )

    def is_name(self, token: Token) -> bool:
        if token.kind != "word" or not token.capital:
            return False
        names = {part.casefold() for name in self.situation.names for part in name.split()}
        is_other = token.word in words("acts", "past") or is_known(token.word, self.bidding)
        return token.word in names or (is_unknown(token.word) and not is_other)

    def outside(self, cues: tuple[Found, ...]) -> tuple[Found, ...]:
        """The cues but for those within a phrase of certain meaning: `I'll wait for the next one`."""
        if not self.mention.is_certain:
            return cues
        return tuple(cue for cue in cues if not self.mention.start <= cue.start < self.mention.end)

    def is_request(self) -> bool:
        return within(self.cues.requests, self.clause.start, self.clause.end)

    def unknown(self) -> int:
        return len(self.unknown_left()) + len(self.unknown_right())

    def unknown_left(self) -> list[Token]:
        """The unknown words left of the mention."""
        start = self.mention.start - len(self.left)
        known = self.cues.known
        return [
            token for at, token in enumerate(self.left, start) if at not in known and self.is_unknown(token)
        ]

    def unknown_right(self) -> list[Token]:
        """The unknown words right of the mention."""
        known = self.cues.known
        behind = enumerate(self.right, self.mention.end)
        return [token for at, token in behind if at not in known and self.is_unknown(token)]

    def is_unknown(self, token: Token) -> bool:
        """Return True for a word of which nobody knows what it says of a move; a name says nothing."""
        return is_strange(token, self.bidding) and not self.is_name(token)

    def plays(self) -> bool:
        said = {token.word for token in self.left}
        return bool(said & words("acts", "only_play"))

    def is_auction_verb(self) -> bool:
        assert self.act is not None
        return self.left[-self.act].word in words("acts", "auction")

    def bids_next(self) -> bool:
        """Return True if a number is of an auction to come: `next time I'll go to 8`."""
        said = words("acts", "offers") | words("numbered", "goes_to")
        is_bid = any(token.word in said for token in self.left)
        is_bid |= any(token.word in words("numbered", "auctions") for token in (*self.left, *self.right))
        return self.mention.kind == "number" and is_bid

    def is_bid(self) -> bool:
        """Return True if a verb of the auction goes before the mention."""
        return any(token.word in words("acts", "offers") for token in self.left)

    def is_decision_label(self) -> bool:
        """Return True if what stands before the colon says that a decision follows, or is a sentence."""
        if self.label is None:
            return False
        said = self.text.tokens[self.label.start : self.label.end]
        if all(token.value is not None for token in said):
            return False  # `13 <= 16`
        if any(token.word in words("numbered", "decision_labels") for token in said):
            return True
        if not any(
            is_strange(token, self.bidding) or token.word in words("numbered", "labels") for token in said
        ):
            return True
        if not any(
            is_strange(token, self.bidding) or token.word in words("numbered", "labels") for token in said
        ):
            return True
        before = [
            token for token in self.text.tokens[self.sentence.start : self.label.end] if token.kind == "word"
        ]
        return len(before) > _SENTENCE or (
            len(before) > 2 and before[-1].word not in words("numbered", "labels")
        )


def is_strange(token: Token, bidding: bool) -> bool:
    is_word = token.kind in ("word", "figure") and token.value is None
    return is_word and not (
        is_known(token.word, bidding) or token.word.endswith(tuple(words("numbered", "adverb_ends")))
    )


def is_known(word: str, bidding: bool) -> bool:
    return (
        word in words("light", "words")
        or word in words("acts", "bid" if bidding else "play")
        or word in words("light", "adverbs")
        or word in words("numbered", "leads")
        or word in words("numbered", "mice")
        or word in words("numbered", "first")
        or word in words("numbered", "negations")
    )
