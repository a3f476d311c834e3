"""Kept messages held against the log of a game: what the server told then, and what its log says now.

Each thing that a mail says and the log contradicts is a finding, with both sides. A letter is the server's
word, a sent mail its writer's. What honest trouble explains is none: a mail that is newer than the file, one
from before the server was set back to a backup, a name that was forgotten, an order that came to nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

from felix_async.address import Token
from felix_async.audit.audit import Finding
from felix_async.audit.evidence import veiled
from felix_async.audit.kept.attached import difference
from felix_async.audit.kept.letters import Letter, Mail, read
from felix_async.audit.kept.log import Line, Log
from felix_async.audit.kept.mailboxes import KeptMail, NotUsable
from felix_async.audit.kept.signatures import Verdict
from felix_async.audit.received import is_reply, orders_in
from felix_async.draw import contribution
from felix_async.game.moment import NOT_SAID
from felix_async.language.grammar import Order, read_line
from felix_async.text import plain
from felix_events.embedded import export_in
from felix_events.export import Export, NotAnExport, read_export
from felix_events.lines import TOLD, Damaged

CHECK: Final = "mails"
_FAR: Final = timedelta(days=1)
"""A clock that was set explains less."""
_MOVES: Final = ("PLAY", "BID", "PASS")
_NEWER: Final = "newer than this file: take a new one, or its end was cut off"
_LOST: Final = "from before the server was set back to a backup"
_REPLY: Final = "it says yes to what another message says"
_NOT_WHOLE: Final = "its text is not all there"
_OTHER: Final = "it holds {}, for which version {} has {} {}; was it written twice, or refused?"
_IN_TEXT: Final = (
    "a letter within the text of another message has lost its headers: forward it as an attachment"
)
_TORN: Final = "a letter that was cut within its headers, or whose line ends were doubled"
_JOIN: Final = re.compile(r"join\b\s*(.*?)\s*", re.I)
_SEAT: Final = re.compile(r'"(?:\\.|[^"\\])*"|\bseat (\d)\b')
"""A seat, and what is quoted, in which nobody is named."""
Says = tuple[int, str, str]
"""The version at which the log says otherwise, what the mail says, and what the log does."""
Shown = Callable[[Letter, Token, list[int]], Iterable[Says]]
"""What a letter shows of the table that the log does not show at any of these versions."""
Signed = Callable[[Mail], Verdict]
"""Whether felix's domain has signed a letter."""


@dataclass(frozen=True, slots=True)
class Contradiction(Finding):
    """A finding of a kept message, which expects what that says."""

    message: str = ""


@dataclass(slots=True)
class Witness:
    """What kept mails say of a game: how many there are of each kind, and the findings.

    `letters` are felix's of this game, of which `fitting` say nothing that the log does not; `logs` are those
    that came with them and are the same. `in_log` are the sent mails that the log names, if it names all of
    which something came (`tells_mails`); `idle` are others, with the orders in them, but for those in
    `not_checked`. `joined` are the seats whose contribution a mail confirms, `players` counts all that did.
    `signed` counts the letters by who signed them. `not_usable`, `not_checked` and `unsigned` say why, with
    the mail.
    """

    mails: int = 0
    letters: int = 0
    fitting: int = 0
    logs: int = 0
    sent: int = 0
    in_log: int = 0
    tells_mails: bool = True
    other_games: int = 0
    others: int = 0
    joined: list[int] = field(default_factory=list)
    players: int = 0
    signed: dict[str, int] = field(default_factory=dict)
    not_usable: list[str] = field(default_factory=list)
    not_checked: list[str] = field(default_factory=list)
    idle: list[str] = field(default_factory=list)
    unsigned: list[str] = field(default_factory=list)
    findings: list[Contradiction] = field(default_factory=list)

    @property
    def of_game(self) -> int:
        """The mails about this game."""
        return self.letters + self.sent


