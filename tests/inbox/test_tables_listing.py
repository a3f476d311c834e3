"""How the list below a NEW is read: nobody who stands there is left out without a word."""

from __future__ import annotations

from email.message import EmailMessage
from email.policy import SMTP
from typing import Any

import pytest

from felix_async.language.words import REFUSALS
from inbox.hosting import ANNA, FRIENDS, game_at, names_at, opened, seats_at, why_not, write_new
from inbox.postbag import Postbag, a_table

DORA, EMIL = "Dora <dora@friends.test>", "Emil <emil@friends.test>"


@pytest.fixture
def bag() -> Postbag:
    return a_table()


def invited(bag: Postbag, text: str, **more: Any) -> list[str]:
    """The names of those whom a NEW invites; none where it opens no table."""
    before = len(opened(bag))
    write_new(bag, text, **more)
    return names_at(bag, opened(bag)[-1])[1:] if len(opened(bag)) > before else []


def options(bag: Postbag) -> tuple[str, str]:
    """What the newest table is called, and its rules."""
    with bag.room.store.read() as reader:
        row = reader.game(opened(bag)[-1])
    assert row is not None
    return row.table_name, game_at(bag, row.game_id).ruleset


# ---- lines with a colon, which look like the headers of an older mail -----------------------------------


@pytest.mark.parametrize(
    ("lines", "names"),
    [
        ("Ben\nCara\nDora: dora@friends.test\nEmil: emil@friends.test", ["Ben", "Cara", "Dora", "Emil"]),
        ("Dora: dora@friends.test\nEmil: emil@friends.test\nBen", ["Dora", "Emil", "Ben"]),
        ("D: dora@friends.test\nE: emil@friends.test\nF: f@friends.test", ["D", "E", "F"]),
        (f"Ben\nCara\nrules: 2007\ntable: Cats\n{DORA}", ["Ben", "Cara", "Dora"]),
        (f"table: Cats\nrules: 2007\nclock: 12 hours a move\n{DORA}\n{EMIL}", ["Dora", "Emil"]),
        (f"rules 2007, 12 hours a move, {DORA}\nBen", ["Dora", "Ben"]),
    ],
)
def test_lines_with_a_colon_are_no_headers_of_an_older_mail(
    bag: Postbag, lines: str, names: list[str]
) -> None:
    assert invited(bag, f"NEW\n{lines}") == names


def test_options_with_a_colon_count_wherever_they_stand(bag: Postbag) -> None:
    invited(bag, f"NEW\nBen\nCara\nrules: 2007\ntable: Cats\n{DORA}")
    assert options(bag) == ("Cats", "felix-2007")


def test_an_unknown_option_among_known_ones_is_refused_by_its_name(bag: Postbag) -> None:
    why = why_not(bag, f"NEW\nrules: 2007\ncolour: red\n{DORA}\n{EMIL}")
    assert why == REFUSALS["new/unknown_line"].format(line="colour: red")


def test_the_headers_of_an_older_mail_below_the_list_are_no_friends(bag: Postbag) -> None:
    headers = "From: felix <felix@felix.test>\nSent: Friday, 1 May 2026 19:12\nTo: Anna\nSubject: Your turn"
    assert invited(bag, f"NEW\nBen\nCara\n{headers}\n\nDan") == ["Ben", "Cara"]


@pytest.mark.parametrize(
    ("lines", "names"),
    [
        ("-Ben\n-Cara", ["Ben", "Cara"]),
        ("– Ben\n– Cara", ["Ben", "Cara"]),
        (f"-{DORA}\n-Ben\n-Cara", ["Dora", "Ben", "Cara"]),
        (f"- {DORA}\n-{EMIL}\nBen", ["Dora", "Emil", "Ben"]),
        ("Ben\nCara\n-Anna", ["Ben", "Cara"]),
    ],
)
def test_dashes_stand_before_friends_and_before_a_signature(
    bag: Postbag, lines: str, names: list[str]
) -> None:
    assert invited(bag, f"NEW\n{lines}") == names


