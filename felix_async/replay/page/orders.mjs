// Orders given in advance, done again: what stood at each step of a game, and what had to follow from it.
// As felix_async/audit/orders.py has it.

import {apply, asked, isOver, newGame, ROUNDS} from "./fold.mjs";
import {awaited, causeOf} from "./rules.mjs";
import {same} from "./shapes.mjs";

// The first thing that is wrong; with a seat, in that seat's own log.
export class Flaw extends Error {
  constructor(version, expected, seat = null) {
    super(`expected ${expected}`);
    Object.assign(this, {version, seat});
  }
}

export const PLAYED = ["card_placed", "bid_placed", "player_passed"];
const PLAYERS = ["seat", "host"];
const LAST_CHOSEN = ROUNDS - 1;
const WHY = {
  turn_timed_out: "timed_out", seat_handed_over: "left", seat_taken: "substituted", bid_placed: "replaced",
  card_placed: "replaced",
};

export const isOrder = ({type}) => type.startsWith("order_");

// Whether an order still has something to do, now or later.
function holds({data: order}, game) {
  const {has_placed, hand, passed} = game.seats[order.seat];
  if (isOver(game)) return false;
  if (order.kind === "next") {
    const isNext = order.round + 1 === game.round && game.phase === "placing" && !has_placed;
    return order.round === game.round || (isNext && hand.includes(order.card));
  }
  const isNow = game.phase === "bidding" && order.round === game.round && !passed;
  return isNow && (order.kind === "bid" ? order.turned === game.turned.length : !same(game.bidders, [order.seat]));
}

// What an order does now: the move, and whether the order ends with it; null if its seat is asked.
function moveBy(given, game, seat) {
  if (!given || !holds(given, game)) return null;
  const {kind, round, card, first, limit, then} = given.data, least = game.high_bid + 1;
  const step = (does, ends, more) => ({move: {does, seat, ...more}, by: given, ends});
  if (kind === "next") return round === game.round ? null : step("play", true, {card});
  if (kind === "pass") return step("pass", true);
  if (first !== null && least <= first) return step("bid", limit === null, {amount: first});
  if (limit !== null && least <= limit) return step("bid", false, {amount: least});
  return limit !== null && then === "pass" ? step("pass", true) : null;
}

function nextStep(books, game) {
  if (game.paused_until || (game.phase !== "placing" && game.phase !== "bidding")) return null;
  const part = game.phase === "bidding" ? "auction" : "card";
  for (const seat of asked(game)) {
    const step = moveBy(books.get(seat)?.[part], game, seat);
    if (step) return step;
  }
  return null;
}

function mayBeGiven({seat, size, round, turned, kind, first, limit, then, card}, game) {
  const isBare = first === null && limit === null && then === "pass" && (card !== null) === (kind === "next");
  const isWhole = kind === "bid" ? card === null && (first !== null || limit !== null) : isBare;
  const isNow = size === game.version && round === game.round && turned === game.turned.length;
  if (!isWhole || !isNow || !game.players.includes(seat) || isOver(game) || game.phase === "inviting") return false;
  const {hand, passed, mice, gone} = game.seats[seat], least = game.high_bid + 1;
  if (gone) return false;
  if (kind === "next") return game.round < LAST_CHOSEN && hand.includes(card);
  if (game.phase !== "bidding" || passed) return false;
  if (kind === "pass") return true;
  const most = limit ?? first;
  return mice >= least && most <= mice && most >= least && (first === null || (first >= 1 && first <= most)) &&
    !(same(game.bidders, [seat]) && first > 1);
}

// Check that orders were followed as long as they stood, and that moves by orders follow from them. `own` are
// the seats' own logs; `named` are the moves whose record names an order, null if there are no records.
export function checkOrders(envelopes, own, named) {
  const game = newGame();
  const books = new Map([...own].map(([seat, log]) => [seat, new Book(seat, log.filter(isOrder))]));
  let before = null;
  for (let start = 0; ; ) {
    rest(envelopes, books, named, game, before, start);
    if (start === envelopes.length) break;
    before = envelopes[start];
    do apply(game, envelopes[start++]);
    while (envelopes[start]?.actor === "rules");
  }
  for (const book of books.values()) if (book.coming) throw book.flaw("an event before the end of the game");
}

