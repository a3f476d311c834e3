"""The whole life of a game by mail, through Postfix and Dovecot; nobody touches the server after day one.

Anna opens a table by mail, Eve declines, Anna starts with the others. Ben says something, Dan wants no more
mail and comes back, Cara resigns, and felix is killed with a mail in hand. They play to the end, and again.
"""

from __future__ import annotations

import re
import signal
import smtplib
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default
from email.utils import make_msgid
from html import unescape
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs, unquote, urlsplit

import pytest

from felix_events.store.rows import Letter, Mail
from real.clients import a_program, a_quick_choice
from real.conftest import NewTown
from real.daemons import HOST, PATIENCE, until
from real.dovecot import Inbox, Received
from real.town import Felix, Town

pytestmark = pytest.mark.slow

TABLE: Final = "Thursday club"
WORDS: Final = "Good luck to everybody"
LAST_WORDS: Final = "Back in a minute"
"""What Ben says right before felix is killed."""
_LINK: Final = re.compile(r'href="(mailto:[^"]+)"')


@dataclass(slots=True)
class Person:
    """Somebody who taps links, and writes a line of their own now and then."""

    town: Town
    name: str
    inbox: Inbox
    read: list[Received] = field(default_factory=list)
    plays: bool = True
    moved: set[str] = field(default_factory=set)
    considered: int = 0
    """How many of the mails were looked at for a move; one that was waited for may ask for one, too."""
    wrote: list[str] = field(default_factory=list)
    """The Message-IDs of the mails of one's own."""

    def look(self) -> list[Received]:
        """The mails that have come since the last look."""
        new = self.inbox.new()
        self.read += new
        return new

    def got(self, is_it: Callable[[Received], bool]) -> Received | None:
        """The newest mail of this kind."""
        self.look()
        return next((mail for mail in reversed(self.read) if is_it(mail)), None)

    def wait_for(self, what: str, is_it: Callable[[Received], bool]) -> Received:
        """The newest mail of this kind, once there is one."""
        until(lambda: self.got(is_it) is not None, f"{self.name} to get {what}")
        mail = self.got(is_it)
        assert mail is not None
        return mail

    def tap(self, mail: Received, order: str) -> None:
        """Tap a link of a mail, and send what opens."""
        for link in map(unescape, _LINK.findall(mail.part("html"))):
            url = urlsplit(link)
            query = parse_qs(url.query)
            if query["body"] == [order]:
                return self.write(unquote(url.path), order, query["subject"][0])
        raise AssertionError(f"{self.name} was not offered {order}: {mail.subject}")

    def write(self, to: str, text: str, subject: str = "", cc: Sequence[str] = ()) -> None:
        """A mail of one's own, which answers none."""
        message = EmailMessage()
        message["From"] = f"{self.name.title()} <{self.town.address(self.name)}>"
        message["To"] = to
        if cc:
            message["Cc"] = ", ".join(cc)
        message["Subject"] = subject
        message["Message-ID"] = make_msgid(domain=self.town.players_domain)
        self.wrote.append(str(message["Message-ID"]))
        message.set_content(f"{text}\n")
        with smtplib.SMTP(HOST, self.town.postfix.port, self.town.players_domain, PATIENCE) as server:
            # The friends in Cc are written to by the player's own mail server, and get this mail, too.
            server.send_message(message, self.town.address(self.name), [to, *cc])

    def move(self) -> None:
        """Make the move that each mail asks for that was not thought of yet, by its links."""
        self.look()
        unconsidered, self.considered = self.read[self.considered :], len(self.read)
        for mail in unconsidered:
            offered = [order for order in offers(mail) if order.split()[0] in ("PLAY", "BID", "PASS")]
            if self.plays and offered and mail.reply_to not in self.moved and is_asked(mail):
                self.moved.add(mail.reply_to)
                self.tap(mail, a_quick_choice(offered))


def offers(mail: Received) -> list[str]:
    """The orders behind the links of a mail."""
    return [parse_qs(urlsplit(unescape(link)).query)["body"][0] for link in _LINK.findall(mail.part("html"))]


def is_asked(mail: Received) -> bool:
    """Return True if it is the reader's turn now, and not only soon."""
    return mail.subject.startswith("Round ") and "How far would you go?" not in mail.part("plain")


def is_result(mail: Received) -> bool:
    """Return True if a mail tells who has won."""
    return mail.subject.partition(" · ")[0].endswith((" wins", "You win", "Game over"))


def offering(order: str) -> Callable[[Received], bool]:
    """Return True if a mail offers an order."""
    return lambda mail: order in offers(mail)