def test_a_friend_below_a_row_of_dashes_is_not_left_out_in_silence(bag: Postbag) -> None:
    assert why_not(bag, "NEW\nBen\nCara\n---\nDan") == REFUSALS["new/unknown_line"].format(line="---")


@pytest.mark.parametrize(
    "end", ["Cheers, Anna", "Thanks, Anna", "Best, Anna", "Liebe Grüße\nAnna", "Regards\nAnna", "me", "I"]
)
def test_who_takes_leave_below_the_list_lists_nobody(bag: Postbag, end: str) -> None:
    assert invited(bag, f"NEW\nBen\nCara\n{end}") == ["Ben", "Cara"]


def test_who_takes_leave_of_a_friend_is_asked(bag: Postbag) -> None:
    assert why_not(bag, "NEW\nBen\nCheers, Cara\nDan") == REFUSALS["new/unknown_line"].format(line="Cheers")


# ---- blank lines ----------------------------------------------------------------------------------------

PARAGRAPH = "<p class=MsoNormal>{}<o:p></o:p></p>"


@pytest.mark.parametrize(
    "lines", [["NEW", "Ben", "Cara"], ["NEW", "rules 2007", "Ben", "Cara"], ["NEW", "Ben", "Cara", "Anna"]]
)
@pytest.mark.parametrize("is_html", [True, False])
def test_a_list_of_paragraphs_is_one_list(bag: Postbag, lines: list[str], is_html: bool) -> None:
    message = EmailMessage(policy=SMTP)
    message["From"], message["Message-ID"], message["Subject"] = ANNA, "<p@players.test>", "Re: Your turn"
    if is_html:
        message.set_content("".join(PARAGRAPH.format(line) for line in lines), subtype="html")
    else:
        message.set_content("\r\n\r\n".join(lines))
    mail = bag.post(message.as_bytes(), bag.address(0))
    bag.work()
    (game_id,) = opened(bag)
    assert names_at(bag, game_id) == ["Anna", "Ben", "Cara"]
    assert bag.answer_to(mail) is None, "all of it is told at the new table"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("NEW\nrules 2007\n\nBen\nCara", ["Ben", "Cara"]),
        (f"NEW\n\nBen\nCara\n{DORA}\n\nBye", ["Ben", "Cara", "Dora"]),
        ("NEW\nBen\nCara\n\nrules 2007\ntable Cats", ["Ben", "Cara"]),
        ("NEW\nBen\nCara\n\nSee you on Friday", ["Ben", "Cara"]),
        ("NEW\n\nHello felix,\n\nBen\n\nCara", ["Ben", "Cara"]),
    ],
)
def test_a_blank_line_ends_no_list_that_goes_on_below_it(bag: Postbag, text: str, names: list[str]) -> None:
    assert invited(bag, text) == names


def test_options_below_a_blank_line_count(bag: Postbag) -> None:
    invited(bag, "NEW\nBen\nCara\n\nrules 2007\ntable Cats")
    assert options(bag) == ("Cats", "felix-2007")


def test_a_stranger_in_a_list_of_paragraphs_is_refused(bag: Postbag) -> None:
    assert why_not(bag, "NEW\n\nBen\n\nZoe\n\nCara") == REFUSALS["new/unknown_line"].format(line="Zoe")


def test_words_to_friends_in_cc_are_no_list(bag: Postbag) -> None:
    text = "NEW\n\nShall we play?\n\nIt will be fun.\n\nAnna"
    assert invited(bag, text, headers=["Cc: Ben <ben@players.test>, cara@players.test"]) == ["Ben", "Cara"]


def test_an_address_in_a_signature_is_nobodys_invitation(bag: Postbag) -> None:
    assert invited(bag, "NEW\nBen\nCara\n\nAnna Smith\nanna@home.test") == ["Ben", "Cara"]


