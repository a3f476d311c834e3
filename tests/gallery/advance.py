"""The mails about what is said before it is asked, for the gallery. Ben reads."""

from __future__ import annotations

from typing import Any

from felix_async.game.ahead import Ahead, Given
from felix_async.game.commands import Bid, Pass
from felix_async.game.preview import previewed
from felix_async.game.views import view
from felix_async.language.phrases import phrase
from felix_async.language.words import DONE, REFUSALS
from felix_events.model import OrderGiven
from felix_notifiers.content.occasion import Occasion
from notifiers.sheets import an_answer, changed, snapshot
from table import ANNA, BEN, CARA, DAN, Table, a_game


def in_advance() -> dict[str, Occasion]:
    """Each situation by its name."""
    nobody_bid = a_game(start=CARA).with_row(11, -5, "large_dog", 3).in_round(4)
    outbid = nobody_bid.after(Bid(seat=CARA, amount=6), Pass(seat=DAN))
    asked = outbid.after(Bid(seat=ANNA, amount=7))
    poor = nobody_bid.with_mice({BEN: 8}).after(Bid(seat=CARA, amount=6), Bid(seat=DAN, amount=7))
    leading = asked.after(Bid(seat=BEN, amount=8), Pass(seat=CARA))
    limit, card = given(kind="bid", limit=9), given(kind="next", card=8)
    both = changed(early(outbid), ahead=Ahead(limit, card))
    status = an_answer(("STATUS", "done", DONE["STATUS"]), show=["status"])
    turned = an_answer(("UP TO 9", "refused", REFUSALS["turn/card_turned"]), code="turn/card_turned")
    turned = turned.model_copy(update={"lines": [turned.lines[0].model_copy(update={"instead": "UP TO 9"})]})
    does = " ".join(previewed(both.game.ahead, outbid.game, BEN))
    preview = an_answer(("UP TO 9, NEXT 8", "done", does))
    preview = preview.model_copy(update={"offers": ["UP TO 9 THEN ASK", "DROP"], "changed": True})
    chained = an_answer(("UP TO 10", "done", phrase("people.ahead.bid_now", amount=8)))
    waiting = asked.after(Bid(seat=BEN, amount=8), Bid(seat=CARA, amount=9), Pass(seat=ANNA))
    steps = ["Cara bid\u00a09, Anna passed and took\u00a04.", "The large dog was turned over."]
    return {
        "said in advance: the answer": changed(both, kinds={"answer"}, answer=preview),
        "said in advance: what happened at once": changed(
            early(waiting, "answer"), answer=chained, at_once=steps
        ),
        "answer to another card": changed(early(outbid, "answer"), answer=turned),
        "answer to another card, in turn": changed(early(asked, "answer"), answer=turned),
        "early: nobody has bid yet": early(nobody_bid),
        "early: after others": early(outbid),
        "early: the reader leads": early(leading),
        "early: all the mice that are left": early(poor),
        "early: the next card is said": changed(early(outbid), ahead=Ahead(card=card)),
        "early: a limit that has ended": changed(early(outbid), ended=given(kind="bid", limit=9)),
        "turn: with a limit that was not enough": changed(
            early(asked, "turn"), ahead=Ahead(given(kind="bid", limit=6, then="ask"), card)
        ),
        "said in advance: status": changed(both, kinds={"answer"}, answer=status),
    }


def given(**order: Any) -> Given:
    """What Ben said while the second card lay open."""
    return Given(1, OrderGiven(seat=BEN, size=60, round=4, turned=2, **order))


def early(table: Table, kind: str = "early") -> Occasion:
    """Ben's mail about a table at which others bid."""
    return Occasion(game=snapshot(view(table.game, BEN)), kinds={kind})
