// The table as one viewer sees it: the row, the mouse cards, the purses.
// `shown` is what there is to be seen at a version.

import {cardDrawn, chip, dot, el, filled, gained, signed} from "./dom.mjs";

// The row; once the sack is gone, as it lay, with what the dog chased and who bought it.
export function rowDrawn(shown) {
  const {words, names, view, sack, profit, lastBid} = shown;
  if (!view.round) return boxDrawn(shown);
  let chased = sack?.chased ?? null;
  return view.row.map(({owner, placed, card}) => {
    const seat = owner === null ? null : view.seats[owner], own = owner === null ? null : view.own[owner];
    const known = card ?? own?.placed ?? null;
    const secret = card === null && known !== null;
    const struck = chased !== null && chased === known;
    if (struck) chased = null;
    const won = sack && sack.seat === owner && owner !== null, moves = owner !== null && view.to_move === owner && !sack;
    const state = won ? filled(words.bought, {mice: sack.price, net: gained(profit)})
      : owner === null ? "" : stateOf(words, seat, lastBid(owner), moves);
    const leads = seat?.bid && seat.bid === view.high_bid && !sack;
    const marks = `${secret ? "secret" : ""} ${struck ? "chased" : ""}`;
    return el("li", {class: `place ${won ? "won" : ""} ${moves ? "moves" : ""} ${leads ? "leads" : ""} ${seat?.passed ? "out" : ""}`},
      cardDrawn(words, placed ? known : undefined, marks),
      el("span", {class: "who"}, owner !== null && dot(owner), owner === null ? words.dummy : names[owner]),
      el("span", {class: "state"}, state || "\u00a0"));
  });
}

// Before the first round: the cards that were put into the box.
function boxDrawn({words, names, view, players, dummyBoxed}) {
  if (view.phase !== "between") return [];
  return [...players, ...(players.length === 3 ? [null] : [])].map((seat) => {
    const card = (seat === null ? dummyBoxed : view.own[seat]?.boxed) ?? null;
    return el("li", {class: "place"}, cardDrawn(words, card, card === null ? "" : "secret"),
      el("span", {class: "who"}, seat !== null && dot(seat), seat === null ? words.dummy : names[seat]),
      el("span", {class: "state"}));
  });
}

function stateOf(words, seat, last, moves) {
  if (seat.passed) return last ? filled(words.passed_at, {mice: last}) : words.passed;
  return [seat.bid && filled(words.bids, {mice: seat.bid}), moves && words.moves].filter(Boolean).join(", ");
}

export function bankDrawn({words, view}) {
  if (!view.round) return view.phase === "between" ? [words.boxed] : [];
  if (!view.row.length) return [];
  const cards = view.mouse_cards.map(({mice, taken}) =>
    el("span", {class: `mice ${taken ? "taken" : ""}`, role: "img",
      "aria-label": filled(taken ? words.mouse_card_taken : words.mouse_card, {mice})}, mouse(), String(mice)));
  return [el("span", {}, words.passing), ...cards, el("span", {class: "mice bank"}, `${words.bank} ${view.bank}`)];
}

const mouse = () => el("svg", {class: "mouse", viewBox: "0 0 24 14", "aria-hidden": "true"}, el("use", {href: "#mouse"}));

export function purseLines({words, names, view, purses, players}) {
  const total = (seat) => purses[seat].mice + purses[seat].cats;
  const better = (one, other) => total(other) - total(one) || purses[other].cats - purses[one].cats;
  return (view.winners.length ? [...players].sort(better) : players).map((seat) => {
    const {mice, cats} = purses[seat], own = view.own[seat];
    return el("li", {},
      el("span", {class: "who"}, dot(seat), names[seat]),
      view.winners.includes(seat) && el("b", {}, words.won),
      el("span", {class: "sum"}, `${signed(cats)} + ${mice}`, mouse(), "= ", el("b", {}, signed(cats + mice))),
      own && own.hand.length > 0 && el("span", {class: "hand"}, own.hand.map((card) => chip(words, card))));
  });
}