def test_an_address_that_was_not_read_is_told(bag: Postbag) -> None:
    mail = write_new(bag, f"NEW\nBen\nCara\n\n{DORA}")
    assert names_at(bag, opened(bag)[0]) == ["Anna", "Ben", "Cara"]
    assert bag.mail(mail).state == "done"
    with bag.room.store.read() as reader:
        (told,) = [n.payload for n in reader.notices(opened(bag)[0]) if n.kind == "answer"]
    assert "dora@friends.test" in told


# ---- behind NEW -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        "NEW Ben, Cara",
        "NEW: Ben, Cara",
        "NEW Ben and Cara",
        "NEW Ben Cara",
        "NEW with Ben and Cara",
        "New game with Ben and Cara please",
        "NEW game: Ben & Cara",
        "NEW\nBen and Cara",
        "NEW\nBen, Cara",
        "NEW\nBen Cara",
        "NEW\nBen\nand Cara",
        "NEW\nwith Ben and Cara",
        "NEW game\nBen\nCara",
        "New table\nBen\nCara",
        "NEW Ben\nCara",
    ],
)
def test_friends_stand_behind_new_as_people_write(bag: Postbag, line: str) -> None:
    assert invited(bag, line) == ["Ben", "Cara"]


@pytest.mark.parametrize("line", ["NEW Ben and Zoe", "NEW with Ben and Zoe", "NEW: Ben, Zoe"])
def test_one_stranger_behind_new_is_refused_by_name(bag: Postbag, line: str) -> None:
    assert why_not(bag, line) == REFUSALS["new/unknown_line"].format(line="Zoe")


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ("NEW rules 2007", ("", "felix-2007")),
        ("NEW 2007", ("", "felix-2007")),
        ("NEW felix 2007", ("", "felix-2007")),
        ("NEW: Friday cats, rules 2007", ("Friday cats", "felix-2007")),
        ("NEW: Cats, and friends", ("Cats, and friends", "felicity-2017")),
        ("NEW Summer 2007", ("Summer 2007", "felicity-2017")),
        ("NEW Cats and dogs", ("Cats and dogs", "felicity-2017")),
        ("NEW called Cats", ("Cats", "felicity-2017")),
        ("NEW table Friday cats", ("Friday cats", "felicity-2017")),
    ],
)
def test_what_stands_behind_new_is_an_option_or_a_name(
    bag: Postbag, line: str, told: tuple[str, str]
) -> None:
    invited(bag, f"{line}\n{FRIENDS}")
    assert options(bag) == told


@pytest.mark.parametrize("line", ["NEW rules 2012", "NEW ruleset old"])
def test_rules_behind_new_that_nobody_knows_are_no_name(bag: Postbag, line: str) -> None:
    shown = line.removeprefix("NEW ")
    assert why_not(bag, f"{line}\n{FRIENDS}") == REFUSALS["new/rules"].format(line=shown)


# ---- options --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "line", ["rules of 2007", "the rules of 2007", "felix 2007 edition", "rule set: 2007", "rules = 2007"]
)
def test_the_rules_may_have_small_words_around_them(bag: Postbag, line: str) -> None:
    invited(bag, f"NEW\n{FRIENDS}\n{line}")
    assert options(bag)[1] == "felix-2007"


@pytest.mark.parametrize("line", ["rules 2012", "old rules", "rules: old", "house rules", "1999"])
def test_rules_that_nobody_knows_are_no_person(bag: Postbag, line: str) -> None:
    assert why_not(bag, f"NEW\n{FRIENDS}\n{line}") == REFUSALS["new/rules"].format(line=line)


@pytest.mark.parametrize(
    "line",
    [
        "name: Friday cats",
        "Table name: Friday cats",
        "table name Friday cats",
        "Name of the table: Friday cats",
        "the table is called Friday cats",
        'table "Friday cats"',
    ],
)
def test_a_table_is_named_in_many_ways(bag: Postbag, line: str) -> None:
    invited(bag, f"NEW\n{FRIENDS}\n{line}")
    assert options(bag)[0] == "Friday cats"


