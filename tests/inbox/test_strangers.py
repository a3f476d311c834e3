"""People who play nowhere here and write: one answer, or a table, where they are let in; else silence."""

from __future__ import annotations

import re
from functools import partial

import pytest

from felix_async.clock import DAY, later
from felix_async.clock import text_of as clock_text
from felix_async.inbox.quota import drop_strangers, forget_strangers, letters_over, over_quota
from felix_async.inbox.strangers import MOST_A_DAY, MOST_OF_A_DOMAIN, STRANGER
from felix_async.settings import Keep
from felix_events.store.base import Reader
from felix_notifiers.mails.letters import Letters
from inbox.doorstep import GREETER, HELLO, NEW, OURS, ZOE, Door, a_door, text_of, vouched
from inbox.postbag import MAILBOX, Postbag, a_mail

FAILED = f"Authentication-Results: {OURS}; dmarc=fail header.from=friends.example"
"""The header of our own server, on a mail that brings one in its name."""


@pytest.fixture
def shut(bag: Postbag) -> Door:
    """A server where nobody is let in."""
    return a_door(bag, is_open=False)


@pytest.fixture
def door(bag: Postbag) -> Door:
    return a_door(bag)


# ---- the answer
def test_somebody_who_writes_gets_one_answer(door: Door) -> None:
    assert door.knock() == f"ignored: {STRANGER}; told what felix is, and how to open a table"
    (letter,) = door.letters
    assert (letter.recipient, letter.state, letter.sender, letter.game_id) == (ZOE, "ready", "", "")


def test_it_says_what_felix_is_and_how_to_open_a_table(door: Door) -> None:
    door.knock()
    text = text_of(door.only)
    for words in ("card game", "reply in your own words", "NEW", "only message"):
        assert words in text
    assert len(text.split()) <= 120
    html = door.only.get_body(("html",))
    assert html is not None
    assert re.search(r'href="mailto:felix@felix\.test\?subject=[^"]*body=NEW', html.get_content())


def test_it_is_felixs_own_and_holds_no_word_of_theirs(door: Door) -> None:
    words = ("Xylophone", "Zebra", "Quagmire")
    door.knock(f"{words[0]}\nBID 5", name=words[1], subject=words[2])
    letter = door.only
    assert str(letter["From"]).casefold() == f"felix <{MAILBOX}>"
    assert str(letter["To"]) == ZOE
    assert letter["Auto-Submitted"] == "auto-replied"
    assert letter["In-Reply-To"] == "<1@strangers.test>"
    assert not [word for word in words if word in door.letters[0].raw.decode()]


@pytest.mark.parametrize("again", [ZOE, "ZOE@Friends.Example", "zoe+cats@friends.example"])
def test_no_address_gets_a_second_one(door: Door, again: str) -> None:
    door.knock()
    assert "because they had theirs on Thu 1 Jan" in door.knock(sender=again)
    assert len(door.letters) == 1


def test_nobody_is_answered_beyond_fifty_within_a_day(door: Door) -> None:
    for number in range(MOST_A_DAY):
        door.knock(sender=f"zoe{number}@friends{number % 5}.example")
    assert "because 50 strangers were answered within a day" in door.knock(sender="late@late.example")
    assert "because 50 strangers" in door.knock(NEW, sender="host@late.example")
    assert len(door.letters) == MOST_A_DAY
    door.wait(days=1, seconds=1)
    assert "told what felix is" in door.knock(sender="late@late.example")


def test_one_domain_does_not_use_up_the_rest(door: Door) -> None:
    for number in range(MOST_OF_A_DOMAIN):
        door.knock(sender=f"zoe{number}@friends.example")
    assert "because 10 strangers of that domain" in door.knock(sender="late@Friends.example")
    assert "told what felix is" in door.knock(sender="zoe@late.example")


def test_two_servers_write_to_each_other_once_even_where_their_marks_are_lost(door: Door) -> None:
    for _ in range(3):
        door.knock(text_of(door.only) if door.letters else HELLO, sender="felix@elsewhere.example")
    assert len(door.letters) == 1


def test_an_answer_is_no_mail_that_a_felix_answers(door: Door) -> None:
    door.knock()
    other = door.take(door.letters[0].raw, MAILBOX, "felix@elsewhere.test")
    assert door.note(other).startswith("ignored: written by a machine (Auto-Submitted)")
    assert len(door.letters) == 1