def saying(words: str) -> Callable[[Received], bool]:
    """Return True if a mail has these words, in its subject or text."""
    return lambda mail: words in mail.subject or words in " ".join(mail.part("plain").split())


@dataclass(frozen=True)
class Life:
    """What was left when it was over."""

    felix: Felix
    game_id: str
    rematch_id: str
    people: dict[str, Person]
    events: list[dict[str, Any]]
    mails: list[Mail]
    letters: list[Letter]
    silent: tuple[int, int]
    """How many mails Dan had got when he stopped, and when he came back."""
    resigned_at: int
    """How many mails Cara had got when she was gone."""
    in_hand: str
    """The Message-ID of the mail with which felix was killed."""
    folder: Path

    def seat(self, name: str) -> int:
        """Where somebody sits."""
        return [seat.name for seat in self.felix.seats(self.game_id)].index(name)

    def happened(self, type_: str) -> list[dict[str, Any]]:
        """The events of a kind, as everybody sees them."""
        return [event for event in self.events if event["type"] == type_]


def round_of(felix: Felix, game_id: str) -> int:
    """The round that a game is in."""
    return max([e["data"]["round"] for e in felix.events(game_id) if e["type"] == "round_started"], default=0)


def a_life(town: Town, people: dict[str, Person], felix: Felix) -> Life:
    """All of it, from NEW to the first turn of the next game."""
    anna, ben, cara, dan, _ = people.values()
    at_table = [anna, ben, cara, dan]

    def play_until(done: Callable[[], bool], what: str) -> None:
        def a_look() -> bool:
            for person in at_table:
                person.move()
            return done()

        until(a_look, what, 120)

    with felix.serving(signal.SIGKILL):
        game_id = a_table(town, people, felix)
        first = ben.wait_for("his first turn", saying("Round 1 · "))
        with a_program("neomutt", town, "ben") as neomutt:
            neomutt.answer(first, f"SAY {WORDS}")
        play_until(lambda: round_of(felix, game_id) >= 2, "round 2")
        dan.plays = False
        stop = str(dan.read[-1].message["List-Unsubscribe"]).strip("<>")
        dan.write(unquote(urlsplit(stop).path), parse_qs(urlsplit(stop).query)["body"][0], "STOP")
        dan.wait_for("word that mail stops", saying("You get no more mail"))
        stopped_at = len(dan.read)
        play_until(lambda: round_of(felix, game_id) >= 3, "round 3")
        cara.plays = False
        cara.write(cara.read[-1].reply_to, "RESIGN")
        cara.tap(cara.wait_for("the question whether she means it", offering("YES")), "YES")
        cara.wait_for("word that she is out", lambda mail: mail.message["In-Reply-To"] == cara.wrote[-1])
        resigned_at = len(cara.read)
        play_until(lambda: round_of(felix, game_id) >= 5, "round 5")
        ben.write(ben.read[-1].reply_to, "RECEIPTS ON")
        ben.wait_for("word of receipts", lambda mail: mail.message["In-Reply-To"] == ben.wrote[-1])
        kept = len(felix.mails())
        ben.write(ben.read[-1].reply_to, f"SAY {LAST_WORDS}")
        in_hand = ben.wrote[-1]
        until(lambda: len(felix.mails()) > kept, "felix to have taken Ben's mail", look_again=0)
    with felix.serving():
        ben.wait_for("the answer to it", lambda mail: mail.message["In-Reply-To"] == in_hand)
        dan.look()
        back_at = len(dan.read)
        dan.write(dan.read[-1].reply_to, "STATUS")
        dan.plays = True
        play_until(lambda: anna.got(is_result) is not None, "the result")
        rematch_id = a_rematch(felix, [anna, ben, dan])
        until(felix.at_rest, "felix to have sent all it owes")
        town.postfix.until_empty()
        for person in people.values():
            person.look()
    return Life(
        felix, game_id, rematch_id, people, felix.events(game_id), felix.mails(), felix.letters(),
        (stopped_at, back_at), resigned_at, in_hand, town.folder,
    )  # fmt: skip


