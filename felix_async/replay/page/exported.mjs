// A game as a file, read line by line: events/README.md, "The file".

import {base64, hex, sha256, unhex, utf8} from "./sha256.mjs";
import {canonical, envelopeIn, isActor, isAt, isCount, isEvent, isGame, isHash, isPrivate, isSeat, isSize, isText, listOf, longest, record, SECRET, textIn} from "./shapes.mjs";
import {leaf, root} from "./tree.mjs";

// A line that is not as it was written; lines count from 1. `version` is that of the event that it belongs to, if it
// is one of the game.
export class Damaged extends Error {
  constructor(line, expected, version = null) {
    super(`expected ${expected}`);
    Object.assign(this, {line, version});
  }
}

const damagedEvent = (version, expected) => new Damaged(version + 1, expected, version);
const changedEvent = (version, more = "") => damagedEvent(version, `version ${version} as it was exported${more}`);

export class NotAnExport extends Error {}

const MOST_LINES = 200000;

const isFormer = (it) => Array.isArray(it) && it.length === 3 && isSize(it[0]) && isSeat(it[1]) && isText(it[2]);
const isViewer = (it) => isSeat(it) || it === "spectator" || it === "all";
const isOr = (is) => (it) => it === null || is(it);
const HEADER = {game_id: isGame, names: listOf(isText, 0, 5), table: isText, checks: isText};
const TRAILER = {size: isCount, root: isText, sha256: isText};
const isHeader = {
  1: record({felix: (it) => it === 1, ...HEADER}),
  2: record({felix: (it) => it === 2, ...HEADER, former: listOf(isFormer, 0, 999), viewer: isViewer}),
};
const isTrailer = {
  1: record({trailer: (it) => it === 1, ...TRAILER}),
  2: record({trailer: (it) => it === 2, ...TRAILER, root: isOr(isText), checkpoint: isOr(longest(9999))}),
};
const isSecret = (it) => SECRET.includes(it);
const isLeaf = record({leaf: isHash, version: isSize, type: isSecret, seat: isOr(isSeat), at: isAt});
const isToldHidden = record({told: isSize, type: isSecret, seat: isOr(isSeat)});
const isToldEvent = record({told: isSize, type: isText, actor: isActor, data: () => true});
const isTold = (it) => isToldEvent(it) && isEvent(it.type, it.data);
const isSaid = record({said: isSize, text: isText, salt: (it) => isText(it) && /^([0-9a-f]{2}){0,32}$/.test(it)});
const isHeading = record({seat_log: isSeat, size: isSize, root: isText, checks: isText});
const isOpened = record({opens: isSize, record: isPrivate});
const KEYS = ("felix said opens seat_log trailer leaf told version type seat at actor data game_id names record table " +
  "text salt size root checks former viewer sha256 checkpoint").split(" ");

const checksOf = (lines) => lines.map((line) => hex(leaf(line).slice(0, 4))).join("");
const ascii = (bytes) => new TextDecoder("latin1").decode(bytes);
const starts = (line, text) => ascii(line.subarray(0, text.length)) === text;
const isInPlace = (line) => starts(line, '{"leaf":"') || starts(line, '{"told":');

