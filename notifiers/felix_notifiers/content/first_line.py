"""The first line of a message about a table, as everybody there might read it.

It stands above the marker in the text part, so it is always one whole sentence of `[preview]`, and none is an
order.
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Final

from felix_async.follow_up.decisions import LAST_CALL, LATE, RESERVE
from felix_async.follow_up.kinds import KINDS
from felix_async.follow_up.notice import LAST, share_of
from felix_async.game.cards import ROUNDS, card_text
from felix_async.game.lobby import FEWEST
from felix_async.game.views import View
from felix_async.game.votes import about
from felix_async.language.data import table
from felix_async.language.phrases import joined, phrase
from felix_notifiers.content.public import NOTHING, Facts, PublicTable, Said, may_name, name_of, shown

_ASKING_LENGTH: Final = 90
"""Letters of a first line about an auction: where it takes more, it tells less."""
_NO_RESULT: Final = ("left", "voted", "deserted")
_ASIDE: Final = frozenset(
    {"early", "vote", "paused", "resumed", "absent", "newcomer", "lobby", "news", "disputed", "settled"}
)
"""Kinds of mails that would hide that something which the reader wrote was not done."""
_NOT_DONE: Final = frozenset({
    "asked", "denied", "sure", "saying", "refused", "partly", "unread", "unread_again", "card_turned",
    "behind", "sent_already", "not_over", "never_began", "game_over", "no_use",
})  # fmt: skip
_NEUTRAL: Final[dict[Said, Said]] = {
    "planned": "done", "passed": "done", "bid": "done", "placed": "done", "card_turned": "behind",
}  # fmt: skip
"""Outcomes that tell of a move or of something said in advance -> what a discreet reader sees of them."""
_PREVIEWS: Final = table("glance.toml")["preview"]

Words = dict[str, str | int | list[str]]
Line = tuple[str, Words]


def preview_of(public: PublicTable, seat: int, kinds: Set[str], facts: Facts) -> Line:
    """Return the name of the sentence, and what is filled in."""
    view = public.view
    kind = next((kind for kind in KINDS if kind in kinds), "answer" if facts.said else "status")
    if kind in _ASIDE and facts.said in _NOT_DONE:
        kind = "answer"
    if kind in ("turn", "reminder", "early") and public.discreet and view.phase != "inviting":
        return "discreet_early" if kind == "early" else "discreet_turn", {"table": public.name}
    match kind:
        case "result":
            return _result(public, seat)
        case "cancelled":
            return "ended" if view.reason in _NO_RESULT else "cancelled", {}
        case "withdrawn":
            return "cancelled" if view.phase == "abandoned" else "withdrawn", {}
        case "turn" | "resumed" | "newcomer" if seat in view.asked and view.phase in ("placing", "bidding"):
            if "timed_out" in kinds:
                return "timed_out_turn", {}
            return _turn(public, seat, facts) if kind == "turn" else (kind, {})
        case "timed_out" if public.discreet:
            return "discreet_timed_out", {}
        case "timed_out":
            return f"timed_out_{facts.lapsed or 'passed'}", {}
        case "reminder" if view.phase in ("placing", "bidding"):
            return _reminder(public, seat, facts)
        case "invitation":
            if facts.is_sequel and view.host is not None:
                return "invitation_again", {"who": name_of(public, view.host)}
            return "invitation", {}
        case "reminder":
            return _invited_again(public, seat)
        case "early":
            return _early(public, seat, facts)
        case "vote":
            return _vote(public, seat)
        case "disputed" if facts.denied is not None and not public.discreet:
            who, move = facts.denied
            key = "disputed_move" if move else "disputed_hidden"
            return key, {"who": name_of(public, who), "move": move}
        case "settled" if facts.denied is not None and facts.denied[1] and not public.discreet:
            who, move = facts.denied
            key = "settled_yours" if who == seat else "settled_move"
            return key, {"who": name_of(public, who), "move": move}
        case "absent":
            return _absent(public, seat)
        case "lobby":
            return _lobby(public, may_start=True)
        case "news" | "talk":
            return _news(public, seat, facts)
        case "answer":
            return _answer(public, seat, facts)
        case _:
            return kind if kind in _PREVIEWS else "status", {}


def _turn(public: PublicTable, seat: int, facts: Facts) -> Line:
    if public.view.phase == "placing":
        return _placing(public, seat, facts)
    key, values = _bidding(public, seat)
    if key == "alone":
        return "bid_alone", {}
    if public.view.round == ROUNDS and "who" in values:
        return f"last_{key}", values
    keys = [f"bid_{key}", f"short_{key}"]
    if facts.sold is not None and "who" in values:
        del keys[0]
    return _fitting(keys, values, public, seat, facts)


def _fitting(keys: Sequence[str], values: Words, public: PublicTable, seat: int, facts: Facts) -> Line:
    """Return the first of these lines that is short enough, behind the end of the last round if it has room.

    The first of several lines names the open cards: without a bid, more than one would be read as a bid.
    """
    if len(keys) > 1 and public.view.high_bidder is None and len(public.view.open_cards) != 1:
        keys = keys[1:]
    sales = dict.fromkeys((_sale(public, seat, facts), ""))
    lines: list[Line] = [(key, {**values, "sale": sale}) for sale in sales for key in keys]
    fitting = (one for one in lines if len(phrase(f"glance.preview.{one[0]}", **one[1])) <= _ASKING_LENGTH)
    return next(fitting, lines[-1])


def _sale(public: PublicTable, seat: int, facts: Facts) -> str:
    """Return how the round before ended, in a sentence with a blank behind it; '' if that was told."""
    if facts.sold is None:
        return ""
    buyer, mice = facts.sold
    if buyer is None:
        return f"{phrase('glance.glance.sale_none')} "
    if buyer == seat:
        return f"{phrase('glance.glance.sale_you', mice=mice)} "
    return f"{phrase('glance.glance.sale_other', who=name_of(public, buyer), mice=mice)} "


def _placing(public: PublicTable, seat: int, facts: Facts) -> Line:
    round_ = public.view.round
    if round_ == 1:
        return "placing_first", {}
    if facts.sold is None or public.discreet:
        return "placing", {"round": round_}
    buyer, mice = facts.sold
    if buyer is None:
        return "placing", {"round": round_}
    if buyer == seat:
        return "placing_bought", {"mice": mice, "round": round_}
    return "placing_sold", {"who": name_of(public, buyer), "mice": mice, "round": round_}


def _bidding(public: PublicTable, seat: int) -> Line:
    """Return how the auction stands for who is asked: `top`, `top_free`, `alone`, `start`, `none`."""
    view = public.view
    still_in = [other for other in view.players if not view.seats[other].passed]
    if view.high_bidder is None:
        if still_in == [seat]:
            return "alone", {}
        is_start = len(still_in) == len(view.players) and seat == view.start_seat
        return "start" if is_start else "none", _row(view)
    mice = next((card.mice for card in view.mouse_cards if not card.taken), 0)
    values: Words = {"who": name_of(public, view.high_bidder), "high": view.high_bid, **_row(view)}
    return ("top", {**values, "mice": mice}) if mice else ("top_free", values)


def _row(view: View) -> Words:
    """Return the open cards."""
    return {"cards": ", ".join(card_text(card) for card in view.open_cards)}


def _reminder(public: PublicTable, seat: int, facts: Facts) -> Line:
    share = share_of(facts.rung)
    is_last = facts.rung in (LATE, RESERVE, LAST_CALL) if share is None else share >= LAST
    if is_last:
        return f"last_call_{public.view.phase}", {}
    if public.view.phase == "placing":
        return "still_placing", {}
    key, values = _bidding(public, seat)
    return f"still_{key}", values


def _early(public: PublicTable, seat: int, facts: Facts) -> Line:
    view = public.view
    if view.high_bidder == seat:
        return "early_leads", {}
    before = name_of(public, view.to_move if view.to_move is not None else seat)
    if view.high_bidder is None:
        values: Words = {"before": before, **_row(view)}
        return _fitting(["early_none", "early_short"], values, public, seat, facts)
    values = {"before": before, "who": name_of(public, view.high_bidder), "high": view.high_bid}
    return _fitting(["early_top"], values, public, seat, facts)


def _news(public: PublicTable, seat: int, facts: Facts) -> Line:
    is_asked = seat in public.view.asked and public.view.phase in ("placing", "bidding")
    if facts.away is not None:
        away, start, moment = facts.away
        key = "back" if not moment else "away_from" if start else "away"
        if is_asked and not start:
            key = f"{key}_still"
        return key, {"who": name_of(public, away), "start": start, "moment": moment}
    if facts.talk:
        return "talk", {"names": joined([*dict.fromkeys(shown(who) for who, _ in facts.talk)])}
    if public.discreet:
        return "discreet_news", {"table": public.name}
    if is_asked:
        return _reminder(public, seat, NOTHING)
    return _standing(public, seat, facts)


def _standing(public: PublicTable, seat: int, facts: Facts) -> Line:
    """Return where the game stands, for a reader who is not asked."""
    view = public.view
    if view.phase == "inviting":
        return _lobby(public)
    if view.phase == "placing":
        return "news_placing", {}
    if view.phase != "bidding" or view.to_move is None:
        return "news", {}
    values: Words = {"next": name_of(public, view.to_move), **_row(view)}
    if view.high_bidder is None:
        return _fitting(["news_none", "news_short"], values, public, seat, facts)
    key = "news_leads" if view.high_bidder == seat else "news_top"
    values |= {"who": name_of(public, view.high_bidder), "high": view.high_bid}
    return _fitting([key], values, public, seat, facts)


def _answer(public: PublicTable, seat: int, facts: Facts) -> Line:
    """Return how it went; a move that everybody saw is told."""
    view, said = public.view, facts.said or "done"
    if public.discreet and said in _NEUTRAL:
        return _NEUTRAL[said], {}
    if said == "standing":
        if public.discreet or view.is_over:
            return "status", {}
        return (
            _turn(public, seat, NOTHING)
            if seat in view.asked and view.phase != "inviting"
            else _standing(public, seat, NOTHING)
        )
    if said == "open" and facts.is_sequel:
        return "open_again", {}
    buyer, price = facts.sold or (None, 0)
    if said in ("passed", "bid") and buyer is not None:
        if buyer == seat:
            return "bid_bought", {"high": price}
        return "passed_sold" if said == "passed" else "bid_topped", {
            "who": name_of(public, buyer),
            "high": price if said == "passed" else facts.mice,
        }
    if said == "passed":
        return ("passed" if facts.mice else "passed_free"), {"mice": facts.mice}
    if said == "bid":
        is_leading = view.phase == "bidding" and view.high_bidder == seat
        return _standing(public, seat, NOTHING) if is_leading else ("bid_topped", {"high": facts.mice})
    return said, {}


def _result(public: PublicTable, seat: int) -> Line:
    """Return the points of all, the winners first; with long names only who won."""
    view = public.view
    scores = {other: score for other, score in enumerate(view.scores) if score is not None}
    if public.discreet or not view.winners or not scores or not may_name(public, scores):
        return "result_over", {}
    rest = sorted((other for other in scores if other not in view.winners), key=lambda o: -scores[o].total)
    values: Words = {
        "points": scores[view.winners[0]].total,
        "rest": ", ".join(
            phrase("glance.glance.score", who=name_of(public, other), points=scores[other].total)
            for other in rest
        ),
    }
    if not rest:
        return "result_all", {"points": values["points"]}
    if len(view.winners) > 1:
        return "result_tie", {**values, "names": joined([name_of(public, other) for other in view.winners])}
    if seat in view.winners:
        return "result_won", values
    return "result", {**values, "who": name_of(public, view.winners[0])}


def _vote(public: PublicTable, seat: int) -> Line:
    vote = next((one for one in public.view.votes if seat not in one.seats), None)
    if vote is None:
        return "status", {}
    names = joined([name_of(public, other) for other in vote.seats])
    what, over = about(vote.on)
    whom = "" if over is None else name_of(public, over)
    key = "vote_your_seat" if over == seat else f"vote_{what}"
    return key, {"names": names, "needed": vote.needed - len(vote.seats), "whom": whom}


def _absent(public: PublicTable, seat: int) -> Line:
    there = [other for other in public.view.seats if other.computer and other.seat != seat]
    if len(there) != 1:
        return ("absent" if there else "host"), {}
    return "absent_one", {"who": name_of(public, there[0].seat)}


def _lobby(public: PublicTable, *, may_start: bool = False) -> Line:
    view = public.view
    joined_seats = [other.seat for other in view.seats if other.answer == "joined"]
    if not view.asked and may_start:
        return "lobby_all", {}
    if not joined_seats:
        return "lobby_nobody", {}
    key = "lobby_can_start" if may_start and len(joined_seats) >= FEWEST else "lobby"
    if not may_name(public, joined_seats):
        return ("lobby_count" if key == "lobby" else f"{key}_count"), {"count": len(joined_seats)}
    return key, _names(public, joined_seats)


def _invited_again(public: PublicTable, seat: int) -> Line:
    there = [other.seat for other in public.view.seats if other.answer == "joined" and other.seat != seat]
    if not there:
        return "invited_alone", {}
    if not may_name(public, there):
        return "invited_count", {"count": len(there)}
    return "invited_others", _names(public, there)


def _names(public: PublicTable, seats: Sequence[int]) -> Words:
    return {"names": joined([name_of(public, seat) for seat in seats]), "count": len(seats)}
