"""Rules of words that stand for what a sentence is about.

A rule is chains of groups with `&` between them: `what|which > my card|my cards & !last`. `|` stands between
the words of a group, some of which are several in a row. The groups of a chain follow each other in the
sentence, with any words between. Each chain has to be there, but for those behind `!`; one behind `^` begins
the sentence. `@name` are the words of a set.

>>> rule = Rule.of("who|whose > turn|go first & !next", {})
>>> [rule.fits(words, set(words))
...  for words in (("whose", "turn"), ("who", "will", "go", "first", "next"), ("turn", "who"))]
[True, False, False]
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from felix_async.meaning.tokens import reads_as

Words = tuple[str, ...]
_Name = TypeVar("_Name")
_STEM: Final = 3
_PLAIN: Final = 5
"""Letters of a word that is too short to be known with one of them missing: `tale` is no `table`."""
_LONGEST: Final = 20
"""Letters of a word that may be meant for another one."""
_Group = Mapping[str, Sequence[Words]]
"""Phrases by their first words."""


@dataclass(frozen=True, slots=True)
class _Chain:
    """Groups in a row; `how` is `!` if they may not be there, `^` if they begin the sentence."""

    how: str
    groups: tuple[_Group, ...]

    def may_fit(self, known: Set[str]) -> bool:
        """Return False if a word that is needed is not there."""
        return self.how == "!" or not any(group.keys().isdisjoint(known) for group in self.groups)

    def fits(self, words: Words) -> bool:
        at: int | None = 0
        for number, group in enumerate(self.groups):
            assert at is not None
            at = _end(words, at, group, is_here=self.how == "^" and number == 0)
            if at is None:
                break
        return (at is not None) is (self.how != "!")


@dataclass(frozen=True, slots=True)
class Rule:
    """Chains that a sentence has to fit."""

    chains: tuple[_Chain, ...]

    @classmethod
    def of(cls, rule: str, sets: Mapping[str, str]) -> Rule:
        """Read a rule as the table of a language has it."""
        return cls(tuple(_chain(chain.strip(), sets) for chain in rule.split("&")))

    @property
    def words(self) -> Iterator[str]:
        """The words that it knows."""
        for chain in self.chains:
            for group in chain.groups:
                for some in group.values():
                    for words in some:
                        yield from words

    @property
    def needed(self) -> frozenset[str]:
        """Words of which a sentence has one that fits, as few as may be; none if it need not have any."""
        groups = (group for chain in self.chains if chain.how != "!" for group in chain.groups)
        return min(map(frozenset, groups), key=len, default=frozenset())

    def fits(self, words: Words, known: Set[str]) -> bool:
        """Return True if the words of a sentence fit; `known` are the same words as a set."""
        return all(chain.may_fit(known) for chain in self.chains) and all(
            chain.fits(words) for chain in self.chains
        )


class Rules(Generic[_Name]):
    """Named rules, by a word that each of them needs: the others are not tried.

    >>> rules = Rules([("turn", Rule.of("who > turn", {})), ("quiet", Rule.of("!who", {}))])
    >>> [rules.fitting(words) for words in (("who", "is", "next"), ("who", "has", "turn"), ("turn",))]
    [[], ['turn'], ['quiet']]
    """

    def __init__(self, rules: Iterable[tuple[_Name, Rule]]) -> None:
        self._rules = tuple(rules)
        self._always: list[int] = []
        self._by_need: dict[str, list[int]] = {}
        for number, (_, rule) in enumerate(self._rules):
            needed = rule.needed
            if not needed:
                self._always.append(number)
            for word in needed:
                self._by_need.setdefault(word, []).append(number)

    def fitting(self, words: Words) -> list[_Name]:
        """Return the names of the rules that the words of a sentence fit, each once, in order."""
        known = frozenset(words)
        tried = {number for word in known for number in self._by_need.get(word, ())}
        rules = (self._rules[number] for number in sorted(tried.union(self._always)))
        return list(dict.fromkeys(name for name, rule in rules if rule.fits(words, known)))


class Vocabulary:
    """The words that rules know, and what is meant by words that they do not know.

    >>> vocabulary = Vocabulary(("cards", "waiting", "tie"), ("s", "d"))
    >>> [vocabulary.meant(word) for word in ("crads", "wating", "ties", "cardss", "card")]
    ['cards', 'waiting', 'tie', 'cards', 'card']
    """

    def __init__(self, words: Iterable[str], endings: Iterable[str]) -> None:
        self._words = frozenset(words)
        self._endings = tuple(endings)
        self._lacking = {
            less: word for word in sorted(self._words) if len(word) > _PLAIN for less in _less_a_letter(word)
        }

    def meant(self, word: str) -> str:
        """Return the known word of which this is another form, or with a letter more, less or swapped.

        It is the word itself if there is none.
        """
        if word in self._words or not _STEM < len(word) <= _LONGEST:
            return word
        forms = [word.removesuffix(ending) for ending in self._endings if word.endswith(ending)]
        swapped = [word[:at] + word[at + 1] + word[at] + word[at + 2 :] for at in range(1, len(word) - 1)]
        shorter = _less_a_letter(word) if len(word) > _STEM + 1 else []
        for meant in (*forms, *swapped, *shorter):
            if meant in self._words and len(meant) >= _STEM:
                return meant
        return self._lacking.get(word, word)


def _less_a_letter(word: str) -> list[str]:
    return [word[:at] + word[at + 1 :] for at in range(1, len(word))]


def phrases(written: Iterable[str]) -> dict[str, list[Words]]:
    """Return phrases by their first words, as a text reads."""
    found: dict[str, list[Words]] = {}
    for phrase in written:
        read = tuple(word for part in phrase.split() for word in reads_as(part))
        if read:
            found.setdefault(read[0], []).append(read)
    return found


def _end(words: Words, start: int, group: _Group, *, is_here: bool) -> int | None:
    """Where the first phrase of a group ends, from a position on; None if there is none."""
    for at in range(start, min(start + 1, len(words)) if is_here else len(words)):
        if words[at] not in group:
            continue
        ends = [at + len(some) for some in group[words[at]] if words[at : at + len(some)] == some]
        if ends:
            return min(ends)
    return None


def _chain(chain: str, sets: Mapping[str, str]) -> _Chain:
    how = chain[:1] if chain[:1] in "!^" else ""
    return _Chain(how, tuple(_group(group, sets) for group in chain.removeprefix(how).split(">")))


def _group(group: str, sets: Mapping[str, str]) -> _Group:
    words: list[str] = []
    for word in group.split("|"):
        name = word.strip()
        words += sets[name[1:]].split("|") if name.startswith("@") else [name]
    return phrases(words)
