"""How well plain language is read: rates over a file of labelled answers, and the failures by their labels.

Run it as a script: `PYTHONPATH=tests python -m meaning.scoring FILE.jsonl…`.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal, get_args

from felix_async.game.cards import card_word
from felix_async.language.grammar import Order
from felix_async.meaning.meaning import Meaning, meaning_of
from felix_async.meaning.situation import Situation
from felix_async.reading.reader import read_text
from felix_cli.situations import cases_in

Label = Literal["do", "ask", "info", "talk", "none"]
LABELS: Final[tuple[Label, ...]] = get_args(Label)
_INFO: Final = {"hand": "HAND", "history": "HISTORY", "help": "HELP", "undo": "HELP"}
"""What is not here is STATUS, or RULES if it begins so."""


@dataclass(frozen=True, slots=True)
class Answer:
    """A labelled answer, as the corpora have them."""

    situation: Situation
    text: str
    want: dict[str, Any]

    @property
    def label(self) -> Label:
        """What a friend would do with it."""
        return next(label for label in LABELS if label in self.want)

    @property
    def lines(self) -> list[str]:
        """The lines that its writer wrote."""
        return [line.text for line in read_text(self.text) if line.place == "written"]


def answers_in(path: Path) -> Iterator[Answer]:
    """Yield the answers of a corpus."""
    lines = path.read_bytes().splitlines()
    for case, line in zip(cases_in(lines), lines, strict=True):
        yield Answer(case.situation, case.text, json.loads(line)["want"])


def told(order: Order | None) -> str:
    """An order as the corpora write it, without a card for the next round behind it."""
    if order is None:
        return ""
    card = order.next if order.word == "NEXT" else order.card
    return f"{order.word} {card_word(card)}" if card is not None else str(replace(order, next=None))


def upcoming(order: Order | None) -> str | None:
    """The card for the next round behind an order."""
    return None if order is None or order.word == "NEXT" or order.next is None else card_word(order.next)


def is_right(answer: Answer, meaning: Meaning) -> bool:
    """Return True if the text was read as its label says."""
    label, want = answer.label, answer.want
    if label == "do":
        return told(meaning.do) == want["do"] and upcoming(meaning.do) == want.get("next")
    if meaning.do is not None:
        return False
    if label == "ask":
        return bool(meaning.ask) or bool(meaning.info)
    if label == "info":
        return any(_info(topic) == want["info"] for topic in meaning.info)
    return True


def _info(topic: str) -> str:
    if topic.startswith("rules"):
        return "RULES"
    return _INFO.get(topic, "STATUS")


@dataclass(slots=True)
class Score:
    """Counts over answers."""

    asked: Counter[str]
    right: Counter[str]
    acted: Counter[str]
    failures: list[tuple[Answer, Meaning]]

    def share(self, label: Label) -> float:
        """The share of a label's answers that were read rightly."""
        return self.right[label] / max(1, self.asked[label])


def score(answers: Sequence[Answer]) -> Score:
    """Read all answers and count."""
    counts = Score(Counter(), Counter(), Counter(), [])
    for answer in answers:
        meaning = meaning_of(answer.lines, answer.situation)
        counts.asked[answer.label] += 1
        if is_right(answer, meaning):
            counts.right[answer.label] += 1
        else:
            counts.failures.append((answer, meaning))
        if told(meaning.do) and told(meaning.do) != answer.want.get("do"):
            counts.acted[answer.label] += 1
    return counts


def main(paths: Sequence[str]) -> None:
    """Print the rates over the files, and the failures."""
    only = {path[1:] for path in paths if path.startswith("-")}
    counts = score([answer for path in paths if path[:1] != "-" for answer in answers_in(Path(path))])
    for answer, meaning in counts.failures:
        if only and answer.label not in only and not told(meaning.do):
            continue
        situation = answer.situation
        hand = ",".join(told(Order("PLAY", card=card))[5:] for card in situation.plays)
        state = f"[{hand}]" if hand else f"{situation.high}<{situation.mice}"
        read = told(meaning.do) or (f"?{meaning.doubt}" if meaning.doubt else ",".join(meaning.info) or "-")
        wrong = "!!! " if told(meaning.do) else ""
        offered = " ".join(map(told, meaning.ask))
        card = upcoming(meaning.do)
        print(f"{wrong}{answer.label:5}{state} {answer.text!r}")
        print(f"      want {answer.want} read {read}, next {card} ({offered}) {meaning.words}")
    for label in LABELS:
        print(
            f"{label:5}{counts.right[label]:4} of {counts.asked[label]:4} = {counts.share(label):7.2%}",
            end="   ",
        )
        print(f"acted on otherwise: {counts.acted[label]}")


if __name__ == "__main__":
    main(sys.argv[1:])