def a_table(town: Town, people: dict[str, Person], felix: Felix) -> str:
    """Anna's table, opened and begun by mail; the game's id."""
    anna, *guests = people.values()
    # The server's first day: Anna was invited once, and so felix knows her.
    felix.new("anna", "zoe", "yan")
    anna.wait_for("her first invitation", offering("JOIN"))
    anna.write(
        town.mailbox, f"NEW {TABLE}", cc=[f"{p.name.title()} <{town.address(p.name)}>" for p in guests]
    )
    anna.tap(anna.wait_for("the question whether it was her", offering("YES")), "YES")
    for person in guests:
        mail = person.wait_for("an invitation", lambda m: TABLE in m.part("plain") and offering("JOIN")(m))
        person.tap(mail, "DECLINE" if person.name == "eve" else "JOIN")
    game_id = newest(felix)
    until(lambda: joined(felix, game_id) == 4, "four to have joined")
    anna.tap(anna.wait_for("word that she may start", offering("START")), "START")
    return game_id


def a_rematch(felix: Felix, players: Sequence[Person]) -> str:
    """The next game of these, who ask for it one after the other, up to everybody's first turn; its id."""
    tables = len(games_of(felix))
    for person in players:
        mail = person.wait_for("the result", lambda m: is_result(m) and offering("REMATCH")(m))
        person.tap(mail, "REMATCH")
        until(lambda: len(games_of(felix)) > tables, "the rematch")
    rematch_id = newest(felix)
    for person in players:
        person.wait_for(
            "their first turn there",
            lambda m: rematch_id in m.part("plain") and m.subject.startswith("Round 1 · "),
        )
    return rematch_id


def games_of(felix: Felix) -> list[dict[str, Any]]:
    """All games, the oldest first."""
    told: list[dict[str, Any]] = felix.terminal.json("games", "--json", "--db", felix.database)
    return told


def newest(felix: Felix) -> str:
    """The game that was opened last."""
    return str(games_of(felix)[-1]["game_id"])


def joined(felix: Felix, game_id: str) -> int:
    """How many have taken a seat there."""
    return sum(event["type"] == "player_joined" for event in felix.events(game_id))


@pytest.fixture(scope="module")
def life(new_town: NewTown) -> Iterator[Life]:
    town = new_town()
    felix = town.felix("lmtp")
    with ExitStack() as stack:
        names = ("anna", "ben", "cara", "dan", "eve")
        people = {name: Person(town, name, stack.enter_context(town.inbox(name))) for name in names}
        yield a_life(town, people, felix)


def test_the_game_was_played_to_the_end_by_four_of_five(life: Life) -> None:
    (ended,) = life.happened("game_ended")
    assert [score is None for score in ended["data"]["scores"]] == [False] * 4 + [True]


def test_who_declined_heard_no_more_of_it(life: Life) -> None:
    told = [mail for mail in life.people["eve"].read if TABLE in mail.part("plain")]
    assert not [mail for mail in told if mail.subject.startswith("Round ") or is_result(mail)]


def test_nine_rounds_were_played(life: Life) -> None:
    assert [e["data"]["round"] for e in life.happened("round_started")] == list(range(1, 10))


@pytest.mark.parametrize("name", ["anna", "cara", "dan"])
def test_what_ben_said_reached_all_others(life: Life, name: str) -> None:
    assert any(map(saying(WORDS), life.people[name].read))


def test_what_ben_said_is_not_in_the_log(life: Life) -> None:
    said = life.happened("player_said")
    assert [event["data"].keys() for event in said] == [{"seat", "text_hash"}] * 2
    database = life.felix.database
    life.felix.terminal.run("export", life.game_id, "--db", database, "--output", life.folder / "game.jsonl")
    exported = (life.folder / "game.jsonl").read_text("utf-8").splitlines()
    # What was said stands in lines of its own, which can be left out.
    logged = [line for line in exported if not line.startswith('{"said":')]
    assert not [words for words in (WORDS, LAST_WORDS) if words in "\n".join(logged)]


def test_the_mail_in_hand_when_felix_was_killed_was_done_once_and_answered_once(life: Life) -> None:
    ben = life.people["ben"]
    states = [mail.state for mail in life.mails if LAST_WORDS.encode() in mail.raw]
    # Where felix had not yet said that it has the mail, it was handed in once more.
    assert states in (["done"], ["done", "duplicate"])
    assert len(life.happened("player_said")) == 2
    answers = [mail.message for mail in ben.read if mail.message["In-Reply-To"] == life.in_hand]
    assert len({str(answer["Message-ID"]) for answer in answers}) == 1


def test_who_stopped_got_no_mail_until_he_came_back(life: Life) -> None:
    stopped_at, back_at = life.silent
    assert back_at == stopped_at
    assert len(life.people["dan"].read) > back_at


def test_who_resigned_got_no_mail_about_it_any_more(life: Life) -> None:
    assert [mail.subject for mail in life.people["cara"].read[life.resigned_at :]] == []