// The root over events, some of which may be leaves only; null if they are only told.
export function rootOf(lines) {
  if (lines.some((line) => starts(line, '{"told":'))) return null;
  return root(lines.map((line) => {
    const [, found] = /^\{"leaf":"([0-9a-f]{64})/.exec(ascii(line.subarray(0, 73))) ?? [];
    return found ? unhex(found) : leaf(line);
  }));
}

// Line by line: header, bodies, said by version, records by version, seatLogs by seat, and the trailer. The events
// are those in the bodies, null where felix would not have written it so. Of one that is hidden from the viewer
// there is `hidden`, type, seat and version.
export function readExport(bytes) {
  const lines = split(bytes);
  const format = numberOfFormat(lines);
  if (lines.length - 1 > MOST_LINES) throw new NotAnExport(`this file has more than ${MOST_LINES} lines`);
  if (lines.pop().length) throw new Damaged(lines.length + 1, "a line that ends with a line feed");
  const header = read(isHeader[format], lines[0], 1, "a header");
  const viewer = header.viewer ?? "all";
  const end = trailerIndex(header, lines, format);
  const trailer = read(isTrailer[format], lines[end], end + 1, "a trailer");
  const parts = partsOf(lines, end, format);
  checkEvents(header.checks, trailer, parts.bodies, end + 1);
  const events = parts.bodies.map((line, index) => eventIn(line, index + 1, viewer, trailer.root === null));
  const {said, records, seatLogs} = readParts(parts);
  if (trailer.sha256 !== hex(sha256(bytes.subarray(0, bytes.length - lines[end].length - 1)))) {
    checkAround(header, parts.bodies, said, records, seatLogs);
    throw new Damaged(end + 1, "the sha256 of what is above it; the change may be in line 1");
  }
  if (header.checks !== checksOf(parts.bodies)) throw new Damaged(1, "the checks of these events");
  return {header, bodies: parts.bodies, events, said, records, seatLogs, trailer};
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
  if (found.length) throw new NotAnExport(`this file is of format ${found[0]}; this page reads 1 and 2`);
  throw new NotAnExport("this is not a felix export");
}

// The lines between header and trailer, cut where their kinds begin.
function partsOf(lines, end, format) {
  const said = indexOf(lines, 1, end, ...(format === 1 ? [] : ['{"said":']), '{"opens":', '{"seat_log":');
  const opens = indexOf(lines, said, end, '{"opens":', '{"seat_log":');
  const own = indexOf(lines, opens, end, '{"seat_log":');
  const [bodies, words, opened] = [[1, said], [said, opens], [opens, own]].map((ends) => lines.slice(...ends));
  return {bodies, words, opened, own: lines.slice(own, end)};
}

function readParts({bodies, words, opened, own}) {
  let line = 2 + bodies.length;
  const said = readByVersion(isSaid, words, line, bodies, "what was said");
  const records = readOpened(opened, (line += words.length), bodies);
  return {said, records, seatLogs: readSeatLogs(own, line + opened.length)};
}

function indexOf(lines, from, end, ...texts) {
  for (let index = from; index < end; index++) if (texts.some((text) => starts(lines[index], text))) return index;
  return end;
}

// The place of the last line, which is the trailer; else what is amiss first.
function trailerIndex(header, lines, format) {
  const end = indexOf(lines, 0, lines.length, '{"trailer":');
  if (end === lines.length - 1) return end;
  const parts = partsOf(lines, end, format);
  const changed = firstDifference(header.checks, checksOf(parts.bodies));
  if (changed !== null) throw changedEvent(changed + 1, ", and a trailer");
  readParts(parts);
  if (end === lines.length) throw new Damaged(end + 1, "a trailer at the end");
  read(isTrailer[format], lines[end], end + 1, "a trailer");
  throw new Damaged(end + 2, "the end of the file after the trailer");
}

function checkEvents(checks, trailer, bodies, line) {
  const found = rootOf(bodies), now = checksOf(bodies), changed = firstDifference(checks, now);
  if (trailer.root !== (found && base64(found)) || trailer.size !== bodies.length)
    throw changed === null
      ? new Damaged(line, "the root of these events")
      : changedEvent(changed + 1);
  if (changed === null || changed >= bodies.length || !isInPlace(bodies[changed])) return;
  // A changed line has another check altogether, where a changed check differs in a digit.
  const alike = [...checks.slice(8 * changed, 8 * changed + 8)].filter((digit, place) => digit === now[8 * changed + place]);
  const length = Math.min(8, checks.length - 8 * changed);
  if (alike.length < length - 1) throw changedEvent(changed + 1);
}

// The event in a line, or what stands in its place for a viewer who may not know it.
function eventIn(line, version, viewer, isRunning) {
  if (viewer === "all" && isInPlace(line)) throw damagedEvent(version, `version ${version}, in a file with all of them`);
  if (viewer === "all" || (!isRunning && !isInPlace(line))) return envelopeIn(line);
  const kind = (key) => ascii(line).includes(`,"${key}":`);
  const is = !isRunning ? isLeaf : kind("data") ? isTold : isToldHidden;
  const place = `what stands in place of version ${version}`;
  const {leaf: _, told, ...event} = read(is, line, version + 1, place, version);
  if ((told ?? event.version) !== version) throw damagedEvent(version, place);
  return {version, ...event, ...(is === isTold ? {} : {hidden: true})};
}

// The events are as they were: find the change around them, if it can be pinned to a line.
function checkAround(header, bodies, said, records, seatLogs) {
  if (header.checks !== checksOf(bodies)) throw new Damaged(1, "the checks of these events");
  let line = 2 + bodies.length;
  const checkHashed = (those, events, name) => {
    for (const [version, one] of those) {
      if (!fits(one, events[version - 1]))
        throw new Damaged(line, `${name} of version ${version}`, events === bodies ? version : null);
      line++;
    }
  };
  checkHashed(said, bodies, "the words");
  checkHashed(records, bodies, "the private record");
  for (const log of seatLogs.values()) {
    line += 1 + log.bodies.length;
    checkHashed(log.records, log.bodies, "the private record");
  }
}

// Records in lines, by version: what was said, or as bytes what is opened.
function readByVersion(is, lines, firstLine, bodies, name) {
  const found = new Map();
  let last = 0;
  lines.forEach((line, index) => {
    const one = read(is, line, firstLine + index, name), version = one.said ?? one.opens;
    if (version <= last) {
      // Out of order: this one, or the one before if that is not the record of its event.
      const wrong = fits(found.get(last), bodies[last - 1]) ? index : index - 1;
      throw new Damaged(firstLine + wrong, `${name} by version`);
    }
    last = version;
    found.set(last, one.opens ? line.subarray(`{"opens":${last},"record":`.length, line.length - 1) : one);
  });
  return found;
}

const readOpened = (lines, firstLine, bodies) => readByVersion(isOpened, lines, firstLine, bodies, "a private record");

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
    const changed = firstDifference(heading.checks, checksOf(bodies)), found = rootOf(bodies);
    const isRoot = heading.root === (found && base64(found));
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

// The hash of a private record, or of what was said with its salt, as the event of that version holds it.
export const hashOf = (one) =>
  hex(sha256(one instanceof Uint8Array ? one : utf8(canonical({salt: one.salt, text: one.text}))));
const fits = (one, event) => event !== undefined && ascii(event).includes(hashOf(one));

function read(is, line, number, name, version = null) {
  try {
    const text = textIn(line), one = JSON.parse(text);
    const ordered = () => KEYS.filter((key) => Object.hasOwn(one, key)).map((key) => `"${key}":${canonical(one[key])}`);
    if (is(one) && `{${ordered()}}` === text) return one;
  } catch {
    // Bytes that are no text, or no JSON, or nested so deep that nobody wrote them.
  }
  throw new Damaged(number, `${name} as felix writes it`, version);
}

function firstDifference(expected, found) {
  for (let at = 0; at < Math.max(expected.length, found.length); at += 8)
    if (expected.slice(at, at + 8) !== found.slice(at, at + 8)) return at / 8;
  return null;
}