def test_friends_behind_the_name_of_a_table_are_friends(bag: Postbag) -> None:
    assert invited(bag, f"NEW\ntable Friday cats, {DORA}, Ben") == ["Dora", "Ben"]
    assert options(bag)[0] == "Friday cats"


def test_somebody_who_is_called_like_the_rules_is_invited(bag: Postbag) -> None:
    invited(bag, f"NEW\nFelicity <f@friends.test>\n{DORA}")
    assert invited(bag, "NEW\nFelicity\nBen") == ["Felicity", "Ben"]


# ---- names and addresses --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "lines",
    [
        f"1. {DORA}\n2. {EMIL}",
        f"1) {DORA}\n2) {EMIL}",
        f"players: {DORA}, {EMIL}",
        f"Players:\n{DORA}\n{EMIL}",
        f"with: {DORA} and {EMIL}",
        "Dora - dora@friends.test\nEmil – emil@friends.test",
        "Dora (dora@friends.test)\nEmil [emil@friends.test]",
        "dora@friends.test (Dora)\nemil@friends.test (Emil)",
        "Dora dora@friends.test Emil emil@friends.test",
        f"{DORA} {EMIL}",
        "Dora\tdora@friends.test\nEmil\temil@friends.test.",
    ],
)
def test_what_stands_around_a_name_is_no_part_of_it(bag: Postbag, lines: str) -> None:
    assert invited(bag, f"NEW\n{lines}") == ["Dora", "Emil"]
    assert [seat.address for seat in seats_at(bag, opened(bag)[-1])][1:] == [
        "dora@friends.test",
        "emil@friends.test",
    ]


@pytest.mark.parametrize("and_", [" ", ", ", " and ", "; "])
def test_two_addresses_are_two_friends(bag: Postbag, and_: str) -> None:
    assert invited(bag, f"NEW\ndora@friends.test{and_}emil@friends.test") == ["dora", "emil"]


def test_a_family_name_before_a_comma_is_a_part_of_the_name(bag: Postbag) -> None:
    lines = "Groß, Dora <dora@friends.test>; Emil, K. <emil@friends.test>"
    assert invited(bag, f"NEW\n{lines}") == ["Groß, Dora", "Emil, K."]


def test_a_word_and_a_colon_before_a_name_are_not_guessed_at(bag: Postbag) -> None:
    line = f"colleague: {DORA}"
    assert why_not(bag, f"NEW\n{line}\nBen") == REFUSALS["new/unknown_line"].format(line=line)


# ---- who is meant by a name -----------------------------------------------------------------------------


def test_rules_behind_the_name_of_the_table_count(bag: Postbag) -> None:
    invited(bag, "NEW Sunday cats rules 2007\nBen\nCara")
    assert options(bag) == ("Sunday cats", "felix-2007")


def test_who_is_in_cc_without_a_name_keeps_the_one_that_the_host_knows(bag: Postbag) -> None:
    cc = ["Cc: ben@players.test, carla.long99@friends.test"]
    assert invited(bag, "NEW", headers=cc) == ["Ben", "carla long99"]
    assert invited(bag, "NEW\nben@players.test\nCara") == ["Ben", "Cara"]


def test_a_name_in_cc_follows_a_mere_address(bag: Postbag) -> None:
    invited(bag, "NEW", headers=["Cc: ben@players.test, carla.long99@friends.test"])
    named = ["Cc: Carla <carla.long99@friends.test>"]
    assert invited(bag, "NEW\nBen", headers=named) == ["Ben", "Carla"]
    assert invited(bag, "NEW\nBen", headers=["Cc: carla.long99@friends.test"]) == ["Ben", "Carla"]