def test_the_computer_played_on_for_those_who_had_left(life: Life) -> None:
    seats = {event["data"]["seat"] for event in life.events if event["actor"] == "computer"}
    assert seats == {life.seat("Cara"), life.seat("Dan")}


def test_who_resigned_stayed_away_and_who_stopped_came_back(life: Life) -> None:
    handed = [
        (e["data"]["seat"], e["data"]["to"], e["data"]["for_good"]) for e in life.happened("seat_handed_over")
    ]
    cara, dan = life.seat("Cara"), life.seat("Dan")
    assert handed == [(dan, "computer", False), (cara, "computer", True), (dan, "player", False)]


def test_the_export_in_the_result_mail_is_sound(life: Life) -> None:
    result = life.people["anna"].wait_for("the result", is_result)
    (attached,) = result.message.iter_attachments()
    name = attached.get_filename()
    assert name == f"felix-{life.game_id}.jsonl"
    path = life.folder / name
    path.write_bytes(attached.get_payload(decode=True))  # type: ignore[arg-type]
    assert ": sound (" in life.felix.terminal.run("audit", path)


def test_all_who_asked_for_a_rematch_sit_in_their_order_and_who_resigned_does_not(life: Life) -> None:
    assert [seat.name for seat in life.felix.seats(life.rematch_id)] == ["Anna", "Ben", "Dan"]
    assert joined(life.felix, life.rematch_id) == 3


def test_the_rematch_has_begun_and_the_next_one_starts(life: Life) -> None:
    def starter(game_id: str) -> str:
        (begun,) = [e for e in life.felix.events(game_id) if e["type"] == "game_started"]
        return str(life.felix.seats(game_id)[begun["data"]["start_seat"]].name)

    # Cara, who resigned, is passed over.
    after = {"Anna": "Ben", "Ben": "Dan", "Cara": "Dan", "Dan": "Anna"}
    assert starter(life.rematch_id) == after[starter(life.game_id)]


def test_every_log_is_sound(life: Life) -> None:
    told = life.felix.terminal.run("audit", "--all", "--db", life.felix.database)
    assert told.count(": sound (") == 3


def test_every_letter_arrived_and_hardly_one_twice(life: Life) -> None:
    """The one that was on its way when felix was killed may have come once more, as the same mail."""
    ours = {letter.message_id: letter for letter in life.letters if letter.state == "sent"}
    arrived = Counter(str(mail.message["Message-ID"]) for p in life.people.values() for mail in p.read)
    of_people = [key for key, one in ours.items() if one.recipient.partition("@")[0] in life.people]
    assert not [key for key in of_people if not arrived[key]]
    assert sum(arrived[key] - 1 for key in of_people) <= 1


def test_each_round_is_one_thread_of_its_reader(life: Life) -> None:
    """But for answers, which may come before the letter that begins the round's thread."""
    threads: dict[tuple[str, int, str], set[str]] = defaultdict(set)
    for letter in [one for one in life.letters if one.state == "sent"]:
        message = message_from_bytes(letter.raw, policy=default)
        subject, referred = str(message["Subject"]), str(message["References"] or "").split()
        roots = threads[letter.game_id, letter.seat, subject]
        if not subject.startswith("Round "):
            continue
        if message["Auto-Submitted"] == "auto-replied":
            assert not roots or referred[0] in roots, subject
        else:
            roots.add(referred[0] if referred else letter.message_id)
    rounds = {thread: roots for thread, roots in threads.items() if roots}
    assert len(rounds) > 2 * 9
    assert [thread for thread, roots in rounds.items() if len(roots) != 1] == []


def test_each_answer_of_felix_answers_a_mail_of_its_reader(life: Life) -> None:
    wrote = {message_from_bytes(mail.raw)["Message-ID"]: mail.sender for mail in life.mails}
    letters = {letter.message_id: letter for letter in life.letters}
    answers = [
        letter
        for letter in life.letters
        if message_from_bytes(letter.raw)["Auto-Submitted"] == "auto-replied"
    ]
    assert len(answers) > 20
    for letter in answers:
        answered = message_from_bytes(letter.raw)["In-Reply-To"]
        assert answered not in letters
        assert wrote[answered] == letter.recipient


def test_every_letter_was_sent_or_needless(life: Life) -> None:
    assert {letter.state for letter in life.letters} <= {"sent", "dropped"}


def test_no_mail_was_left_aside(life: Life) -> None:
    assert {mail.state for mail in life.mails} <= {"done", "ignored", "duplicate"}
