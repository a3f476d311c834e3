// The private record of a step held to its move, by a way and an actor that fit. As felix_async/audit/origins.py has it,
// but for the computer's choices and the lines of messages, which only felix itself makes and reads again.

import {asked, humans} from "./fold.mjs";
import {Flaw, PLAYED} from "./orders.mjs";
import {hex, sha256, utf8} from "./sha256.mjs";

const ACTORS = {
  mail: "seat host", desk: "seat host", web: "seat", order: "seat host", computer: "computer", clock: "clock",
};
const BY_HOST = ["create", "start", "nameHost", "uninvite", "cancel", "stand"];
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
    if (this.flaw || record?.schema !== 2) return;
    const isSo = isWay(given.actor, record) && this.isBy(given, record, command, game, last);
    if (!isSo || !this.isOrdered(given, record, command)) this.flaw = new Flaw(given.version, "what its record gives");
  }

  isBy({actor, at, type, version}, {channel, order}, {does, seat}, game, last) {
    const isMove = PLAYED.includes(type), own = computerToMove(game), isOwn = own !== undefined;
    const isExplained = this.explained.has(version), {seats, options} = this.created.data;
    const isHosts = BY_HOST.includes(does) && order !== "REMATCH";
    if (channel === "mail" && isHosts !== (actor === "host")) return false;
    if (channel === "order" && !isMove) return false;
    if (channel === "desk" && actor === "seat" && this.joined.size !== seats.length - 1) return false;
    if (isOwn && channel !== "order" && (actor !== "computer" || at !== last)) return false;
    if (actor !== "computer") return true;
    if (!isMove) return this.created.actor === "computer" || does === "join";
    return isOwn ? isExplained || options.seeded : this.joined.has(seat) && !isExplained;
  }

  isOrdered(given, {order, message_id, mail_sha256}, {does}) {
    if (PLAYED.includes(given.type)) {
      const text = orderText(given);
      return (order === null && this.created.actor === "computer") || order === text || order?.startsWith(`${text}, NEXT `);
    }
    if (does === "join") {
      const isOpening = mail_sha256 !== null && this.records.get(1)?.mail_sha256 === mail_sha256;
      return message_id === null || isOpening || !/^JOIN( |$)/.test(order) ||
        hex(sha256(utf8(message_id + order.slice(5)))) === given.data.contribution;
    }
    const [name, value] = MADE[order] ?? (order?.startsWith("HAND OVER") ? ["on", `seat ${order[10]}`] : []);
    return !(name in given.data) || given.data[name] === value;
  }
}

function computerToMove(game) {
  const isOn = humans(game).length && ["placing", "bidding"].includes(game.phase);
  return isOn ? asked(game).find((seat) => game.seats[seat].computer) : undefined;
}

const isWay = (actor, {channel, cause, mail_sha256, message_id, line, grammar, inferred}) =>
  ACTORS[channel].split(" ").includes(actor) &&
  ((mail_sha256 !== null) === (channel === "mail") || (mail_sha256 === null && cause.startsWith("taken/"))) &&
  (message_id === null || ["mail", "desk"].includes(channel)) && (line === null) === (grammar === null) &&
  !(inferred && line === null);

// An order that was given in advance, in the own log of a seat, held to its record.
export function checkSaid({version, actor, type, data}, record, seat) {
  if (record.schema !== 2 || type !== "order_given") return;
  const {kind, first, limit, then, card} = data, order = record.order ?? "";
  const parts = [first !== null && `BID ${first}`, limit !== null && `UP TO ${limit}${then === "ask" ? " THEN ASK" : ""}`];
  const text = {pass: "PASS", next: `NEXT ${cardWord(card)}`, bid: parts.filter(Boolean).join(", ")}[kind];
  const isIn = `, ${order}, `.includes(`, ${text}, `) && (limit !== null || kind !== "bid" || !order.includes("UP TO "));
  if (!isIn || !isWay(actor, record)) throw new Flaw(version, "what its record gives", seat);
}
