// Is a game sound? The checks of felix_async/audit, made of the file alone, with code of its own.

import {commitment, below, drawKey, shuffled, stream} from "./draws.mjs";
import {Damaged, hashOf, NotAnExport, readExport, rootOf} from "./exported.mjs";
import {Origins, checkSaid, orderText} from "./origins.mjs";
import {apply, asked, newGame, ROUNDS, START_MICE} from "./fold.mjs";
import {checkOrders, Flaw, isOrder, PLAYED} from "./orders.mjs";
import {causeOf, CLOCK_COMMANDS} from "./rules.mjs";
import {hex, unhex} from "./sha256.mjs";
import {CARDS, envelopeIn, same, SECRET, textIn} from "./shapes.mjs";
import {advance, catPoints, winnersOf} from "./steps.mjs";
import {inOrder} from "./view.mjs";

class NotChecked extends Error {}

// `version` and `line` say where the first thing is that is not as it should be: a version of the game's log, or
// of the own log of `seat`; a line if the file is damaged. `checks` holds what was checked, and how it went.
export function verify(bytes) {
  const report = {sound: false, version: null, line: null, seat: null, checks: [], size: 0, root: ""};
  Object.assign(report, {redrawn: false, hides: false, words: 0, text: ""});
  let file;
  try {
    file = readExport(bytes);
  } catch (error) {
    if (!(error instanceof Damaged || error instanceof NotAnExport)) throw error;
    const where = error.line ? `line ${error.line}: ` : "";
    return {...report, version: error.version ?? null, line: error.line ?? null, text: where + error.message};
  }
  const log = new Log(file);
  Object.assign(report, {size: file.bodies.length, root: hex(rootOf(file.bodies) ?? [])});
  for (const [name, check] of CHECKS) {
    const result = outcome(name, () => check(log));
    report.checks.push({name, ...result});
    if (name === "bytes" && result.state === "wrong") break;
  }
  const wrong = report.checks.find(({state}) => state === "wrong");
  const joined = log.open.filter(({type}) => type === "player_joined");
  report.hides = log.isHiding;
  report.words = new Set(joined.map(({data}) => data.seat)).size;
  report.redrawn = log.open.some(({type}) => type === "game_started") &&
    report.checks.some(({name, state}) => name === "draws" && state === "right");
  if (!wrong) return {...report, sound: true, text: `${report.size} events, root ${report.root}`};
  const {version = report.size, seat = null} = wrong;
  const place = seat === null ? "" : ` of seat ${seat}'s own log`;
  return {...report, version, seat, text: `version ${version}${place}: ${wrong.name}: ${wrong.text}`};
}

function outcome(name, check) {
  try {
    check();
    return {state: "right", text: ""};
  } catch (error) {
    if (error instanceof NotChecked) return {state: "not checked", text: error.message};
    if (error instanceof Flaw) return {state: "wrong", text: error.message, version: error.version, seat: error.seat};
    // A log that breaks the rules badly enough cannot even be told: that is a finding, not a crash.
    return {state: "wrong", text: `expected a log that can be followed (${error.message})`};
  }
}

// A file, and what several checks ask of it.
class Log {
  constructor({header, bodies, events, said, records, seatLogs, trailer}) {
    Object.assign(this, {id: header.game_id, bodies, events, said, records, seatLogs});
    // Of what is hidden from the viewer of a file only the place in the tree can be checked.
    this.viewer = header.viewer ?? "all";
    this.isTold = trailer.root === null;
    this.open = events.filter((event) => event?.data);
    this.isHiding = this.open.length < events.length;
    this.isOver = events.at(-1)?.type === "seed_revealed";
    this.isChained = false;
    // What private records name in the seats' own logs: an order by its move, a move by its explanation.
    this.ordered = new Map();
    this.explained = new Map();
    for (const [version, record] of records) {
      const [, kind, game, seat, number] = CAUSE.exec(textIn(record)) ?? [];
      if (game !== this.id) continue;
      if (kind === "order") this.ordered.set(version, [Number(seat), Number(number)]);
      else this.explained.set(`${seat}/${number}`, version);
    }
    this.origins = new Origins(this);
    this.isFollowed = false;
  }

