"""The talk at a table in this terminal: what happened, the table, a question, and the answer to it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import TYPE_CHECKING, Final

from rich.console import Console
from rich.text import Text

from felix_async.follow_up.answer import STALE
from felix_async.game.cards import ROUNDS
from felix_async.game.chain import chain, is_link
from felix_async.game.folding import fold
from felix_async.game.names import Names
from felix_async.game.narrate import describe
from felix_async.game.scoring import ranked
from felix_async.game.story import Step
from felix_async.game.views import redact, view
from felix_async.language.data import RULES_FILE, folder, read_text
from felix_async.language.data import table as language_table
from felix_async.language.grammar import Misread, Order, read_line
from felix_async.language.phrases import phrase
from felix_async.language.words import WORD_OF
from felix_async.meaning.situation import situation_of
from felix_async.text import plain
from felix_cli.output import MOST_WIDTH, wrapped
from felix_cli.play.table import YOU, Table
from felix_cli.tables import moment_lines, standing, tally
from felix_cli.terminal.drawing import table_drawing
from felix_events import model as m
from felix_notifiers.content.worth import sack_told

if TYPE_CHECKING:
    from felix_cli.heard import Heard

Read = Callable[[str], str]
"""Asks for a line, as `input` does."""
MOVES: Final = ("PLAY", "BID", "PASS", "UPTO", "NEXT")
_TOLD: Final = (m.RoundStarted, m.SackSold, m.SackDiscarded, m.SeatHandedOver, m.GameAbandoned)
"""Events with a sentence of their own, beside the chains of bids and one's own cards."""
_SECOND_COLUMN: Final = re.compile(" ?[^ ]+(?: [^ ]+)*  +")
"""The beginning of a line that stands in two columns, as those of HELP."""
_WORDS: Final = language_table("play.toml")["words"]
_TOPICS: Final = language_table("play.toml")["topic"]
_INSTEAD: Final = {"HAND": "STATUS", "GAMES": "STATUS", "RESEND": "STATUS"}
"""Orders of messages that are answered with the same here."""
_TALL: Final = 40
"""The lines of a terminal that holds a row that was sold and the next table."""
_LEAVING: Final = ("STOP", "RESIGN")
"""Orders of messages that leave here, too."""


@dataclass(frozen=True, slots=True)
class Given:
    """An order for the game, the line that it was read in, and whether that line was plain words."""

    order: Order
    line: str
    inferred: bool = False