# ---- silence
@pytest.mark.parametrize(
    ("how", "told"),
    [
        ({"vouch": False}, "because mx.felix.test does not vouch for the sender"),
        ({"vouch": False, "more": (vouched(server="mx.evil.test"),)}, "does not vouch for the sender"),
        ({"vouch": False, "more": (FAILED, vouched())}, "mx.felix.test does not vouch for the sender"),
        ({"to": "To: undisclosed-recipients:;"}, "because felix@felix.test is neither in To nor in Cc"),
        ({"to": ""}, "because felix@felix.test is neither in To nor in Cc"),
        ({"to": f"To: {'((' * 900} {MAILBOX}"}, "because felix@felix.test is neither in To nor in Cc"),
        ({"sender": "no-reply@shop.example"}, "and no person writes from there"),
        ({"sender": "MAILER-DAEMON@mx.example"}, "and no person writes from there"),
        ({"sender": "bounces+17=felix@shop.example"}, "and no person writes from there"),
        ({"sender": "cats-owner@lists.example"}, "and no person writes from there"),
        ({"more": ("Sender: owner-cats@lists.example",)}, "and no person writes from there"),
        ({"more": ("X-Google-Groups: cats",)}, "it is spam, or of a list, as x-google-groups says"),
        ({"more": ("X-Spam-Flag: YES",)}, "it is spam, or of a list, as x-spam-flag says"),
        ({"more": ("X-Spam-Status: Yes, score=9.1",)}, "it is spam, or of a list, as x-spam-status says"),
        ({"sender": MAILBOX}, "and no person writes from there"),
        ({"sender": "cron@felix.test"}, "and no person writes from there"),
        ({"more": ("List-Id: <cats.example>",)}, "written by a machine (list-id)"),
        ({"more": ("Precedence: bulk",)}, "written by a machine (precedence)"),
        ({"more": ("X-Felix-Loop: felix@elsewhere.test",)}, "written by a machine (x-felix-loop)"),
        ({"subject": "Out of office: Cats"}, "written by a machine (Subject)"),
        ({"recipient": "felix+abcdefg@felix.test"}, "the address holds no valid token"),
        ({"sender": "zoe@friends.example, ben@home.example"}, "does not say clearly from whom it is"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("text", [HELLO, NEW])
def test_nobody_else_is_answered(door: Door, how: dict[str, str], told: str, text: str) -> None:
    assert told in door.knock(text, **how)  # type: ignore[arg-type]
    assert (door.letters, door.games) == ([], [])


def test_where_nobody_is_let_in_the_operator_is_told_what_to_do(shut: Door) -> None:
    for text in (HELLO, NEW):
        told = shut.knock(text)
        assert told.startswith(f"quarantined: {STRANGER}; no answer, because invitations.open is off")
        assert told.endswith("If they are to play, open a table for them with `felix new`; else drop this.")
    assert (shut.letters, shut.games) == ([], [])


def test_a_mail_without_an_envelope_sender_is_answered_to_nobody(door: Door) -> None:
    raw = a_mail(HELLO, sender=ZOE, headers=[f"To: {MAILBOX}", vouched()])
    assert door.note(door.take(raw, MAILBOX, "<>")).startswith("ignored: the envelope has no sender")
    assert door.letters == []


def test_a_mail_that_a_filter_let_pass_is_answered(door: Door) -> None:
    more = ("X-Spam-Flag: NO", "X-Spam-Status: No, score=-1.1", "Sender: zoe@friends.example")
    assert "told what felix is" in door.knock(more=more)


def test_the_mail_of_a_player_is_read_whatever_a_filter_says(bag: Postbag) -> None:
    raw = a_mail(
        "JOIN", headers=["X-Spam-Flag: YES", "X-Spam-Status: Yes, score=9.1", "X-Google-Groups: cats"]
    )
    bag.take(raw)
    assert bag.game.seats[0].answer == "joined"


# ---- once, whatever happens
def test_what_lay_in_quarantine_is_answered_once_strangers_are_let_in(shut: Door) -> None:
    shut.knock()
    shut.room.service.is_open = True
    assert "told what felix is" in shut.retry(1)
    assert "because they had theirs" in shut.retry(1)
    assert len(shut.letters) == 1


def test_what_lay_there_for_longer_than_a_day_is_not(shut: Door) -> None:
    shut.knock()
    shut.room.service.is_open = True
    shut.wait(days=1, seconds=1)
    assert "because it came more than a day ago" in shut.retry(1)
    assert shut.letters == []


def test_the_same_mail_twice_is_a_duplicate(door: Door) -> None:
    raw = a_mail(HELLO, sender=ZOE, headers=[f"To: {MAILBOX}", vouched()])
    door.take(raw, MAILBOX, ZOE)
    assert door.note(door.take(raw, MAILBOX, ZOE)) == "duplicate: the same as mail 1"
    assert len(door.letters) == 1


@pytest.mark.parametrize("text", [HELLO, NEW])
def test_a_crash_before_the_end_leaves_nothing_and_after_it_everything(
    door: Door, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The letter, its count and what became of the mail are one transaction."""
    raw = a_mail(text, sender=ZOE, headers=[f"To: {MAILBOX}", vouched()])
    mail_id = door.post(raw, MAILBOX, ZOE)
    with monkeypatch.context() as patched:
        patched.setattr("felix_async.inbox.process._settle", killed)
        with pytest.raises(KeyboardInterrupt):
            door.work()
    assert (door.letters, door.games, door.mail(mail_id).state) == ([], [], "new")
    door.work()
    door.work()
    assert (len(door.letters), len(door.games)) == ((1, 0) if text == HELLO else (0, 1))


def killed(*_: object) -> None:
    raise KeyboardInterrupt


# ---- a table
def test_a_strangers_new_opens_a_table_that_they_host(door: Door) -> None:
    assert door.knock(NEW, name="Zoe") == "done: from somebody new, who opened a table"
    (game_id,) = [row.game_id for row in door.games]
    rows = door.look(lambda reader: reader.seats(game_id))
    assert [(row.name, row.address) for row in rows] == [
        ("Zoe", ZOE), ("Ben", "ben@home.example"), ("Cara", "cara@home.example"),
    ]  # fmt: skip
    game = door.room.game(game_id)
    assert (game.host, game.answered("joined"), game.asked) == (0, [0], [1, 2])


def test_friends_may_stand_in_cc(door: Door) -> None:
    friends = "Cc: Ben <ben@home.example>, cara@home.example"
    assert door.knock("NEW", more=(friends,)).startswith("done")
    rows = door.look(lambda reader: reader.seats(door.games[0].game_id))
    assert [row.name for row in rows] == ["zoe", "Ben", "cara"]


@pytest.mark.parametrize(("is_open", "tables"), [(True, 2), (False, 1)])
def test_who_is_invited_and_has_not_joined_may_do_what_strangers_may(
    door: Door, is_open: bool, tables: int
) -> None:
    door.knock(NEW)
    door.room.service.is_open = is_open
    assert door.knock(NEW.replace("Ben ben@", "Dan dan@"), sender="ben@home.example").startswith("done")
    assert len(door.games) == tables


def test_who_was_told_how_may_open_one(door: Door) -> None:
    door.knock()
    assert "opened a table" in door.knock(NEW)
    assert len(door.games) == 1


def test_from_then_on_they_are_a_player(door: Door) -> None:
    door.knock(NEW)
    assert door.knock(NEW.replace("home", "work")).startswith("done")
    hosts = {door.look(partial(host_of, game_id=row.game_id)) for row in door.games}
    assert (len(door.games), len(hosts)) == (2, 1)


def host_of(reader: Reader, game_id: str) -> str:
    return reader.seats(game_id)[0].player_id


@pytest.mark.parametrize("where", ["above, quoted", "above", "below"])
def test_an_answer_to_that_letter_opens_the_table_that_it_lists_and_no_other(door: Door, where: str) -> None:
    door.knock()
    letter = text_of(door.only)
    quoted = "\n".join(f"> {line}" for line in letter.splitlines())
    answer = {
        "above, quoted": f"{NEW}\n\nOn Thu felix wrote:\n{quoted}",
        "above": f"{NEW}\n\n{letter}",
        "below": f"On Thu felix wrote:\n{quoted}\n\n{NEW}",
    }[where]
    assert door.knock(answer, subject=f"Re: {door.only['Subject']}").startswith("done")
    (table,) = door.games
    rows = door.look(lambda reader: reader.seats(table.game_id))
    assert [(row.name, table.table_name) for row in rows] == [("zoe", ""), ("Ben", ""), ("Cara", "")]


@pytest.mark.parametrize("again", ["", "> "])
def test_so_does_one_below_it_that_no_sign_of_a_quote_stands_before(door: Door, again: str) -> None:
    """As s-nail does, with a tab."""
    door.knock()
    quoted = "\n".join(f"{again}\t{line}" for line in text_of(door.only).splitlines())
    reply = f"In-Reply-To: {door.only['Message-ID']}"
    answer = f"Felix <{MAILBOX}> wrote:\n\n{quoted}\n\n{NEW}"
    assert door.knock(answer, subject=f"Re: {door.only['Subject']}", more=(reply,)).startswith("done")
    assert len(door.games) == 1


@pytest.mark.parametrize("words", ["Thanks!", ""])
def test_that_letter_alone_asks_for_nothing(door: Door, words: str) -> None:
    door.knock()
    told = door.knock(f"{words}\n\n{text_of(door.only)}", subject=f"Re: {door.only['Subject']}")
    assert "because they had theirs" in told
    assert door.games == []


def test_no_word_of_theirs_is_in_what_tells_why_no_table_was_opened(door: Door) -> None:
    told = door.knock("NEW\nXylophone\nben@home.example")
    assert told == f"ignored: {STRANGER}; told why no table was opened (new/unknown_line)"
    text = text_of(door.only)
    assert "I opened no table" in text
    assert "Xylophone" not in text
    assert door.games == []


def test_a_list_that_is_too_short_is_told_in_so_many_words(door: Door) -> None:
    door.knock("NEW\nben@home.example")
    assert len(text_of(door.only).split()) <= 120
    assert door.games == []


def test_they_are_told_so_three_times_a_day(door: Door) -> None:
    for _ in range(3):
        assert "told why no table was opened" in door.knock("NEW")
    assert "told why often enough today" in door.knock("NEW")
    assert len(door.letters) == 3
    assert "opened a table" not in door.knock(NEW)


def test_the_quota_of_strangers_holds_for_their_guests(door: Door) -> None:
    door.room.service.strangers_a_day = 1
    assert "told why no table was opened (new/enough_strangers)" in door.knock(NEW)
    assert door.games == []


def test_the_tables_of_one_address_are_counted_whatever_stands_behind_its_plus(door: Door) -> None:
    for number in range(5):
        door.knock(NEW.replace("home", f"home{number}"), sender=f"zoe+{number}@friends.example")
    told = door.knock(NEW.replace("home", "work"), sender="zoe+9@friends.example")
    assert "no table, because they opened enough within a day" in told
    assert len(door.games) == 5


def test_nobody_invites_themselves_twice(door: Door) -> None:
    told = door.knock(f"NEW\n{ZOE}\nben@home.example\ncara@home.example")
    assert "told why no table was opened (new/yourself)" in told


# ---- what stays of them
def test_of_the_address_a_hash_is_kept_that_needs_the_servers_secret(door: Door) -> None:
    door.knock()
    known, guessed = (one.digest("stranger", ZOE) for one in (GREETER, Letters(MAILBOX, bytes(32))))
    (row,) = door.look(lambda reader: reader.greetings(known))
    assert (row.what, row.mail_id) == ("told", 1)
    assert door.look(lambda reader: reader.greetings(guessed)) == []


def test_after_so_many_days_nothing_names_them_any_more(door: Door) -> None:
    door.knock()
    door.do(
        lambda tx: tx.mark_letter(1, "sent", next_at=later(text_of_clock(door), 60), note="250 zoe is here")
    )
    assert aged(door, 29) == (ZOE, True, ZOE, True)
    assert aged(door, 31) == ("", False, "", False)
    assert "because they had theirs" in door.knock()


def text_of_clock(door: Door) -> str:
    return clock_text(door.room.clock())


def aged(door: Door, days: int) -> tuple[str, bool, str, bool]:
    """Whom the mail and the letter name after so many days, and whether they have their text."""
    keep, now = Keep(), later(text_of_clock(door), days * DAY)
    mails = door.look(partial(over_quota, keep=keep, mailbox=MAILBOX, now=now))
    letters = door.look(partial(letters_over, keep=keep, now=now))
    door.do(partial(drop_strangers, mail_ids=mails))
    door.do(partial(forget_strangers, letter_ids=letters))
    mail, letter = door.mail(1), door.letters[0]
    return mail.sender, bool(mail.raw), letter.recipient, bool(letter.raw)


def test_a_letter_that_waits_to_be_sent_is_not_forgotten(door: Door) -> None:
    door.knock()
    now = later(text_of_clock(door), 365 * DAY)
    assert door.look(partial(letters_over, keep=Keep(), now=now)) == []


def test_who_became_a_player_and_is_forgotten_is_in_that_letter_no_more(door: Door) -> None:
    door.knock()
    door.knock(NEW)
    (row,) = door.games
    door.do(lambda tx: tx.begin_to_forget(host_of(tx, row.game_id)))
    door.forget()
    (letter,) = door.letters
    assert (letter.recipient, letter.raw, letter.state) == ("", b"", "dropped")
    assert door.look(lambda reader: reader.greetings(GREETER.digest("stranger", ZOE))) == []