  // Ends a check that goes no further in the file of one viewer.
  partly(what, isHidden = this.isHiding || this.isTold) {
    if (isHidden) throw new NotChecked(`${what} hidden from the viewer of this file`);
  }

  get options() {
    return this.events[0].data.options;
  }

  // Whether the next event is a move of a player who is asked, at the same time: then no clock runs before it.
  follows = (game) => {
    const last = this.events[game.version - 1], next = this.events[game.version];
    const isMove = next && next.at === last.at && ["seat", "host"].includes(next.actor) && PLAYED.includes(next.type);
    const isAsked = Boolean(isMove) && asked(game).includes(next.data.seat);
    this.isChained ||= isAsked;
    return isAsked;
  };

  roots = (seats) => Array.from({length: seats}, (_, seat) => hex(rootOf(this.seatLogs.get(seat)?.bodies ?? [])));
}

const CAUSE = /^\{"cause":"(computer|order)\/([a-z2-9]{3,12})\/seat\/([0-4])\/([1-9][0-9]{0,5})","channel":"\1",/;

const CHECKS = [
  ["bytes", checkBytes],
  ["records", checkRecords],
  ["moves", checkMoves],
  ["draws", checkDraws],
  ["count", checkCount],
  ["scores", checkScores],
  ["time", checkTime],
  ["words", checkWords],
  ["seats", checkSeats],
  ["causes", checkCauses],
];

function checkBytes({events, id, viewer, isTold}) {
  const bad = events.indexOf(null);
  if (bad >= 0) throw new Flaw(bad + 1, "an event as felix writes it");
  for (const {version, type, data, hidden, seat} of viewer === "all" ? [] : events) {
    const isOdd = hidden && ((seat === null) !== (type === "dummy_dealt") || seat === viewer);
    const isWrong = isTold && data && SECRET.includes(type) && data.seat !== viewer;
    if (isOdd || isWrong) throw new Flaw(version, "what this viewer may know, and no more");
  }
  if (!events.length) throw new Flaw(1, "a first event");
  events.forEach((event, index) => {
    const version = index + 1;
    const isHere = isTold || (event.version === version && (!event.data || event.game_id === id));
    if (!isHere) throw new Flaw(version, `version ${version} of game ${id}`);
    if ((event.type === "game_created") !== (version === 1))
      throw new Flaw(version, "game_created as the first event and only there");
  });
}

// The events whose seat has caused them, if somebody in a seat did.
const OWN_DEEDS = "player_joined player_declined card_placed bid_placed player_passed seat_handed_over player_said " +
  "absence_declared absence_ended vote_cast votes_withdrawn game_resumed dispute_raised dispute_settled";

function checkRecords(log) {
  const {events, records, options, isOver, ordered, viewer, isTold} = log;
  if (isTold || (!records.size && !isOver)) throw new NotChecked("records are shown at the end");
  const isOwn = ({type, data, actor}) => OWN_DEEDS.split(" ").includes(type) && data?.seat === viewer && actor !== "host" &&
    (type !== "dispute_settled" || data.how === "withdrawn");
  const named = viewer === "all" ? events : events.map((event) => (isOwn(event) ? event : {version: event.version}));
  const found = opened(named, records, options.records);
  for (const [version, record] of found)
    if (record.channel === "order" && !ordered.has(version)) throw new Flaw(version, "an order that its record names");
  log.origins.records = found;
  log.partly("the records of others are", viewer !== "all");
}

// The private records of a log, by version; each event that names one must have it.
function opened(events, records, schema, seat = null) {
  const found = new Map();
  for (const {version, private: name} of events) {
    const record = records.get(version);
    if (name === undefined && record === undefined) continue;
    if (!name || !record) throw new Flaw(version, "a private record where the event names one", seat);
    if (hashOf(record) !== name) throw new Flaw(version, "the private record that the event names", seat);
    found.set(version, JSON.parse(textIn(record)));
  }
  const more = [...records.keys()].find((version) => !events.some((event) => event.version === version));
  if (more) throw new Flaw(more, "a private record where the event names one", seat);
  for (const [version, record] of found)
    if ((record.schema ?? 1) !== schema) throw new Flaw(version, `a private record of schema ${schema}`, seat);
  return found;
}

// Fold step by step; each step must be what the rules answer to the command that began it.
function checkMoves(log) {
  log.partly("cards are");
  const {events} = log, game = newGame(), drawn = recorded(events);
  const common = {...drawn, follows: log.follows, roots: (seats) => closedIn(events)?.data.roots ?? log.roots(seats)};
  for (let start = 0; start < events.length; ) {
    const given = events[start], version = start + 1;
    const command = given.actor === "rules" ? null : causeOf(given, game, events);
    if (command === null) throw new Flaw(version, "an event that somebody caused");
    if (given.private === undefined) throw new Flaw(version, "the hash of a private record");
    const isByClock = CLOCK_COMMANDS.includes(command.does);
    const isWrong = command.does === "restore" && given.actor !== "host";
    if (isWrong || isByClock !== (given.actor === "clock")) throw new Flaw(version, "somebody else to cause this");
    if (given.actor !== "computer" && PLAYED.includes(given.type) && game.seats[command.seat]?.gone)
      throw new Flaw(version, `${given.type} by the computer`);
    log.origins.look(given, command, game, events[start - 1]?.at ?? "");
    const decided = advance(command, game, {...common, now: given.at, last: events[start - 1]?.at ?? ""});
    // A browser may be older than the name of a place.
    if (decided === null) throw new Flaw(version, start ? "a move that the rules allow" : "a table and a time zone known here");
    if (!decided.length) throw new Flaw(version, "a move that changes something");
    decided.forEach((expected, place) => {
      const found = events[start + place];
      if (found?.type !== expected.type || !same(found.data, expected.data))
        throw new Flaw(version + place, `${expected.type}${found?.type === expected.type ? " with other contents" : ""}`);
      if (found.at !== given.at) throw new Flaw(version + place, "the time of its step");
      if (place && (found.actor !== "rules" || found.private !== undefined))
        throw new Flaw(version + place, `${found.type} by the rules`);
    });
    start += decided.length;
  }
  log.isFollowed = true;
}

function checkCauses({origins: {flaw, records}, isFollowed, options}) {
  if (flaw) throw flaw;
  if (!isFollowed) throw new NotChecked("the moves can only be followed to the first that is wrong");
  if (!records.size) throw new NotChecked("who said what is shown at the end");
  if (options.records === 1) throw new NotChecked("an older felix kept an order as its writer wrote it");
}

const closedIn = (events) => (events.at(-2)?.type === "seat_logs_closed" ? events.at(-2) : undefined);

// ---- draws ------------------------------------------------------------------------------------------

// The seats that had joined when the game started.
function playing(events) {
  const joined = new Set();
  for (const {type, data} of events) {
    if (type === "player_joined") joined.add(data.seat);
    else if (type === "player_declined" || type === "player_uninvited") joined.delete(data.seat);
    else if (type === "game_started") break;
  }
  return [...joined].sort();
}

// Every draw of a log: the version that shows it, its label, what came of it, and among how many things.
function drawsIn(events) {
  const draws = [], hands = new Map();
  let placed = new Map(), timedOut = null, round = 0;
  for (const {type, data, version} of events) {
    const draw = (label, outcome, among = CARDS.length) => draws.push({version, label, outcome, among});
    if (type === "game_started") draw("start", data.start_seat);
    else if (type === "hand_dealt") {
      hands.set(data.seat, inOrder(data.cards));
      draw(`box/${data.seat}`, CARDS.indexOf(data.boxed));
    } else if (type === "dummy_dealt") draw("dummy", [...data.pile, data.boxed]);
    else if (type === "round_started") {
      for (const [seat, card] of placed) hands.set(seat, (hands.get(seat) ?? []).filter((kept) => kept !== card));
      placed = new Map();
      round = data.round;
    } else if (type === "turn_timed_out") timedOut = data.seat;
    else if (type === "player_passed") timedOut = null;
    else if (type === "card_placed") {
      const hand = hands.get(data.seat) ?? [];
      if (data.seat === timedOut && hand.includes(data.card))
        draw(`timeout/${round}/${data.seat}`, hand.indexOf(data.card), hand.length);
      timedOut = null;
      placed.set(data.seat, data.card);
    }
  }
  return draws;
}

// The draws as the log has them, so that a game can be decided again before its seed is known.
function recorded(events) {
  const outcomes = new Map(drawsIn(events).reverse().map(({label, outcome}) => [label, outcome]));
  outcomes.set("start", playing(events).indexOf(outcomes.get("start")));
  const last = events.at(-1);
  const isPile = (cards) => cards && same([...cards].map(String).sort(), CARDS.map(String).sort());
  return {
    seed: last.type === "seed_revealed" ? last.data.seed : "0".repeat(64),
    drawn: (label, n) => (outcomes.get(label) >= 0 && outcomes.get(label) < n ? outcomes.get(label) : 0),
    pile: () => [...(isPile(outcomes.get("dummy")) ? outcomes.get("dummy") : CARDS)],
  };
}

function checkDraws(log) {
  const {open: events, id, isOver, isTold} = log;
  if (!isOver || isTold) throw new NotChecked("the game still runs; its seed is shown at the end");
  const seed = unhex(events.at(-1).data.seed), created = events[0].data;
  if (commitment(id, seed) !== created.commitment) throw new Flaw(1, "a commitment to the seed");
  const contributions = created.seats.map(() => null), seats = playing(events);
  const draws = new Map(drawsIn(events).map((draw) => [draw.version, draw]));
  for (const {version, type, data} of events) {
    if (type === "player_joined") contributions[data.seat] = data.contribution;
    const draw = draws.get(version);
    if (!draw || (draw.label === "start" && created.options.start_seat !== null)) continue;
    const numbers = stream(drawKey(id, seed, contributions), draw.label);
    const place = () => below(numbers, draw.label === "start" ? seats.length : draw.among);
    const drawn = draw.label === "dummy" ? shuffled(numbers, CARDS) : draw.label === "start" ? seats[place()] : place();
    if (!same(drawn, draw.outcome)) throw new Flaw(version, `${draw.label}: ${drawn} from the seed`);
  }
  log.partly("the hands of others are");
}

// ---- mice, scores, time and words ----------------------------------------------------------------------------------

// Mice come from nowhere, also where cards are hidden; of whole games the moves have shown it.
function checkCount(log) {
  const game = newGame();
  let mice = 0;
  for (const event of log.events) {
    apply(game, event);
    const owned = game.players.reduce((sum, seat) => sum + game.seats[seat].mice, 0);
    const lying = game.mice_on_cards.slice(game.taken).reduce((sum, count) => sum + count, 0);
    if (event.type === "game_started") mice = owned + game.bank;
    if (["round_started", "player_passed", "sack_sold"].includes(event.type) && owned + lying + game.bank !== mice)
      throw new Flaw(event.version, `${mice} mice in the game`);
  }
  log.partly("cards are");
}

// Added up from the passes and the sales alone: the fold has no part in it.
function checkScores({open: events}) {
  const seats = playing(events), mice = events[0].data.seats.map(() => START_MICE), won = mice.map(() => []);
  let round = 0;
  for (const {version, type, data} of events) {
    if (type === "round_started") round = data.round;
    else if (type === "player_passed") mice[data.seat] += data.mice;
    else if (type === "sack_sold") {
      mice[data.seat] -= data.price;
      won[data.seat].push(...data.prize);
    } else if (type === "game_ended") {
      const scores = mice.map((left, seat) =>
        seats.includes(seat) ? {cats: catPoints(won[seat]), mice: left, total: catPoints(won[seat]) + left} : null);
      if (round !== ROUNDS) throw new Flaw(version, `an end after round ${ROUNDS}`);
      if (!same(data.scores, scores) || !same(data.winners, winnersOf(scores))) throw new Flaw(version, "other scores");
    }
  }
}

function checkTime({events, isTold}) {
  if (isTold) throw new NotChecked("the game still runs");
  const early = events.findIndex(({at}, index) => index && at < events[index - 1].at);
  if (early >= 0) throw new Flaw(early + 1, "a time not before that of the version before");
}

function checkWords({open, events, said}) {
  const sayings = open.filter(({type}) => type === "player_said");
  const hashes = new Map(sayings.map(({version, data}) => [version, data.text_hash]));
  for (const [version, one] of said) {
    if (!hashes.has(version)) throw new Flaw(Math.min(version, events.length), "an event that tells of what was said");
    if (hashOf(one) !== hashes.get(version)) throw new Flaw(version, "the words that the event hashes");
  }
  const missing = hashes.size - said.size;
  if (missing) throw new NotChecked(`of what was said ${missing} of ${hashes.size} are not there, or forgotten`);
}

// ---- the seats' own logs --------------------------------------------------------------------------------

function checkSeats(log) {
  const {events, seatLogs, options, isOver, ordered, explained, records, viewer} = log;
  if (!seatLogs.size && !isOver) throw new NotChecked("what seats keep to themselves is shown at the end");
  const own = new Map([...seatLogs].map(([seat, one]) => [seat, ownLog(log, seat, one, options.records)]));
  checkExplanations(own, events, explained);
  const closed = closedIn(events), roots = log.roots(events[0].data.seats.length);
  const isRoot = (seat) => !closed || closed.data.roots[seat] === roots[seat];
  if (viewer !== "all" && isOver) {
    if (!(viewer === "spectator" || isRoot(viewer))) throw new Flaw(closed.version, "the root of the seat's own log");
    log.partly("the logs of others are", true);
  }
  const missing = [...explained.keys()].map((place) => place.split("/").map(Number))
    .sort(([seat, version], [other, later]) => seat - other || version - later)
    .find(([seat, version]) => (own.get(seat)?.length ?? 0) < version);
  if (missing) throw new Flaw(missing[1], "the explanation that a move names", missing[0]);
  if ([...own.values()].some((one) => one.some(isOrder)) || ordered.size || log.isChained)
    checkOrders(events, own, records.size ? ordered : null);
  for (const [seat, one] of own) {
    const kept = one.map((event) => seatRecord(seatLogs, seat, event));
    one.forEach((event, at) => checkSaid(event, kept[at], kept[at + 1], seat));
  }
  if (closed && !same(closed.data.roots, roots)) throw new Flaw(closed.version, "the roots of the seats' own logs");
}

const seatRecord = (logs, seat, {version, private: name}) => name ? JSON.parse(textIn(logs.get(seat).records.get(version))) : {};

// The events of a seat's own log, checked as far as that goes alone.
function ownLog({id, events}, seat, {bodies, records}, schema) {
  if (seat >= events[0].data.seats.length) throw new Flaw(1, "logs of the seats at the table", seat);
  const own = bodies.map((body) => envelopeIn(body, seat));
  const bad = own.indexOf(null);
  if (bad >= 0) throw new Flaw(bad + 1, "an event as felix writes it", seat);
  const away = own.findIndex(({game_id, version}, index) => game_id !== `${id}/seat/${seat}` || version !== index + 1);
  if (away >= 0) throw new Flaw(away + 1, "a version of this log", seat);
  for (const [version, {channel}] of opened(own, records, schema, seat))
    if (!["mail", "desk", "web"].includes(channel)) throw new Flaw(version, "a private record of what a player said", seat);
  return own;
}

function checkExplanations(own, events, explained) {
  const made = [], game = newGame();
  for (const event of events) {
    const seat = event.data?.seat;
    if (event.actor === "computer" && PLAYED.includes(event.type))
      made.push({event, seat, turn: game.seats[seat].turn, order: orderText(event)});
    apply(game, event);
  }
  for (const [seat, log] of own) {
    let last = 0;
    for (const one of log.filter(({type}) => type === "choice_explained")) {
      const {turn, order} = one.data, flaw = (expected) => new Flaw(one.version, expected, seat);
      if (one.data.seat !== seat || turn <= last) throw flaw(`a later decision of seat ${seat}`);
      last = turn;
      const {event} = made.find((move) => move.seat === seat && move.turn === turn && move.order === order) ?? {};
      if (!event) throw flaw("a move of the computer at that turn, with that order");
      const named = explained.get(`${seat}/${one.version}`) ?? event.version;
      if (named !== event.version) throw flaw("the explanation that its move names");
      if (one.at !== event.at || one.actor !== "computer" || one.private)
        throw flaw("an explanation by the computer, at its move");
    }
  }
}