class Sitting:
    """One person at the table, until the game is over or they leave."""

    def __init__(self, table: Table, console: Console, read: Read) -> None:
        self._table = table
        self._console = console
        self._read = read
        self._meant: Given | None = None
        """The order that felix understood from plain words; it is done if the player says YES."""
        self._typed = ""
        """A line that came while felix waited for Enter: the answer to the next question."""

    def play(self) -> None:
        """Play until the game is over; EOFError if the person leaves."""
        table = self._table
        if table.game.round == 1:
            self._say(phrase("play.welcome", names=table.names[YOU + 1 :]))
        while not table.game.is_over:
            self._draw()
            while not (steps := self._answered()):
                pass
            self._go_on(steps)
            if order := table.ended():
                self._say(phrase("table.early.ended", order=order))
        names = [phrase("events.words.You"), *table.names[YOU + 1 :]]
        first, *result = standing(names, table.view, self._width)
        best = moment_lines(table.story, Names(table.names), self._width)
        for line in ("", self._result() or first, *result, "", *best):
            self._say(line)

    def _result(self) -> str:
        """Return how the player did; '' if there is no result, or they share the win."""
        scores, winners = ranked(self._table.view.scores), self._table.view.winners
        if not scores or (YOU in winners and len(winners) > 1):
            return ""
        own, names = scores.pop(YOU), [self._table.names[seat] for seat in winners]
        best, *_ = scores.values()
        if YOU in winners:
            points = own.total - best.total
            return phrase("play.won.points" if points else "play.won.cats", points=points)
        better = sum((one.total, one.cats) > (own.total, own.cats) for one in scores.values())
        place, points = _WORDS["places"][better], best.total - own.total
        return phrase(
            "play.behind.points" if points else "play.behind.cats", place=place, points=points, names=names
        )

    def _answered(self) -> Sequence[Step]:
        """Ask for a line and do it; return what happened then."""
        line, self._typed = self._typed, ""
        if not line:
            self._say(f"{self._round()} {self._question()}")
            line = plain(self._read("> "), 500)
        given = self._given(line)
        if given is None:
            return ()
        refusal = self._table.do(given.order, given.line, inferred=given.inferred)
        if refusal is not None:
            self._say(phrase("play.answer.stale") if refusal.code == STALE else str(refusal))
            # Somebody may have moved for this seat at the desk, or in another terminal.
            return self._table.go_on()
        steps = self._table.read()
        if given.order.is_ahead:
            for sentence in self._table.kept():
                self._say(sentence)
        return steps

    def _question(self) -> str:
        table = self._table.view
        own = table.own[YOU]
        if own.choices.plays:
            return phrase("play.question.usual.card")
        pays = next((card.mice for card in table.mouse_cards if not card.taken), 0)
        passing = phrase("table.passing.mice" if pays else "table.passing.none", mice=pays)
        bids, sack = own.choices.bids, sack_told(table, YOU)
        if bids is None:
            return phrase("play.question.usual.no_bid", sack=sack, passing=passing)
        least, most = bids
        if all(table.seats[seat].passed for seat in table.players if seat != YOU):
            box = phrase(
                "table.advice.to_the_box_at_last" if table.round == ROUNDS else "table.advice.to_the_box"
            )
            return phrase("play.question.alone", sack=sack, price=phrase("table.advice.for_one"), box=box)
        key = "bid" if least == most else "bids"
        return phrase(f"play.question.usual.{key}", sack=sack, least=least, most=most, passing=passing)

    def _given(self, line: str) -> Given | None:
        """Return the order for the game that a line holds; None if it was answered, or holds none."""
        word = line.strip(" .!?").lower()
        read = read_line(line) if line.strip("? ") or not line else Order("HELP")
        meant, self._meant = self._meant, None
        if word in _WORDS["leave"] or (isinstance(read, Order) and read.word in _LEAVING):
            raise EOFError
        if word in _WORDS["hint"]:
            self._hint()
        elif isinstance(read, Misread):
            return self._heard(line, word, read, meant) if line else None
        elif read.word in MOVES:
            return Given(read, line)
        elif read.word == "YES" and meant is not None:
            return meant
        elif read.word in ("YES", "NO"):
            self._say(phrase("play.answer.not_done" if meant else "play.answer.not_asked"))
        else:
            self._show(read.word, line)
        return None

    def _heard(self, line: str, word: str, read: Misread, meant: Given | None) -> Given | None:
        """Return the move that plain words stand for; ask first if they may mean something else."""
        # It takes a while to load, and whoever writes exact orders needs none of it.
        from felix_cli.heard import heard, is_for_advice, refused_order, said_in

        said, waiting = said_in(line), None if meant is None else meant.order
        situation = situation_of(self._table.view, tuple(self._table.names), waiting)
        found = heard(said, situation)
        if found.do is not None and meant is not None and found.do == waiting:
            return meant
        if found.do is not None:
            given = Given(found.do, line, inferred=True)
            if found.is_exact:
                return given
            self._meant = given
            self._say(phrase("play.sure", order=str(found.do)))
        elif word in _WORDS["chat"]:
            self._say(phrase("play.answer.talk"))
        elif is_for_advice(line) or not set(_WORDS["hint"]).isdisjoint(word.split()):
            self._hint()
        elif found.ask and all(order.word in _LEAVING for order in found.ask):
            raise EOFError
        elif (refused := refused_order(said, situation, found)) is not None:
            # The game says why.
            return Given(refused, line, inferred=True)
        elif found.ask:
            self._say(self._doubtful(found, read))
        elif found.beside or found.meaning.info:
            self._answer(found, line)
        elif found.meaning.reply == "UNDO" and meant is None:
            self._say(phrase("play.topic.undo"))
        elif found.meaning.reply:
            self._say(phrase("play.answer.not_done" if meant else "play.answer.not_asked"))
        elif _is_nearly(read):
            self._say(str(read))
        else:
            self._say(phrase("play.answer.talk"))
        return None

    def _answer(self, found: Heard, line: str) -> None:
        """Answer a question: a point of the rules in its two sentences, all else as an order would be."""
        from felix_cli.heard import told
        from felix_notifiers.content.explained import is_point, point

        topics = found.meaning.info
        shortly = [phrase(f"play.topic.{topic}") for topic in topics if topic in _TOPICS]
        shortly += [point(topic, self._table.game.ruleset) for topic in topics if is_point(topic)]
        if shortly:
            self._say(" ".join(shortly))
        else:
            self._show(told(found)["info"][0], line)

    def _hint(self) -> None:
        order, reasons = self._table.hint()
        self._say(phrase("play.hint", order=order, reasons=" ".join(reasons)))

    def _doubtful(self, found: Heard, read: Misread) -> str:
        doubt = found.meaning.doubt
        names = {word: _WORDS["leave"][0].upper() for word in _LEAVING}
        ways = [names.get(order.word, str(order)) for order in found.ask if order.word in (*MOVES, *names)]
        offered = ", ".join(ways)
        # Of many cards the first few are no better than the others.
        plays = self._table.view.own[YOU].choices.plays
        is_any = bool(plays) and [order.card for order in found.ask] == plays[: len(found.ask)]
        if doubt and offered and not is_any:
            return phrase("play.answer.which", orders=offered)
        if _is_nearly(read):
            return str(read)
        return phrase(
            "play.answer.unheard" if plays or not offered else "play.answer.perhaps", orders=offered
        )

    def _show(self, word: str, line: str) -> None:
        match _INSTEAD.get(word, word):
            case "STATUS":
                self._draw()
            case "HELP":
                self._say(phrase("play.help"))
            case "RULES":
                self._read_out(read_text(folder(), RULES_FILE).strip())
            case "HISTORY":
                told = told_shortly(self._table.story.steps, self._table.names)
                self._read_out("\n".join(sentence for _, sentence in told))
            case "ORDERS":
                self._say("\n".join(self._table.kept()) or phrase("play.answer.none_ahead"))
            case "DROP":
                dropped = self._table.drop(line)
                self._say(phrase("play.answer.forgotten" if dropped else "play.answer.none_ahead"))
            case other:
                self._say(phrase("play.answer.elsewhere", word=WORD_OF.get(other, other)))

    def _round(self) -> str:
        return phrase("play.round", round=self._table.game.round, rounds=ROUNDS)

    def _draw(self) -> None:
        self._say("")
        drawing = table_drawing(self._table.view, self._table.names, self._width, is_to_viewer=True)
        self._console.print(drawing)
        events = (step.event for step in self._table.story.steps)
        if told := tally(events, self._table.view.players, self._table.names):
            self._say(told)

    def _go_on(self, steps: Sequence[Step]) -> None:
        """Tell what happened; before a sale, show the row with all its cards, until it was seen."""
        for step, sentence in told_shortly(steps, self._table.names):
            is_sale = isinstance(step.event, m.SackSold | m.SackDiscarded)
            if is_sale:
                game = fold(one.event for one in self._table.story.steps[: step.version - 1])
                row = replace(view(game, "spectator"), mouse_cards=[])
                self._say("")
                self._console.print(table_drawing(row, self._table.names, self._width))
                self._say("")
            self._say(sentence)
            is_short = self._console.is_terminal and self._console.height < _TALL
            if is_sale and is_short and not self._typed:
                self._typed = self._waited(phrase("play.wait.once"))

    def _read_out(self, text: str) -> None:
        """Say a long text; on a terminal, a window of it at a time."""
        lines = self._lines(text)
        most = max(1, self._console.height - 1) if self._console.is_terminal else len(lines)
        for start in range(0, len(lines), most):
            if start and (line := self._waited(phrase("play.wait.or_stop"))):
                self._typed = "" if line.lower() in _WORDS["stop_reading"] else line
                break
            self._say("\n".join(lines[start : start + most]))

    def _waited(self, prompt: str) -> str:
        """Wait for Enter; return what was typed before it."""
        return plain(self._read(prompt), 500)

    @property
    def _width(self) -> int:
        return min(self._console.width, MOST_WIDTH)

    def _say(self, text: str) -> None:
        self._console.print(Text("\n".join(self._lines(text)), no_wrap=True, overflow="ignore"), crop=False)

    def _lines(self, text: str) -> list[str]:
        """Return the lines of a text, none too long; what is in two columns goes on in the second."""
        told = []
        for line in text.split("\n"):
            column = _SECOND_COLUMN.match(line)
            told += wrapped(line, self._width, then=" " * column.end() if column else "") or [""]
        return told


def _is_nearly(read: Misread) -> bool:
    """Return True for a line that begins as an order does; its sentence says what is wrong with it."""
    return read.code.startswith("order/no_") or read.code in ("order/which_one", "order/did_you_mean")


def told_shortly(steps: Sequence[Step], names: Sequence[str]) -> Iterator[tuple[Step, str]]:
    """Tell what happened to the person at the table, each sentence with its first step.

    Each chain of bids is in a line, hidden cards never.
    """
    first = steps[0].version if steps else 0
    for is_chain, some in groupby(steps, is_link):
        if is_chain:
            (*links,) = some
            yield links[0], chain(links, names, YOU)
            continue
        for step in some:
            event = redact(step.event, YOU)
            # A card that was just ordered needs no telling; one by NEXT, or by the rules, does.
            is_own_card = isinstance(event, m.CardPlaced) and event.seat == YOU and step.version > first
            if isinstance(event, _TOLD) or is_own_card:
                yield step, describe(event, names, you=YOU, before=step.before)
