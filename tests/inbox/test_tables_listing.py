"""How the list below a NEW is read: nobody who stands there is left out without a word."""

from __future__ import annotations

from email.message import EmailMessage
from email.policy import SMTP
from typing import Any

import pytest

from each import each
from felix_async.language.words import REFUSALS
from inbox.hosting import ANNA, FRIENDS, game_at, names_at, opened, seats_at, why_not, write_new
from inbox.postbag import Postbag, a_table

DORA, EMIL = "Dora <dora@friends.test>", "Emil <emil@friends.test>"


def invited(bag: Postbag, text: str, **more: Any) -> list[str]:
    """The names of those whom a NEW invites; none if it opens no table."""
    before = len(opened(bag))
    write_new(bag, text, **more)
    return names_at(bag, opened(bag)[-1])[1:] if len(opened(bag)) > before else []


def options(bag: Postbag) -> tuple[str, str]:
    """What the newest table is called, and its rules."""
    row = bag.look(lambda reader: reader.game(opened(bag)[-1]))
    assert row is not None
    return row.table_name, game_at(bag, row.game_id).ruleset


def offered(bag: Postbag, text: str, **more: Any) -> str:
    """The mail that the answer to a NEW offers which was not done."""
    answer = bag.answered(write_new(bag, text, **more))
    return answer.lines[0].instead


# ---- what is read -----------------------------------------------------------------------------------
@each(
    ("text", "names"),
    [
        # An address with or without a name, or the name of somebody the writer has played with.
        (f"NEW\n{DORA}\nBen\nemil@friends.test", ["Dora", "Ben", "emil"]),
        ("NEW\nDora: dora@friends.test\nEmil emil@friends.test.", ["Dora", "Emil"]),
        ("NEW\nDora\tdora@friends.test\nEmil – emil@friends.test", ["Dora", "Emil"]),
        ("NEW\nDora <mailto:dora@friends.test>\n*Emil <EMIL@friends.test>*", ["Dora", "Emil"]),
        ("NEW\ndora@friends.test<mailto:dora@friends.test>\nBen", ["dora", "Ben"]),
        ('NEW\n"Groß, Dora" <dora@friends.test>,\nBen', ["Groß, Dora", "Ben"]),
        ("NEW\nDora (dora@friends.test)\nGroß & Co (g@friends.test), Ben", ["Dora", "Groß & Co", "Ben"]),
        (f"NEW\n1. {DORA}\n2) Ben", ["Dora", "Ben"]),
        (f"NEW\n-{DORA}\n- Ben\n– Cara", ["Dora", "Ben", "Cara"]),
        # One entry between two commas, too, and behind NEW.
        (f"NEW\n{DORA}, {EMIL}; Ben and Cara", ["Dora", "Emil", "Ben", "Cara"]),
        (f"NEW\n{DORA} and {EMIL} & Ben", ["Dora", "Emil", "Ben"]),
        ("NEW\nBen Cara", ["Ben", "Cara"]),
        # What joins two entries is a part of a name, too.
        ("NEW\nMr. & Mrs. Smith <smith@x.test>\nCara", ["Mr. & Mrs. Smith", "Cara"]),
        ("NEW\nZoë O'Neil & Co <z@x.test>\nCara", ["Zoë O'Neil & Co", "Cara"]),
        ("NEW\nJohn & Jane: jj@x.test\nCara", ["John & Jane", "Cara"]),
        ("NEW\nJohn and Jane jj@x.test + Ben & Cara", ["John and Jane", "Ben", "Cara"]),
        ("NEW: John + Jane <jj@x.test>, Cara", ["John + Jane", "Cara"]),
        ("NEW\nBen & Dora <dora@friends.test>", ["Ben", "Dora"]),
        ("NEW\nBen\nand Cara", ["Ben", "Cara"]),
        ("NEW Ben and Cara", ["Ben", "Cara"]),
        ("NEW: Ben, Cara", ["Ben", "Cara"]),
        ("NEW game: Ben & Cara", ["Ben", "Cara"]),
        ("NEW Ben\nCara", ["Ben", "Cara"]),
        ("NEW dora@friends.test, emil@friends.test", ["dora", "emil"]),
        ("New table\nBen\nCara", ["Ben", "Cara"]),
        # Lines with a colon are no headers of an older mail.
        ("NEW\nD: dora@friends.test\nE: emil@friends.test\nF: f@friends.test", ["D", "E", "F"]),
        (f"NEW\nBen\nCara\nrules: 2007\ntable: Cats\n{DORA}", ["Ben", "Cara", "Dora"]),
        (f"NEW\nrules 2007, 12 hours a move, {DORA}\nBen", ["Dora", "Ben"]),
        (f"NEW\ntable Friday cats, {DORA}, Ben", ["Dora", "Ben"]),
        # The writer, and who takes leave below the list.
        *(
            (f"NEW\nBen\nCara\n{end}", ["Ben", "Cara"])
            for end in ("Anna", "-Anna", "me", "I", "Cheers, Anna")
        ),
        *(
            (f"NEW\nBen\nCara\n{end}", ["Ben", "Cara"])
            for end in ("Anna", "-Anna", "me", "Cheers, Anna", "Best, Anna", "Liebe Grüße\nAnna")
        ),
        *(
            (f"NEW\nBen\nCara\n{end}", ["Ben", "Cara"])
            for end in ("Thanks and bye", "Cheers & see you, Anna")
        ),
        # A blank line ends no list that goes on below it.
        ("NEW\nrules 2007\n\nBen\nCara", ["Ben", "Cara"]),
        (f"NEW\n\nBen\nCara\n{DORA}\n\nBye", ["Ben", "Cara", "Dora"]),
        ("NEW\nBen\nCara\n\nrules 2007\ntable Cats", ["Ben", "Cara"]),
        ("NEW\nBen\nCara\n\nSee you on Friday", ["Ben", "Cara"]),
        ("NEW\n\nHello felix,\n\nBen\n\nCara", ["Ben", "Cara"]),
        ("NEW\nBen\nCara\n\nAnna Smith\nanna@home.test", ["Ben", "Cara"]),
        (
            "NEW\nBen\nCara\nFrom: felix <felix@felix.test>\nSent: Friday, 1 May 2026 19:12\nTo: Anna\n"
            "Subject: Your turn\n\nDan",
            ["Ben", "Cara"],
        ),
    ],
)
def test_a_list_is_read_as_it_may_be_written(text: str, names: list[str]) -> None:
    assert invited(a_table(), text) == names


