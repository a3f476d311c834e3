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
  STANDS: ["how", "stands"], DISPUTE: ["how", "withdrawn"],
};

// The first words of the orders by mail for what is no move.
const ORDERED = {
  seat_handed_over: "STOP RESIGN FORGET", vote_cast: "PAUSE ABANDON HAND", votes_withdrawn: "RESUME",
  dispute_raised: "DISPUTE", dispute_settled: "DISPUTE STANDS",
};

const cardWord = (card) => String(card || "rabbit").replace("_", " ").toUpperCase();

export function orderText({type, data}) {
  if (type === "card_placed") return `PLAY ${cardWord(data.card)}`;
  return type === "bid_placed" ? `BID ${data.amount}` : "PASS";
}

// Holds the steps of a log to their records as they come; `flaw` is the first that does not fit.
export class Origins {
  flaw = null;
  made = new Map();

  constructor({open, explained}) {
    const joined = open.filter(({type, actor}) => type === "player_joined" && actor === "computer");
    Object.assign(this, {created: open[0], records: new Map(), joined: new Set(joined.map(({data}) => data.seat))});
    this.isSimulated = open[0].actor === "computer";
    this.explained = new Set(explained.values());
  }

  look(given, command, game, last) {
    const record = this.records.get(given.version);
    if (this.flaw || record?.schema !== 2) return;
    const {seat} = given.data;
    if (PLAYED.includes(given.type)) this.made.set(`${seat}/${game.seats[seat]?.turn}`, orderText(given));
    const isSo = isWay(given, record) && this.isBy(given, record, command, game, last);
    if (!isSo || !this.isOrdered(given, record, command)) this.flaw = new Flaw(given.version, "what its record gives");
  }

  isBy({actor, at, type, version}, {channel, order}, {does, seat}, game, last) {
    const isMove = PLAYED.includes(type), isOwn = computerToMove(game) !== undefined, {size} = this.joined;
    const isExplained = this.explained.has(version), {length} = this.created.data.seats;
    if (!(this.isSimulated ? [length] : [0, length - 1]).includes(size)) return false;
    if (size && ["mail", "order"].includes(channel)) return false;
    const isHosts = BY_HOST.includes(does) && order !== "REMATCH";
    if (channel === "mail" && isHosts !== (actor === "host")) return false;
    if (channel === "order" && !isMove) return false;
    if (channel === "desk" && actor === "seat" && !size) return false;
    if (isOwn && channel !== "order" && (actor !== "computer" || at !== last)) return false;
    if (actor !== "computer") return true;
    if (!isMove) return this.isSimulated || does === "join";
    return isOwn === isExplained && (isOwn || this.joined.has(seat));
  }

  isOrdered(given, {order, message_id, mail_sha256, channel}, {does}) {
    if (PLAYED.includes(given.type)) {
      const text = orderText(given);
      const isNext = given.actor !== "computer" && order?.startsWith(`${text}, NEXT `);
      return (order === null && this.isSimulated) || order === text || isNext;
    }
    if (does === "join") {
      const isOpening = mail_sha256 !== null && this.records.get(1)?.mail_sha256 === mail_sha256;
      const [word, ...words] = (order ?? "").split(" "), put = `${message_id ?? ""}${words.join(" ")}`;
      return channel !== "mail" || isOpening ||
        (["JOIN", "REMATCH"].includes(word) && hex(sha256(utf8(put))) === given.data.contribution);
    }
    const word = order?.split(" ")[0], over = /^HAND OVER( [0-4]$)?/.exec(order ?? "");
    const allowed = given.data.to === "player" ? undefined : ORDERED[given.type]?.split(" ");
    if (channel === "mail" && !(allowed?.includes(word) ?? true)) return false;
    const {seat, turn} = given.data, denied = does === "dispute" && this.made.get(`${seat}/${turn}`);
    if (denied && order !== "DISPUTE" && order !== `DISPUTE ${denied}`) return false;
    if (over && !over[1]) return false;
    const [name, value] = over ? ["on", `seat${over[1]}`] : Object.hasOwn(MADE, word) ? MADE[word] : [];
    return !(name in given.data) || given.data[name] === value;
  }
}

function computerToMove(game) {
  const isOn = humans(game).length && ["placing", "bidding"].includes(game.phase);
  return isOn ? asked(game).find((seat) => game.seats[seat].computer) : undefined;
}

const isWay = ({actor, game_id, data}, {channel, cause, mail_sha256, message_id, line, grammar, inferred}, seat = data.seat) =>
  ACTORS[channel].split(" ").includes(actor) &&
  ((mail_sha256 !== null) === (channel === "mail") ||
    (mail_sha256 === null && inferred && cause.startsWith(`taken/${game_id.split("/")[0]}/${seat}/`))) &&
  (message_id === null || ["mail", "desk"].includes(channel)) && (line === null) === (grammar === null) &&
  !(inferred && line === null);

// What was said in advance or taken back, in the own log of a seat, held to its record.
export function checkSaid(envelope, record, following, seat) {
  const {version, actor, type, data} = envelope;
  if (record.schema !== 2) return;
  const {kind, first, limit, then, card} = data, order = record.order ?? "";
  const parts = [first !== null && `BID ${first}`, limit !== null && `UP TO ${limit}${then === "ask" ? " THEN ASK" : ""}`];
  const text = {pass: "PASS", next: `NEXT ${cardWord(card)}`, bid: parts.filter(Boolean).join(", ")}[kind];
  const isIn = type !== "order_given" ||
    (`, ${order}, `.includes(`, ${text}, `) && (limit !== null || kind !== "bid" || !order.includes("UP TO ")));
  // Of an order that another one replaced, the record is the same.
  const isTaken = type !== "order_dropped" || (data.why === "asked" && order.split(" ")[0] === "DROP") ||
    JSON.stringify({...record, salt: 0}) === JSON.stringify({...following, salt: 0});
  const isOwn = record.channel !== "mail" || actor === "seat";
  if (!isIn || !isTaken || !isOwn || !isWay(envelope, record, seat)) throw new Flaw(version, "what its record gives", seat);
}
