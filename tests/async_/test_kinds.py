"""The notices: each kind states its policy, and what is known of one survives the database."""

from __future__ import annotations

from typing import Any, Final

import pytest

from felix_async.follow_up import kinds
from felix_async.follow_up.answer import Answer, AnsweredLine
from felix_async.follow_up.kinds import KINDS, dump, load
from felix_async.follow_up.notice import Notice, Policy
from felix_async.game.moment import Row
from felix_events.store.rows import NoticeRow

AT: Final = "2026-11-22T10:00:00.000000Z"
SHARED: Final[dict[str, Any]] = {"game_id": "k7m2p", "version": 9, "seat": 1, "due_at": AT, "turn": 3}
ADDRESS: Final = "new@else.test"
AN_ANSWER: Final = Answer(lines=[AnsweredLine(text="BID 7", verdict="done", why="You bid 7.")])
TOLD: Final[dict[str, dict[str, Any]]] = {
    "reminder": {"rung": "50%"},
    "early": {"row": Row(4, 2)},
    "lobby": {"rung": "start"},
    "news": {"saying": 40},
    "talk": {"saying": 41},
    "turned_down": {"name": "Eve", "vacant": 2, "offer": 4},
    "disputed": {"by": 2, "denied": 4, "move": "the bid of 9", "round": 3, "verdict": "kept"},
    "answer": {"mail_id": 17, "reason": "no token", "answer": AN_ANSWER},
    "question": {
        "number": 3,
        "address": ADDRESS,
        "orders": ("BID", "HAND"),
        "provider": "net 192.0.2.0/24",
        "believed": True,
        "until": AT,
        "whose": "own",
        "table": "Thursday club",
        "guests": (),
        "in_reply_to": "<1@else.test>",
    },
    "claim": {"to": ADDRESS, "number": 3, "whose": "taken"},
    "moved": {"to": ADDRESS, "address": "anna@players.test", "question": 3, "number": 4},
    "farewell": {"to": ADDRESS, "in_reply_to": "<1@else.test>"},
    "substitute": {"to": ADDRESS, "number": 3, "name": "Eve", "by": 0, "until": AT},
    "seat_closed": {"to": ADDRESS, "number": 3, "why": "Dan is back."},
    "seat_lost": {"to": ADDRESS, "name": "Dan"},
    "unreadable": {"to": ADDRESS, "mail": "17", "game": "other", "table": "Friday club", "wrote": True},
    "unreachable": {"address": ADDRESS, "why": "User unknown"},
}
"""The facts of each kind of notice, beside those that all have."""


def a_row(kind: str, about: str = "", payload: str = "{}") -> NoticeRow:
    return NoticeRow("k7m2p", 9, 1, kind, AT, 3, about, payload, 5)


@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_says_what_it_is_and_states_its_policy(kind: str) -> None:
    cls = KINDS[kind]
    assert isinstance(vars(cls).get("policy"), Policy)
    assert (cls.__doc__ or Notice.__doc__) != Notice.__doc__


def test_every_class_of_notices_is_a_kind() -> None:
    classes = {one for one in vars(kinds).values() if isinstance(one, type) and issubclass(one, Notice)}
    assert {one for one in classes if "kind" in vars(one)} == set(KINDS.values())


@pytest.mark.parametrize("kind", KINDS)
def test_a_notice_survives_the_database(kind: str) -> None:
    cls = KINDS[kind]
    own = cls.model_fields.keys() - Notice.model_fields.keys()
    assert own == TOLD.get(kind, {}).keys(), "each fact is looked at"
    notice = cls(**SHARED, **TOLD.get(kind, {}))
    assert load(dump(notice)) == notice


@pytest.mark.parametrize("again", ["", "revoked-1/5"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_notice_of_which_nothing_is_known_is_no_erased_one(kind: str, again: str) -> None:
    notice = KINDS[kind](**SHARED).repeated(again)
    assert load(dump(notice)) == notice


def test_an_erased_notice_that_is_repeated_stays_erased() -> None:
    erased = [load(a_row(kind)) for kind in KINDS if KINDS[kind].has_payload()]
    assert all(load(dump(notice.repeated("revoked-1/5"))).is_erased for notice in erased)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "answer"])
def test_a_notice_that_is_repeated_keeps_its_facts(kind: str) -> None:
    notice = KINDS[kind](**SHARED, **TOLD.get(kind, {})).repeated("revoked-1/5")
    row = dump(notice)
    assert ("revoked-1/5" in row.about, load(row)) == (True, notice)