@each(
    ("text", "told"),
    [
        (f"NEW rules 2007\n{FRIENDS}", ("", "felix-2007")),
        (f"NEW felix 2007\n{FRIENDS}", ("", "felix-2007")),
        (f"NEW: Cats, and friends\n{FRIENDS}", ("Cats, and friends", "felicity-2017")),
        (f"NEW Summer 2007\n{FRIENDS}", ("Summer 2007", "felicity-2017")),
        (f"NEW Cats and dogs\n{FRIENDS}", ("Cats and dogs", "felicity-2017")),
        (f"NEW\n{FRIENDS}\nname: Friday cats\nRules: felix-2007", ("Friday cats", "felix-2007")),
        (f'NEW\ntable "Friday cats"\n{FRIENDS}\n2007', ("Friday cats", "felix-2007")),
        (f"NEW\n{FRIENDS}\nTable name: Cats, and friends", ("Cats, and friends", "felicity-2017")),
        ("NEW\nBen\nCara\n\nrules 2007\ntable Cats", ("Cats", "felix-2007")),
    ],
)
def test_the_name_and_the_rules_are_read_wherever_they_stand(text: str, told: tuple[str, str]) -> None:
    bag = a_table()
    write_new(bag, text)
    assert options(bag) == told


@pytest.mark.parametrize("lines", [["Ben", "Cara"], ["rules 2007", "Ben", "Cara"], ["Ben", "Cara", "Anna"]])
@pytest.mark.parametrize("is_html", [True, False])
def test_a_list_of_paragraphs_is_one_list(bag: Postbag, lines: list[str], is_html: bool) -> None:
    message = EmailMessage(policy=SMTP)
    message["From"], message["Message-ID"], message["Subject"] = ANNA, "<p@players.test>", "Re: Your turn"
    if is_html:
        paragraph = "<p class=MsoNormal>{}<o:p></o:p></p>"
        message.set_content("".join(map(paragraph.format, ["NEW", *lines])), subtype="html")
    else:
        message.set_content("\r\n\r\n".join(["NEW", *lines]))
    mail = bag.take(message.as_bytes(), bag.address(0))
    assert names_at(bag, opened(bag)[0]) == ["Anna", "Ben", "Cara"]
    assert bag.answer_to(mail) is None, "all of it is told at the new table"


def test_words_to_friends_in_cc_are_no_list(bag: Postbag) -> None:
    text = "NEW\n\nShall we play?\n\nIt will be fun.\n\nAnna"
    assert invited(bag, text, headers=["Cc: Ben <ben@players.test>, cara@players.test"]) == ["Ben", "Cara"]