// The moment before the step that begins at this index, or the end of the log.
function rest(envelopes, books, named, game, before, start) {
  const following = envelopes[start];
  for (const book of books.values()) {
    Object.assign(book, {at: start ? envelopes[start - 1].at : "", isNew: false});
    book.read(game, before, following);
  }
  const step = nextStep(books, game);
  const move = `version ${start + 1} of the game`;
  if (step) {
    const book = books.get(step.move.seat), version = step.by.version;
    if (!following) throw book.flaw("the move of this order", version);
    const isMove = following.actor === step.by.actor && PLAYED.includes(following.type);
    if (!isMove || !same(causeOf(following, game, []), step.move)) throw book.flaw(`its move in ${move}`, version);
    if (following.at !== book.at) throw book.flaw(`${move} at ${book.at}`, version);
    if (named && !same(named.get(start + 1) ?? null, [book.seat, version]))
      throw book.flaw(`${move} with a private record that names it`, version);
    if (!book.isNew && envelopes[start - 1].type === "deadline_set")
      throw book.flaw("no clock before a move that follows at once", version);
    book.end(game, step, following);
  } else {
    const [seat, version] = named?.get(start + 1) ?? [];
    if (version) throw new Flaw(version, `an order that says what happened in ${move}`, seat);
    const isOn = game.clock !== null && !game.paused_until && (game.phase === "placing" || game.phase === "bidding");
    const idle = isOn ? awaited(game).filter((one) => game.seats[one].time.deadline === null) : [];
    if (idle.length) throw new Flaw(start, `a clock for seat ${idle[0]}, as no order follows`);
  }
  for (const book of books.values())
    if (book.coming?.type === "order_done" && book.coming.data.size === start)
      throw book.flaw("the end of an order with the move that ends it");
}

// A seat's own log as far as it was read, and the orders that stand.
class Book {
  constructor(seat, events) {
    Object.assign(this, {seat, events, place: 0, auction: null, card: null, at: "", isNew: false});
  }

  get coming() {
    return this.events[this.place];
  }

  get given() {
    return [this.auction, this.card].filter(Boolean);
  }

  flaw(expected, version = this.events[Math.min(this.place, this.events.length - 1)].version) {
    return new Flaw(version, expected, this.seat);
  }

  drop(given) {
    if (this.auction === given) this.auction = null;
    if (this.card === given) this.card = null;
  }

  holding = (version, game) => this.given.find((one) => one.version === version && holds(one, game));

  // What was said before the next step; the end of an order comes with its move.
  read(game, before, following) {
    const stood = this.given;
    this.reason = this.why(before, game);
    for (let one; (one = this.coming) && one.data.size <= game.version; ) {
      if (one.data.size < game.version) throw this.flaw("the size of the game's log at the end of a step, in order");
      if (one.type === "order_done") break;
      if (one.at < this.at || (following && one.at > following.at))
        throw this.flaw("a time between the steps of the game that it stands between");
      const step = one.at > this.at && nextStep(new Map([[this.seat, this]]), game);
      if (step) throw this.flaw("its move, before something else is said", step.by.version);
      this.take(one, game);
      Object.assign(this, {at: one.at, isNew: true, place: this.place + 1});
    }
    if (!["timed_out", "left", "substituted"].includes(this.reason) || isOver(game)) return;
    const left = stood.find((given) => this.holding(given.version, game) === given);
    if (left) throw this.flaw("an order that was dropped then", left.version);
  }

  // Why orders of this seat end with the step before.
  why(before, game) {
    if (game.seats[this.seat]?.gone) return "left";
    if (before?.data.seat !== this.seat || (before.type === "seat_handed_over" && before.data.to === "player")) return null;
    return WHY[before.type] ?? null;
  }

  take(one, game) {
    const {data, actor} = one, isSaid = Object.hasOwn(one, "private") && PLAYERS.includes(actor);
    if (one.type === "order_given") {
      if (!isSaid) throw this.flaw("an order by a player, with a private record");
      if (data.seat !== this.seat) throw this.flaw(`an order of seat ${this.seat}`);
      if (!mayBeGiven(data, game)) throw this.flaw("an order that could be given then");
      const part = data.kind === "next" ? "card" : "auction";
      if (this[part] && holds(this[part], game)) throw this.flaw(`version ${this[part].version} to be dropped first`);
      this[part] = one;
      return;
    }
    const dropped = this.holding(data.order, game);
    if (data.seat !== this.seat || !dropped) throw this.flaw("an order that stands to be dropped");
    this.drop(dropped);
    if (!isSaid && (Object.hasOwn(one, "private") || actor !== "rules"))
      throw this.flaw("a private record of what a player said, and of nothing else");
    if (!this.isDropped(data, dropped, isSaid)) throw this.flaw("a reason that fits");
  }

  isDropped({why, size}, dropped, isSaid) {
    if (why === "asked") return isSaid;
    if (why === "replaced" && isSaid) {
      const later = this.events[this.place + 1];
      const isGiven = later?.type === "order_given" && later.data.size === size;
      return isGiven && (later.data.kind === "next") === (dropped.data.kind === "next");
    }
    return why === "rekeyed" || (!isSaid && why === this.reason);
  }

  end(game, step, following) {
    const one = this.coming, version = step.by.version;
    const ends = one?.type === "order_done" && one.data.size === game.version;
    if (ends !== step.ends) throw this.flaw(step.ends ? "the end of an order" : "an order that goes on", version);
    if (!ends) return;
    if (one.data.seat !== this.seat || one.data.order !== version) throw this.flaw(`the end of version ${version}`);
    if (one.at !== following.at || one.actor !== "rules" || Object.hasOwn(one, "private"))
      throw this.flaw("an end by the rules, at the time of its move");
    this.drop(step.by);
    this.place++;
  }
}
