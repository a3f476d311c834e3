// A game as a file, read line by line: events/README.md, "The file".

import {base64, hex, sha256} from "./sha256.mjs";
import {canonical, envelopeIn, isCount, isGame, isPrivate, isSeat, isText, listOf, record, textIn} from "./shapes.mjs";
import {leaf, root} from "./tree.mjs";

// A line that is not as it was written; lines count from 1.
export class Damaged extends Error {
  constructor(line, expected) {
    super(`expected ${expected}`);
    this.line = line;
  }
}

export class NotAnExport extends Error {}

const isVersion = (it) => isCount(it) && it > 0;
const isFormer = (it) => Array.isArray(it) && it.length === 3 && isVersion(it[0]) && isSeat(it[1]) && isText(it[2]);
const HEADER = {game_id: isGame, names: listOf(isText, 0, 5), table: isText, checks: isText};
const TRAILER = {size: isCount, root: isText, sha256: isText};
// By format; what a file holds for one viewer alone is another matter.
const isHeader = {
  1: record({felix: (it) => it === 1, ...HEADER}),
  2: record({felix: (it) => it === 2, ...HEADER, former: listOf(isFormer), viewer: (it) => it === "all"}),
};
const isTrailer = {
  1: record({trailer: (it) => it === 1, ...TRAILER}),
  2: record({trailer: (it) => it === 2, ...TRAILER, checkpoint: (it) => it === null || isText(it)}),
};
const isSaid = record({said: isVersion, text: isText, salt: (it) => isText(it) && /^([0-9a-f]{2}){0,32}$/.test(it)});
const isHeading = record({seat_log: isSeat, size: (it) => isCount(it) && it > 0, root: isText, checks: isText});
const isOpened = record({opens: (it) => isCount(it) && it > 0, record: isPrivate});
const KEYS = [
  "felix", "said", "opens", "seat_log", "trailer", "game_id", "names", "record", "table", "text", "salt", "size", "root",
  "checks", "former", "viewer", "sha256", "checkpoint",
];

export const checksOf = (leaves) => leaves.map((one) => hex(one.slice(0, 4))).join("");
export const rootOf = (bodies) => root(bodies.map(leaf));
const ascii = (bytes) => new TextDecoder("latin1").decode(bytes);
const starts = (line, text) => ascii(line.subarray(0, text.length)) === text;

export function readExport(bytes) {
  const lines = split(bytes);
  const format = numberOfFormat(lines);
  if (lines.pop().length) throw new Damaged(lines.length + 1, "a line that ends with a line feed");
  const header = read(isHeader[format], lines[0], 1, "a header");
  const end = trailerIndex(header, lines, format);
  const trailer = read(isTrailer[format], lines[end], end + 1, "a trailer");
  const {said, opens, bodies} = partsOf(lines, end, format);
  const leaves = bodies.map(leaf);
  const own = indexOf(lines, opens, end, '{"seat_log":');
  if (trailer.root !== base64(root(leaves)) || trailer.size !== leaves.length) {
    const changed = firstDifference(header.checks, checksOf(leaves));
    throw new Damaged(changed === null ? end + 1 : changed + 2, "events that fit the root in the trailer");
  }
  const words = readSaid(lines.slice(said, opens), said + 1, bodies);
  const records = readOpened(lines.slice(opens, own), opens + 1, bodies);
  const seatLogs = readSeatLogs(lines.slice(own, end), own + 1);
  if (trailer.sha256 !== hex(sha256(bytes.subarray(0, bytes.length - lines[end].length - 1)))) {
    checkAround(header, bodies, leaves, words, records, seatLogs);
    throw new Damaged(end + 1, "the sha256 of what is above it; the change may be in line 1");
  }
  return {header, bodies, said: words, records, seatLogs, trailer, events: bodies.map((body) => envelopeIn(body))};
}

function split(bytes) {
  const lines = [];
  for (let start = 0; ; ) {
    const end = bytes.indexOf(10, start);
    lines.push(bytes.subarray(start, end < 0 ? bytes.length : end));
    if (end < 0) return lines;
    start = end + 1;
  }
}

// One changed byte in a telling place must not hide that felix wrote this.
function numberOfFormat(lines) {
  const none = new Uint8Array();
  const [first, second = none] = lines;
  const last = lines.slice(1).findLast((line) => line.length) ?? none;
  const has = (line, text) => ascii(line).includes(text);
  const number = (line, key) => Number(ascii(line.subarray(0, 20)).match(`^\\{"${key}":([1-9]\\d{0,5}),`)?.[1]);
  const found = [number(first, "felix"), number(last, "trailer")].filter((one) => !Number.isNaN(one));
  if (!found.length && has(second, '"type":"game_created"') && has(first, '"game_id":')) return 2;
  const known = found.find((one) => one in isHeader);
  if (known) return known;
  throw new NotAnExport(found.length ? `this file is of format ${found[0]}; this page reads 1 and 2` : "this is not a felix export");
}

// Where what was said begins, and what is opened; and the events before them.
function partsOf(lines, end, format) {
  const kinds = ['{"opens":', '{"seat_log":'];
  const said = indexOf(lines, 1, end, ...(format === 1 ? [] : ['{"said":']), ...kinds);
  return {said, opens: indexOf(lines, said, end, ...kinds), bodies: lines.slice(1, said)};
}