def test_an_address_that_was_not_read_is_told(bag: Postbag) -> None:
    write_new(bag, f"NEW\nBen\nCara\n\n{DORA}")
    assert names_at(bag, opened(bag)[0]) == ["Anna", "Ben", "Cara"]
    with bag.room.store.read() as reader:
        (told,) = [n.payload for n in reader.notices(opened(bag)[0]) if n.kind == "answer"]
    assert "dora@friends.test" in told


# ---- what is refused, by its line -------------------------------------------------------------------
@each(
    ("text", "code", "line"),
    [
        (f"NEW\nrules: 2007\ncolour: red\n{DORA}\n{EMIL}", "new/unknown_line", "colour: red"),
        (f"NEW\ncolleague: {DORA}\nBen", "new/unknown_line", f"colleague: {DORA}"),
        ("NEW\nBen\nCara\n---\nDan", "new/unknown_line", "---"),
        ("NEW\nBen\nCheers, Cara\nDan", "new/unknown_line", "Cheers"),
        ("NEW\n\nBen\n\nZoe\n\nCara", "new/unknown_line", "Zoe"),
        ("NEW Ben and Zoe", "new/unknown_line", "Zoe"),
        ("NEW: Ben, Zoe", "new/unknown_line", "Zoe"),
        ("NEW\nMr. & Mrs. Smith\nBen", "new/unknown_line", "Mr. & Mrs. Smith"),
        (f"NEW rules 2012\n{FRIENDS}", "new/rules", "rules 2012"),
        *(
            (f"NEW\n{FRIENDS}\n{line}", "new/rules", line)
            for line in ("rules 2012", "old rules", "rules: old", "house rules", "1999")
        ),
    ],
)
def test_an_entry_that_cannot_be_read_is_refused_by_its_words(text: str, code: str, line: str) -> None:
    assert why_not(a_table(), text) == REFUSALS[code].format(line=line)


@each(
    ("text", "instead"),
    [
        (f"NEW Cats\n{DORA}\nZoe\n{EMIL}\nrules: 2007", f"NEW\ntable: Cats\n{DORA}\n{EMIL}\nrules: 2007"),
        (f"NEW\n{DORA}\n{EMIL}\nno clock\n3 days a move", f"NEW\n{DORA}\n{EMIL}\nno clock"),
        ("NEW\nBen\nben\nCara", "NEW\nBen\nCara"),
        ("NEW\nZoe\nBen", "NEW\nBen\nCara"),
        ("NEW", "NEW\nBen\nCara\nDan"),
        # What is nearly a NEW takes its list along, and is offered.
        ("NWE\nBen\nCara", "NEW\nBen\nCara"),
        ("hello felix, new game\nBen\nCara", "NEW\nBen\nCara"),
        (f"New table, if you like!\n{FRIENDS}", f"NEW\n{FRIENDS}"),
        ("NEW Ben, Cara", "NEW\nBen\nCara"),
        (f"NEW table Friday cats\n{FRIENDS}", f"NEW\ntable Friday cats\n{FRIENDS}"),
        # Other words around friends, addresses and rules are not guessed at: what they may mean is offered.
        ("NEW with Ben and Cara", "NEW\nBen\nCara"),
        ("NEW Cats\nwith Ben and Cara", "NEW\ntable: Cats\nBen\nCara"),
        (f"NEW\nplayers: {DORA}, {EMIL}", f"NEW\ndora@friends.test\n{EMIL}"),
        ("NEW\nDora [dora@friends.test]\nBen", "NEW\ndora@friends.test\nBen"),
        ("NEW\ndora@friends.test (Dora)\nBen", "NEW\ndora@friends.test\nBen"),
        (f"NEW\n{DORA} {EMIL}", "NEW\ndora@friends.test\nemil@friends.test"),
        ("NEW\nGroß, Dora <dora@friends.test>\nBen", "NEW\nDora <dora@friends.test>\nBen"),
        *(
            (f"NEW\n{FRIENDS}\n{line}", f"NEW\n{FRIENDS}\nrules 2007")
            for line in ("2007 rules", "the rules of 2007", "rules = 2007")
        ),
        # Nothing that turns the direction of the text is offered.
        ("NEW\nYa\u202enn <y@y.test>\nBen\nfoo bar <q>", "NEW\nYann <y@y.test>\nBen"),
        ("NEW\nYa\u2066nn <y@y.test>\nBen\nrules 2012", "NEW\nYann <y@y.test>\nBen"),
        (f"NEW\n{FRIENDS}\ntable Ca\u202ets\nrules 2012", f"NEW\n{FRIENDS}\ntable Cats"),
        (f"NEW: Friday cats, rules 2007\n{FRIENDS}", f"NEW\nrules 2007\n{FRIENDS}"),
        (f"NEW Sunday cats rules 2007\n{FRIENDS}", f"NEW\nrules 2007\n{FRIENDS}"),
        (f"NEW\n{FRIENDS}\nthe table is called Friday cats", f"NEW\n{FRIENDS}"),
    ],
)
def test_what_is_not_done_offers_the_mail_that_is(text: str, instead: str) -> None:
    bag = a_table()
    assert offered(bag, text) == instead
    assert opened(bag) == []
    write_new(bag, instead)
    assert len(opened(bag)) == 1