def test_a_friend_answers_to_every_name_that_was_used(bag: Postbag) -> None:
    assert invited(bag, "NEW\nBenno <ben@players.test>\nCara") == ["Benno", "Cara"]
    assert invited(bag, "NEW\nBen\nCara") == ["Ben", "Cara"]
    assert invited(bag, "NEW\nBenno\nCara") == ["Benno", "Cara"]
    ben = bag.seat(1).player_id
    assert {seats_at(bag, game_id)[1].player_id for game_id in opened(bag)} == {ben}


def test_a_name_from_tables_of_others_is_not_known(bag: Postbag) -> None:
    write_new(bag, f"NEW\nBenno <ben@players.test>\n{DORA}", sender="cara@players.test", seat=2)
    assert len(opened(bag)) == 1
    assert why_not(bag, "NEW\nBenno\nCara") == REFUSALS["new/unknown_line"].format(line="Benno")


def test_two_names_of_one_friend_are_one_friend(bag: Postbag) -> None:
    invited(bag, "NEW\nBenno <ben@players.test>\nCara")
    assert why_not(bag, "NEW\nBenno\nBen\nCara") == REFUSALS["new/twice"].format(name="Benno")


# ---- what is nearly a NEW -------------------------------------------------------------------------------


@pytest.mark.parametrize("line", ["NWE", "hello felix, new game"])
def test_a_slip_takes_its_list_along(bag: Postbag, line: str) -> None:
    mail = write_new(bag, f"{line}\nBen\nCara")
    answer = bag.answer_to(mail)
    assert answer is not None
    assert [(one.text, one.verdict, one.instead) for one in answer.lines] == [
        (f"{line}; Ben; Cara", "ambiguous", "NEW\nBen\nCara")
    ]


def test_a_sentence_above_a_list_is_asked_about(bag: Postbag) -> None:
    mail = write_new(bag, f"New table, if you like!\n{FRIENDS}")
    answer = bag.answer_to(mail)
    assert answer is not None
    (line,) = answer.lines
    assert line.verdict == "ambiguous"
    assert line.instead == f"NEW\n{FRIENDS}"


def test_a_sentence_that_begins_with_new_is_no_table(bag: Postbag) -> None:
    write_new(bag, "New phone, sorry for the delay", headers=["Cc: ben@players.test, cara@players.test"])
    assert opened(bag) == []


# ---- what a refusal offers ------------------------------------------------------------------------------


def offered(bag: Postbag, text: str, **more: Any) -> str:
    """The mail that the answer to a refused NEW offers."""
    answer = bag.answer_to(write_new(bag, text, **more))
    assert answer is not None
    return answer.lines[0].instead


@pytest.mark.parametrize(
    ("text", "instead"),
    [
        (f"NEW Cats\n{DORA}\nZoe\n{EMIL}\nrules: 2007", f"NEW\ntable: Cats\n{DORA}\n{EMIL}\nrules: 2007"),
        (f"NEW\n{DORA}\n{EMIL}\nno clock\n3 days a move", f"NEW\n{DORA}\n{EMIL}\nno clock"),
        ("NEW\nBen\nben\nCara", "NEW\nBen\nCara"),
        ("NEW\nZoe\nBen", "NEW\nBen\nCara"),
        ("NEW", "NEW\nBen\nCara\nDan"),
    ],
)
def test_a_refused_new_offers_its_own_lines_without_the_bad_one(
    bag: Postbag, text: str, instead: str
) -> None:
    assert offered(bag, text) == instead


def test_who_is_in_cc_stands_in_the_mail_that_is_offered(bag: Postbag) -> None:
    assert offered(bag, "NEW\nZoe\nBen", headers=[f"Cc: {DORA}"]) == f"NEW\nBen\n{DORA}"


def test_no_address_that_its_reader_did_not_write_is_offered(bag: Postbag) -> None:
    assert "@" not in offered(bag, "NEW")


def test_too_many_tables_are_no_matter_of_lines(bag: Postbag) -> None:
    for _ in range(5):
        write_new(bag, "NEW\nBen\nCara")
    assert offered(bag, "NEW\nBen\nCara") == ""