function indexOf(lines, from, end, ...texts) {
  for (let index = from; index < end; index++) if (texts.some((text) => starts(lines[index], text))) return index;
  return end;
}

// The place of the last line, which is the trailer; else what is amiss first.
function trailerIndex(header, lines, format) {
  const end = indexOf(lines, 0, lines.length, '{"trailer":');
  if (end === lines.length - 1) return end;
  const {said, opens, bodies} = partsOf(lines, end, format);
  const changed = firstDifference(header.checks, checksOf(bodies.map(leaf)));
  if (changed !== null) throw new Damaged(changed + 2, `version ${changed + 1} as it was exported, and a trailer at the end`);
  const own = indexOf(lines, opens, end, '{"seat_log":');
  readSaid(lines.slice(said, opens), said + 1, bodies);
  readOpened(lines.slice(opens, own), opens + 1, bodies);
  readSeatLogs(lines.slice(own, end), own + 1);
  if (end === lines.length) throw new Damaged(end + 1, "a trailer at the end");
  read(isTrailer[format], lines[end], end + 1, "a trailer");
  throw new Damaged(end + 2, "the end of the file after the trailer");
}

// The events are as they were: find the change around them, if it can be pinned to a line.
function checkAround(header, bodies, leaves, words, records, seatLogs) {
  if (header.checks !== checksOf(leaves)) throw new Damaged(1, "the checks of these events");
  let line = 2 + bodies.length;
  for (const [version, said] of words) {
    if (!fits(wordsOf(said), bodies[version - 1])) throw new Damaged(line, `the words that version ${version} hashes`);
    line++;
  }
  const checkOpened = (those, events) => {
    for (const [version, bytes] of those) {
      if (!fits(bytes, events[version - 1])) throw new Damaged(line, `the private record that version ${version} names`);
      line++;
    }
  };
  checkOpened(records, bodies);
  for (const log of seatLogs.values()) {
    line += 1 + log.bodies.length;
    checkOpened(log.records, log.bodies);
  }
}

// The bytes whose hash the event of a saying holds.
export const wordsOf = ({text, salt}) => new TextEncoder().encode(canonical({text, salt}));

function readSaid(lines, firstLine, bodies) {
  const words = new Map();
  let last = 0;
  lines.forEach((line, index) => {
    const one = read(isSaid, line, firstLine + index, "what was said");
    if (one.said <= last) {
      const wrong = fits(wordsOf(words.get(last)), bodies[last - 1]) ? index : index - 1;
      throw new Damaged(firstLine + wrong, "what was said by version");
    }
    last = one.said;
    words.set(last, one);
  });
  return words;
}

function readOpened(lines, firstLine, bodies) {
  const records = new Map();
  let last = 0;
  lines.forEach((line, index) => {
    const {opens} = read(isOpened, line, firstLine + index, "a private record");
    if (opens <= last) {
      // Out of order: this one, or the one before if that is not the record of its event.
      const wrong = fits(records.get(last), bodies[last - 1]) ? index : index - 1;
      throw new Damaged(firstLine + wrong, "private records by version");
    }
    last = opens;
    records.set(last, line.subarray(`{"opens":${last},"record":`.length, line.length - 1));
  });
  return records;
}

function readSeatLogs(lines, firstLine) {
  const logs = new Map();
  let last = -1;
  for (let start = 0; start < lines.length; ) {
    const number = firstLine + start;
    const heading = read(isHeading, lines[start++], number, "the heading of a seat's log");
    const bodies = lines.slice(start, start + heading.size);
    start += heading.size;
    if (heading.seat_log <= last || heading.checks.length !== 8 * heading.size)
      throw new Damaged(number, "the seats' logs by seat, with a check for each event");
    last = heading.seat_log;
    const leaves = bodies.map(leaf);
    const changed = firstDifference(heading.checks, checksOf(leaves));
    const isRoot = heading.root === base64(root(leaves));
    if ((changed === null) !== isRoot) throw new Damaged(number, "a heading that fits the log below it");
    if (changed !== null)
      throw new Damaged(number + changed + 1, `version ${changed + 1} of the log of seat ${last} as it was exported`);
    if (!ascii(bodies[0]).includes(`/seat/${last}"`)) throw new Damaged(number, "the seat whose log this is");
    const end = indexOf(lines, start, lines.length, '{"seat_log":');
    logs.set(last, {bodies, records: readOpened(lines.slice(start, end), firstLine + start, bodies)});
    start = end;
  }
  return logs;
}

// Whether the event in these bytes names this private record.
const fits = (bytes, event) => event !== undefined && ascii(event).includes(hex(sha256(bytes)));

function read(is, line, number, name) {
  let one, text;
  try {
    text = textIn(line);
    one = JSON.parse(text);
  } catch {
    throw new Damaged(number, name);
  }
  if (!is(one)) throw new Damaged(number, name);
  const ordered = KEYS.filter((key) => Object.hasOwn(one, key)).map((key) => `"${key}":${canonical(one[key])}`);
  if (`{${ordered}}` !== text) throw new Damaged(number, `${name} as felix writes it`);
  return one;
}

function firstDifference(expected, found) {
  for (let at = 0; at < Math.max(expected.length, found.length); at += 8)
    if (expected.slice(at, at + 8) !== found.slice(at, at + 8)) return at / 8;
  return null;
}
