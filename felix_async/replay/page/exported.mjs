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

const isHeader = record({
  felix: (it) => it === 1, game_id: isGame, names: listOf(isText, 0, 5), table: isText, checks: isText,
});
const isTrailer = record({trailer: (it) => it === 1, size: isCount, root: isText, sha256: isText});
const isHeading = record({seat_log: isSeat, size: (it) => isCount(it) && it > 0, root: isText, checks: isText});
const isOpened = record({opens: (it) => isCount(it) && it > 0, record: isPrivate});
const KEYS = ["felix", "opens", "seat_log", "trailer", "game_id", "names", "record", "table", "size", "root", "checks", "sha256"];

export const checksOf = (leaves) => leaves.map((one) => hex(one.slice(0, 4))).join("");
export const rootOf = (bodies) => root(bodies.map(leaf));
const ascii = (bytes) => new TextDecoder("latin1").decode(bytes);
const starts = (line, text) => ascii(line.subarray(0, text.length)) === text;

export function readExport(bytes) {
  const lines = split(bytes);
  if (!looksLikeExport(lines)) throw new NotAnExport("this is not a felix export");
  if (lines.pop().length) throw new Damaged(lines.length + 1, "a line that ends with a line feed");
  const header = read(isHeader, lines[0], 1, "a header");
  const end = trailerIndex(header, lines);
  const trailer = read(isTrailer, lines[end], end + 1, "a trailer");
  const opens = indexOf(lines, 0, end, '{"opens":', '{"seat_log":');
  const bodies = lines.slice(1, opens);
  const leaves = bodies.map(leaf);
  const own = indexOf(lines, opens, end, '{"seat_log":');
  if (trailer.root !== base64(root(leaves)) || trailer.size !== leaves.length) {
    const changed = firstDifference(header.checks, checksOf(leaves));
    throw new Damaged(changed === null ? end + 1 : changed + 2, "events that fit the root in the trailer");
  }
  const records = readOpened(lines.slice(opens, own), opens + 1, bodies);
  const seatLogs = readSeatLogs(lines.slice(own, end), own + 1);
  if (trailer.sha256 !== hex(sha256(bytes.subarray(0, bytes.length - lines[end].length - 1)))) {
    checkAround(header, bodies, leaves, records, seatLogs);
    throw new Damaged(end + 1, "the sha256 of what is above it; the change may be in line 1");
  }
  return {header, bodies, records, seatLogs, trailer, events: bodies.map((body) => envelopeIn(body))};
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
function looksLikeExport(lines) {
  const none = new Uint8Array();
  const [first, second = none] = lines;
  const last = lines.slice(1).findLast((line) => line.length) ?? none;
  const has = (line, text) => ascii(line).includes(text);
  return starts(first, '{"felix":1,') || starts(last, '{"trailer":1,') ||
    (has(second, '"type":"game_created"') && has(first, '"game_id":'));
}

function indexOf(lines, from, end, ...texts) {
  for (let index = from; index < end; index++) if (texts.some((text) => starts(lines[index], text))) return index;
  return end;
}

// The place of the last line, which is the trailer; else what is amiss first.
function trailerIndex(header, lines) {
  const end = indexOf(lines, 0, lines.length, '{"trailer":');
  if (end === lines.length - 1) return end;
  const opens = indexOf(lines, 0, end, '{"opens":', '{"seat_log":');
  const bodies = lines.slice(1, opens);
  const changed = firstDifference(header.checks, checksOf(bodies.map(leaf)));
  if (changed !== null) throw new Damaged(changed + 2, `version ${changed + 1} as it was exported, and a trailer at the end`);
  const own = indexOf(lines, opens, end, '{"seat_log":');
  readOpened(lines.slice(opens, own), opens + 1, bodies);
  readSeatLogs(lines.slice(own, end), own + 1);
  if (end === lines.length) throw new Damaged(end + 1, "a trailer at the end");
  read(isTrailer, lines[end], end + 1, "a trailer");
  throw new Damaged(end + 2, "the end of the file after the trailer");
}

// The events are as they were: find the change around them, if it can be pinned to a line.
function checkAround(header, bodies, leaves, records, seatLogs) {
  if (header.checks !== checksOf(leaves)) throw new Damaged(1, "the checks of these events");
  let line = 2 + bodies.length;
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
