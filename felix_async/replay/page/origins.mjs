// The private record of a step held to its move, by a way and an actor that fit. As felix_async/audit/origins.py has it,
// but for the computer's choices and the lines of messages, which only felix itself makes and reads again.

import {asked, humans} from "./fold.mjs";
import {Flaw, PLAYED} from "./orders.mjs";
import {hex, sha256, utf8} from "./sha256.mjs";

const ACTORS = {
  mail: "seat host", desk: "seat host", web: "seat", order: "seat host", computer: "computer", clock: "clock",
};
const BY_HOST = ["create", "start", "nameHost", "uninvite", "cancel"];
// What must stand in the event of an order that is no move, if the event has it.
const MADE = {
  PAUSE: ["on", "pause"], ABANDON: ["on", "abandon"], RESIGN: ["for_good", true], STOP: ["for_good", false],
};

const cardWord = (card) => String(card || "rabbit").replace("_", " ").toUpperCase();

export function orderText({type, data}) {
  if (type === "card_placed") return `PLAY ${cardWord(data.card)}`;
  return type === "bid_placed" ? `BID ${data.amount}` : "PASS";
}

// Holds the steps of a log to their records as they come; `flaw` is the first that does not fit.
export class Origins {
  flaw = null;

  constructor({open, explained}) {
    const joined = open.filter(({type, actor}) => type === "player_joined" && actor === "computer");
    Object.assign(this, {created: open[0], records: new Map(), joined: new Set(joined.map(({data}) => data.seat))});
    this.explained = new Set(explained.values());
  }

  look(given, command, game, last) {
    const record = this.records.get(given.version);
    if (this.flaw || !record || record.schema !== 2) return;
    const flaw = this.expected(given, record, command, game, last);
    if (flaw) this.flaw = new Flaw(given.version, flaw);
  }

  // What would have to be, '' if all fits.
  expected(given, record, {does, seat}, game, last) {
    const {channel, order, mail_sha256, message_id} = record, {actor, type, data} = given;
    const isMove = PLAYED.includes(type), isHosts = BY_HOST.includes(does) && order !== "REMATCH";
    const way = wayFlaw(actor, record);
    if (way) return way;
    if (channel === "mail" && isHosts !== (actor === "host")) return `${type} by ${isHosts ? "the host" : "a seat"}`;
    if (channel === "order" && !isMove) return `${type} by somebody who said so then`;
    if (channel === "desk" && actor === "seat" && this.joined.size !== this.created.data.seats.length - 1)
      return `${type} by the host`;
    const own = computerToMove(game), isExplained = this.explained.has(given.version);
    if (own !== undefined && channel !== "order" && (actor !== "computer" || given.at !== last))
      return `a move of the computer for seat ${own}, at ${last}`;
    if (actor === "computer") {
      if (!isMove && this.created.actor !== "computer" && does !== "join") return `${type} by somebody`;
      if (isMove && own === undefined && !this.joined.has(seat)) return "a seat that the computer plays for";
      if (isMove && own !== undefined && !isExplained && !this.created.data.options.seeded) return "an explanation";
      if (isMove && own === undefined && isExplained) return "no explanation, as nobody was away";
    }
    const text = isMove && orderText(given);
    if (text && !(order === null && this.created.actor === "computer"))
      return order === text || order?.startsWith(`${text}, NEXT `) ? "" : "the order that its record gives";
    const opened = this.records.get(1)?.mail_sha256;
    if (does === "join" && message_id !== null && (opened === null || opened !== mail_sha256) && /^JOIN( |$)/.test(order)) {
      const made = hex(sha256(utf8(message_id + order.slice(5))));
      return made === data.contribution ? "" : `the contribution ${made} of its message`;
    }
    const [name, value] = MADE[order] ?? [];
    return !isMove && does !== "join" && name && name in data && data[name] !== value ? `${name} = ${value}` : "";
  }
}

function computerToMove(game) {
  const own = ["placing", "bidding"].includes(game.phase) ? asked(game).find((seat) => game.seats[seat].computer) : undefined;
  return humans(game).length ? own : undefined;
}

function wayFlaw(actor, {channel, cause, mail_sha256, message_id, line, grammar, inferred}) {
  if (!ACTORS[channel].split(" ").includes(actor)) return `one by ${ACTORS[channel]}, as it came by ${channel}`;
  const isLate = mail_sha256 === null && cause.startsWith("taken/");
  if ((mail_sha256 !== null) !== (channel === "mail") && !isLate) return "the hash of a mail if it came by mail";
  if (message_id !== null && !["mail", "desk"].includes(channel)) return "a Message-ID only of a mail";
  if ((line === null) !== (grammar === null) || (inferred && line === null)) return "a line with its reader, or neither";
  return "";
}

// An order that was given in advance, in the own log of a seat, held to its record.
export function checkSaid({version, actor, type, data}, record, seat) {
  if (record.schema !== 2 || type !== "order_given") return;
  const {kind, first, limit, then, card} = data, order = record.order ?? "";
  const parts = [first !== null && `BID ${first}`, limit !== null && `UP TO ${limit}${then === "ask" ? " THEN ASK" : ""}`];
  const text = {pass: "PASS", next: `NEXT ${cardWord(card)}`, bid: parts.filter(Boolean).join(", ")}[kind];
  const isIn = `, ${order}, `.includes(`, ${text}, `) && (limit !== null || kind !== "bid" || !order.includes("UP TO "));
  const flaw = wayFlaw(actor, record) || (isIn ? "" : "the order that its private record gives");
  if (flaw) throw new Flaw(version, flaw, seat);
}