def held(
    log: Log, mails: Iterable[KeptMail | NotUsable], shown: Shown | None = None, signed: Signed | None = None
) -> Witness:
    """Hold all mails against a log; one that was kept twice counts once."""
    told = Witness(players=len(log.contributions), tells_mails=log.has_all_lines)
    bench = _Bench(log, told, shown, signed)
    for kept in mails:
        bench.told.mails += 1
        one = read(kept) if isinstance(kept, KeptMail) else kept
        if isinstance(one, NotUsable):
            bench.told.not_usable.append(f"{plain(one.place)}: {one.why}")
        elif isinstance(one, Letter):
            bench.letter(one)
        else:
            bench.other(one)
    if bench.newer:
        are = "message is" if len(bench.newer) == 1 else "messages are"
        told.not_checked.append(f"{len(bench.newer)} {are} {_NEWER}")
    bench.told.findings.sort(key=lambda finding: finding.place)
    return bench.told


@dataclass(slots=True)
class _Bench:
    log: Log
    told: Witness
    shown: Shown | None
    signed: Signed | None
    known: set[str] = field(default_factory=set)
    newer: set[str] = field(default_factory=set)

    def letter(self, letter: Letter) -> None:
        """Hold one of felix's letters against the log."""
        token = letter.token
        is_ours = token is not None and token.game_id == self.log.game_id
        exports = list(self._exports(letter))
        is_new = self._is_new(letter)
        if not is_ours and not exports:
            self.told.other_games += is_new and token is not None
            self.told.others += is_new and token is None
            return
        doubts = self._doubts
        says = [one for export in exports for one in self._attached(letter, export, is_new=is_new)]
        if token is not None and is_ours:
            says += [(*one, None) for one in self._moment(letter, token)]
        self.told.letters += is_new
        is_fitting = is_new and not says and self._doubts == doubts
        signature = self._signature(letter, is_new=is_new)
        if says and self.log.was_lost(letter.date):
            self._unchecked(letter, _LOST)
            return
        message = f"felix's letter {letter.told}{signature}"
        for version, *sides, seat in says:
            expected, found = (_with_names(side, self.log.names.at(version)) for side in sides)
            self._find(Contradiction(CHECK, version, expected, found, seat=seat, message=message))
        self.told.fitting += is_fitting

    @property
    def _doubts(self) -> int:
        return len(self.told.not_checked) + len(self.newer)

    def other(self, mail: Mail) -> None:
        """Hold a mail of anybody else against the log: a player's to felix, if it is one."""
        tokens = mail.tokens_in("To", "Cc")
        token = next((one for one in tokens if one.game_id == self.log.game_id), None)
        named = [one for one in self.log.records if one.record.message_id == mail.message_id != ""]
        if tokens and token is None:
            # Of the address of another table come a new one and its end, but no orders to this one.
            named = [one for one in named if not self.log.is_order(one)]
        lines = [one for one in named if one.record.line is not None]
        made = _contributions_in(mail, is_named=bool(named))
        joins = [seat for seat, known in self.log.contributions.items() if made & known.keys()]
        is_new = self._is_new(mail)
        if named or joins or token is not None:
            self.told.sent += is_new
            self.told.in_log += is_new and bool(named or joins)
            self._confirm(joins)
            for line in filter(self.log.lacks_line, named):
                self._unwritten(mail, line, lines)
            if not (named or joins) and token is not None and self.log.has_all_lines:
                self._unnamed(mail, token)
            for line in lines:
                if line.is_in(mail.lines):
                    continue
                if line.record.inferred and is_reply(mail.ways[0]):
                    self._unchecked(mail, _REPLY)
                    continue
                if not line.is_denied_by(mail.orders, mail.lines):
                    self._unchecked(mail, _NOT_WHOLE)
                    continue
                self._contradicts(mail, line, "line", line.record.line)
        elif tokens:
            self.told.other_games += is_new
        elif not mail.is_forward and any(one.game_id == self.log.game_id for one in mail.tokens_within):
            why = _TORN if mail.is_torn_letter else _IN_TEXT
            self.told.not_usable.append(f"{plain(mail.place)}: {why}")
        else:
            self.told.others += is_new

    def _unwritten(self, mail: Mail, line: Line, others: Sequence[Line]) -> None:
        """Hold an order of which no line is kept to those of its mail that became none of the others."""
        raw = mail.ways[0]
        left = [one for one in mail.orders if not any(other.says(str(one)) for other in others)]
        if self.log.stands_among(line, orders_in(raw)):
            return
        if is_reply(raw):
            self._unchecked(mail, _REPLY)
        elif self.log.stands_among(line, left) is None:
            self._unchecked(mail, _NOT_WHOLE)
        else:
            self._contradicts(mail, line, "order", line.record.order)

    def _contradicts(self, mail: Mail, line: Line, what: str, kept: str | None) -> None:
        """Note that what a record has of a mail does not stand in it."""
        says = ", ".join(map(str, mail.orders))
        found = veiled(f'"{plain(kept or "")}" as its {what}', "another one", over=self.log.is_over)
        message = f"the message {mail.told}"
        self._find(Contradiction(CHECK, line.version, says, found, seat=line.seat, message=message))

    def _unnamed(self, mail: Mail, token: Token) -> None:
        """Tell of a message that the log does not name, and of the move that it has in place of its own.

        Who writes twice has that, too.
        """
        is_move = token.purpose == "move" and self.log.is_over
        instead = self.log.instead_of(mail.orders, token) if is_move else None
        if self.log.was_lost(mail.date):
            self._unchecked(mail, _LOST)
        elif instead is not None:
            order, version, made, by = instead
            self._unchecked(mail, _OTHER.format(order, version, "the same" if order == made else made, by))
        else:
            self._note(self.told.idle, mail, ", ".join(map(str, mail.orders)) or "no order alone on its line")

    def _exports(self, letter: Letter) -> Iterator[Export]:
        """The logs of this game that came with a letter."""
        for data in letter.files:
            try:
                export = read_export(export_in(data))
            except Damaged as damage:
                why = f"its attached log is damaged in line {damage.line}"
                self.told.not_usable.append(f"{plain(letter.place)}: {why}")
            except NotAnExport as error:
                self.told.not_usable.append(
                    f"{plain(letter.place)}: what is attached cannot be read: {error}"
                )
            else:
                if export.header.game_id == self.log.game_id:
                    yield export

    def _attached(
        self, letter: Letter, export: Export, *, is_new: bool
    ) -> Iterator[tuple[int, str, str, int | None]]:
        if any(body.startswith(TOLD) for body in export.bodies):
            return  # a running game, counted anew for its reader
        found = difference(export, self.log)
        if found is None:
            self.told.logs += is_new
        elif found.why == "otherwise":
            theirs, ours = found.sides(in_short=self.log.is_over)
            ours = veiled(plain(ours), "something else", over=self.log.is_over)
            yield found.version, f"{plain(theirs)} (attached)", ours, found.seat
        elif found.why == "newer":
            self.newer.add(letter.told)
        else:
            self._unchecked(letter, _LOST)

    def _moment(self, letter: Letter, token: Token) -> list[Says]:
        """What a letter says of the game at its time, and the log says otherwise."""
        log, date = self.log, letter.date
        if token.purpose != "move":
            return []
        says = list(self._sealed(letter, token))
        versions = log.versions_of(token)
        if not versions:
            if log.may_be_older and log.ends_before(date):
                self.newer.add(letter.told)
                return []
            moment = f"decision {token.turn} of seat {token.seat}"
            if token.row != NOT_SAID:
                moment += f" in round {token.row.round} with {token.row.turned} cards open"
            return [*says, (log.version_at(date), moment, "no such moment in the log")]
        if date is not None:
            if log.away(versions, date) > _FAR:
                return [
                    *says,
                    (versions[0], f"a moment of {date:%d %b %Y %H:%M %Z}", log.envelopes[versions[0] - 1].at),
                ]
            versions = [version for version in versions if log.stood_at(version, date)] or versions
        says += self._done(letter, token)
        is_newer = log.may_be_older and log.ends_before(date)
        if self.shown is not None and not is_newer:
            says += self.shown(letter, token, versions)
        return says

    def _sealed(self, letter: Letter, token: Token) -> Iterator[Says]:
        """What it says of the deal: felix's part, and the reader's own."""
        commitment, seal, share = self.log.created.commitment, letter.seal, letter.share
        if seal is not None and seal != commitment:
            yield 1, f"the seal {seal}", commitment
        if share is None:
            return
        words = self.log.contributions.get(token.seat, {})
        if share in words:
            self._confirm([token.seat])
        elif words or not self.log.may_be_older:
            version = next(iter(words.values()), len(self.log.envelopes))
            yield version, f"the share {share} of seat {token.seat}", next(iter(words), "none")

    def _done(self, letter: Letter, token: Token) -> Iterator[Says]:
        """The orders that it says were obeyed; some answer several mails, so any of the seat's will do."""
        if not self.log.has_all_lines:
            return
        own = [one for one in self.log.records if one.record.line is not None and one.by == token.seat]
        for words in letter.done:
            order = read_line(words)
            if (
                isinstance(order, Order)
                and order.word in _MOVES
                and not any(line.says(words) for line in own)
            ):
                version = self.log.version_at(letter.date)
                yield version, f'"{plain(words)}" done for seat {token.seat}', "no record of it"

    def _signature(self, letter: Letter, *, is_new: bool) -> str:
        if self.signed is None:
            return ""
        verdict = self.signed(letter)
        if not verdict.why:
            self.told.signed[verdict.domain] = self.told.signed.get(verdict.domain, 0) + is_new
            return f", signed by {plain(verdict.domain)}"
        if verdict.is_unchecked:
            self._unchecked(letter, f"its signature: {verdict.why}")
            return ""
        if is_new:
            self.told.unsigned.append(f"{letter.told}: {verdict.why}")
        return f", not signed ({verdict.why})"

    def _confirm(self, seats: Iterable[int]) -> None:
        self.told.joined = sorted({*self.told.joined, *seats})

    def _unchecked(self, mail: Mail, why: str) -> None:
        self._note(self.told.not_checked, mail, why)

    def _note(self, notes: list[str], mail: Mail, what: str) -> None:
        told = f"{mail.told}: {what}"
        if told not in notes:
            notes.append(told)

    def _find(self, finding: Contradiction) -> None:
        if finding not in self.told.findings:
            self.told.findings.append(finding)

    def _is_new(self, mail: Mail) -> bool:
        is_new = mail.message_id == "" or mail.message_id not in self.known
        self.known.add(mail.message_id)
        return is_new


def _with_names(text: str, names: Sequence[str]) -> str:
    """Put the names behind the numbers of seats, which count from 0.

    >>> _with_names('PASS of seat 1, not "of seat 1"', ["Anna", "Ben"])
    'PASS of seat 1 (Ben), not "of seat 1"'
    """
    known = {str(seat): f" ({plain(name)})" for seat, name in enumerate(names) if name}
    return _SEAT.sub(lambda found: found[0] + known.get(found[1], ""), text)


def _contributions_in(mail: Mail, *, is_named: bool) -> set[str]:
    """Return what the lines of a mail that say JOIN put into the draw.

    One that a record names may say it in words of its own, which put nothing but its Message-ID in.
    """
    given = [found[1] for line in mail.lines if (found := _JOIN.fullmatch(line)) is not None]
    return {contribution(mail.message_id, one) for one in (*given, *([""] if is_named else []))}