def test_notices_of_one_step_are_told_apart_by_what_they_are_about() -> None:
    shown = {kind: dump(KINDS[kind](**SHARED, **facts)).about for kind, facts in TOLD.items()}
    assert shown == {
        "reminder": "50%",
        "early": "4/2",
        "lobby": "start",
        "news": "said 40",
        "talk": "said 41",
        "turned_down": "2/4",
        "disputed": "2 4",
        "answer": "17, no token",
        "question": "3",
        "claim": "3",
        "moved": f"3 {AT}",
        "farewell": "",
        "substitute": "3",
        "seat_closed": "3",
        "seat_lost": "",
        "unreadable": "17",
        "unreachable": f"{ADDRESS} 2026-11-22",
    }


OLD_ROWS: Final = (
    (a_row("answer", "no token, 17", AN_ANSWER.model_dump_json()), {"mail_id": 17, "reason": "no token"}),
    (a_row("answer", "in doubt, 17", '{"lines":[]}'), {"mail_id": 17, "reason": "in doubt"}),
    (a_row("answer", "17, too costly", '{"lines":[]}'), {"mail_id": 17, "reason": "too costly"}),
    (a_row("answer", "17, a new key", '{"lines":[]}'), {"mail_id": 17, "reason": "a new key"}),
    (a_row("answer", "revoked-2"), {"again": "revoked-2", "is_erased": True}),
    (a_row("claim", "3", f'{{"address":"{ADDRESS}","whose":"taken"}}'), {"to": ADDRESS, "whose": "taken"}),
    (a_row("claim", "3", f'{{"address":"{ADDRESS}","number":3}}'), {"to": ADDRESS, "number": 3}),
    (
        a_row("farewell", "", f'{{"address":"{ADDRESS}","subject":"Bye"}}'),
        {"to": ADDRESS, "is_erased": False},
    ),
    (
        a_row("moved", f"3 {AT}", f'{{"address":"a@b","to":"{ADDRESS}","number":0}}'),
        {"to": ADDRESS, "number": 0},
    ),
    (
        a_row("substitute", f"3 1 {AT}", f'{{"address":"{ADDRESS}","number":3}}'),
        {"number": 3, "again": f"1 {AT}"},
    ),
    (a_row("seat_closed", f"3 1 {AT}", f'{{"address":"{ADDRESS}","why":"."}}'), {"number": 3, "to": ADDRESS}),
    (a_row("turned_down", "2/4", '{"name":"Eve","seat":2}'), {"seat": 1, "vacant": 2, "offer": 4}),
    (a_row("turned_down", "revoked-1/9", '{"name":"Eve","seat":2}'), {"seat": 1, "vacant": 2}),
    (a_row("turned_down", "2/4"), {"vacant": 2, "name": ""}),
    (a_row("news", "said 40"), {"saying": 40}),
    (a_row("lobby", "erased 5"), {"rung": "", "again": "erased 5", "waits_for_day": False}),
    (a_row("reminder", "revoked-1/9"), {"rung": "", "again": "revoked-1/9"}),
    (a_row("reminder", f"again {ADDRESS} {AT}"), {"rung": "", "again": f"again {ADDRESS} {AT}"}),
    (
        a_row("unreachable", f"{ADDRESS} 2026-11-22", '{"address":"new@else.test","why":"."}'),
        {"address": ADDRESS},
    ),
    (a_row("unreachable", "erased 5"), {"address": "", "is_erased": True}),
)
"""Rows as they were written before notices had types."""


@pytest.mark.parametrize(("row", "facts"), OLD_ROWS, ids=[f"{row.kind} {row.about}" for row, _ in OLD_ROWS])
def test_rows_of_old_are_read(row: NoticeRow, facts: dict[str, Any]) -> None:
    notice = load(row)
    assert {name: getattr(notice, name) for name in facts} == facts
    assert (notice.kind, notice.turn, notice.notice_id) == (row.kind, 3, 5)


@pytest.mark.parametrize(
    "row",
    [
        a_row("greeting"),
        a_row("turn", payload="{"),
        a_row("turned_down", "2/4", "[1]"),
        a_row("news", payload="null"),
        a_row("substitute", "3", '{"by":"nobody"}'),
    ],
)
def test_what_is_no_notice_is_refused(row: NoticeRow) -> None:
    with pytest.raises(ValueError, match=r"of no known kind|unexpected end|no object|valid integer"):
        load(row)


def test_what_was_erased_is_known_to_be() -> None:
    assert {kind for kind in KINDS if load(a_row(kind)).is_erased} == TOLD.keys() - {
        "reminder",
        "early",
        "lobby",
        "news",
        "talk",
    }