def test_who_is_in_cc_stands_in_the_mail_that_is_offered(bag: Postbag) -> None:
    assert offered(bag, "NEW\nZoe\nBen", headers=[f"Cc: {DORA}"]) == f"NEW\nBen\n{DORA}"


def test_no_address_that_its_reader_did_not_write_is_offered(bag: Postbag) -> None:
    assert "@" not in offered(bag, "NEW")


def test_too_many_tables_are_no_matter_of_lines(bag: Postbag) -> None:
    for _ in range(5):
        write_new(bag, "NEW\nBen\nCara")
    assert offered(bag, "NEW\nBen\nCara") == ""


def test_a_sentence_that_begins_with_new_is_no_table(bag: Postbag) -> None:
    write_new(bag, "New phone, sorry for the delay", headers=["Cc: ben@players.test, cara@players.test"])
    assert opened(bag) == []


def test_a_couple_that_is_known_by_one_name_is_one_guest(bag: Postbag) -> None:
    invited(bag, "NEW\nBea & Ben <bb@friends.test>\nCara")
    assert invited(bag, "NEW\nBea & Ben\nCara") == ["Bea & Ben", "Cara"]


# ---- who is meant by a name -------------------------------------------------------------------------
def test_somebody_who_is_called_like_the_rules_is_invited(bag: Postbag) -> None:
    invited(bag, f"NEW\nFelicity <f@friends.test>\n{DORA}")
    assert invited(bag, "NEW\nFelicity\nBen") == ["Felicity", "Ben"]


def test_who_is_called_like_an_option_cannot_stand_in_its_place(bag: Postbag) -> None:
    invited(bag, 'NEW\n"rules 2007" <r@friends.test>\n"no clock" <n@friends.test>')
    assert invited(bag, "NEW\nBen\nCara\nrules 2007\nno clock") == ["Ben", "Cara"]
    assert options(bag)[1] == "felix-2007"


def test_who_is_in_cc_without_a_name_keeps_the_one_that_the_host_knows(bag: Postbag) -> None:
    cc = ["Cc: ben@players.test, carla.long99@friends.test"]
    assert invited(bag, "NEW", headers=cc) == ["Ben", "carla long99"]
    assert invited(bag, "NEW\nben@players.test\nCara") == ["Ben", "Cara"]
    named = ["Cc: Carla <carla.long99@friends.test>"]
    assert invited(bag, "NEW\nBen", headers=named) == ["Ben", "Carla"]
    assert invited(bag, "NEW\nBen", headers=["Cc: carla.long99@friends.test"]) == ["Ben", "Carla"]


def test_a_friend_answers_to_every_name_that_was_used(bag: Postbag) -> None:
    assert invited(bag, "NEW\nBenno <ben@players.test>\nCara") == ["Benno", "Cara"]
    assert invited(bag, "NEW\nBen\nCara") == ["Ben", "Cara"]
    assert invited(bag, "NEW\nBenno\nCara") == ["Benno", "Cara"]
    ben = bag.seat(1).player_id
    assert {seats_at(bag, game_id)[1].player_id for game_id in opened(bag)} == {ben}
    assert why_not(bag, "NEW\nBenno\nBen\nCara") == REFUSALS["new/twice"].format(name="Benno")


def test_a_name_from_tables_of_others_is_not_known(bag: Postbag) -> None:
    write_new(bag, f"NEW\nBenno <ben@players.test>\n{DORA}", sender="cara@players.test", seat=2)
    assert len(opened(bag)) == 1
    assert why_not(bag, "NEW\nBenno\nCara") == REFUSALS["new/unknown_line"].format(line="Benno")
