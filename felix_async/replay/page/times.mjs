// Time as felix counts it: microseconds, calendars in which weekends, an absence or a dispute stand still, and zones.

export const SECOND = 1_000_000n;
export const DAY_SECONDS = 86_400;
const MINUTE = 60n * SECOND;
const WHOLE_DAY = BigInt(DAY_SECONDS) * SECOND;

export function timeOf(text) {
  const at = BigInt(Date.parse(text.slice(0, 23) + "Z")) * 1000n + BigInt(text.slice(23, 26));
  if (textOf(at) !== text) throw new Error(`${text} is no time`);
  return at;
}

export function textOf(at) {
  const rest = ((at % 1000n) + 1000n) % 1000n; // before 1970 as well
  const text = new Date(Number((at - rest) / 1000n)).toISOString();
  if (text.length > 24) throw new Error("a year beyond all years");
  return text.slice(0, 23) + String(rest).padStart(3, "0") + "Z";
}

export const later = (text, seconds) => textOf(timeOf(text) + BigInt(seconds) * SECOND);
export const secondsBetween = (start, end) => (end > start ? Number((timeOf(end) - timeOf(start)) / SECOND) : 0);
export const latest = (one, other) => (one > other ? one : other);

// Which time counts for a seat; all of it but for the stretches that stand still.
export class Calendar {
  constructor(clock, {absence}, still = null) {
    this.zone = clock && !clock.weekends ? clock.zone : null;
    const gaps = [still, absence && !absence.computer ? [absence.start, absence.back] : null].filter(Boolean);
    this.gap = gaps.map((gap) => gap.map(timeOf));
    if (this.gap.some(([start, end]) => end <= start)) throw new Error("an end before the beginning");
  }

  // The time at which so much time has passed that counts.
  advance(at, left) {
    for (;;) {
      const still = this.around(at) ?? this.next(at);
      if (!still || at + left < still[0]) return at + left;
      left -= still[0] > at ? still[0] - at : 0n;
      at = still[1];
    }
  }

  // The time at which so much time was left that counts.
  rewind(at, left) {
    for (;;) {
      const still = this.around(at - 1n) ?? this.last(at);
      if (!still || at - left >= still[1]) return at - left;
      left -= at > still[1] ? at - still[1] : 0n;
      at = still[0];
    }
  }

  elapsed(at, end) {
    let counted = 0n;
    while (at < end) {
      const still = this.around(at) ?? this.next(at);
      if (!still || still[0] >= end) return counted + end - at;
      counted += still[0] > at ? still[0] - at : 0n;
      at = still[1];
    }
    return counted;
  }

  // The end of so many seconds, at the next whole minute, or as soon as time counts again.
  due(start, seconds) {
    const at = this.advance(start, BigInt(seconds) * SECOND) + MINUTE - 1n;
    return this.advance(at - (at % MINUTE), 0n);
  }

  around(at) {
    return [...this.gap, ...this.weekends(at)].find(([start, end]) => start <= at && at < end);
  }

  next(at) {
    const first = (one, other) => (one[0] < other[0] || (one[0] === other[0] && one[1] < other[1]) ? one : other);
    const coming = [...this.weekends(at), ...this.gap].filter(([start]) => start > at);
    return coming.length ? coming.reduce(first) : undefined;
  }

  last(at) {
    const over = [...this.weekends(at), ...this.gap].filter(([, end]) => end <= at);
    return over.length ? over.reduce((one, other) => (other[1] > one[1] ? other : one)) : undefined;
  }

  weekends(at) {
    if (this.zone === null) return [];
    const day = Number((at + offsetAt(this.zone, at)) / WHOLE_DAY);
    const saturday = day + 5 - ((day + 3) % 7);
    return [-7, 0, 7].map((days) => weekend(this.zone, saturday + days));
  }
}

const WEEKENDS = new Map();

function weekend(zone, saturday) {
  const name = `${zone} ${saturday}`;
  if (!WEEKENDS.has(name)) WEEKENDS.set(name, [midnight(zone, saturday), midnight(zone, saturday + 2)]);
  return WEEKENDS.get(name);
}

// ---- zones: a name of the database, or an offset -----------------------------------------------------

const FORMATS = new Map();

function zoneFormat(zone) {
  const part = "numeric";
  const parts = {year: part, month: part, day: part, hour: part, minute: part, second: part, hourCycle: "h23"};
  if (!FORMATS.has(zone)) FORMATS.set(zone, new Intl.DateTimeFormat("en-US", {timeZone: zone, ...parts}));
  return FORMATS.get(zone);
}

// Minutes east of UTC, or null if this is no offset as felix writes it.
function minutesOf(zone) {
  if (zone === "UTC") return 0;
  const [, sign, hours, minutes] = /^([+-])(\d\d):(\d\d)$/.exec(zone) ?? [];
  const count = Number(hours) * 60 + Number(minutes);
  const isSane = minutes < 60 && count <= 14 * 60 && count % 15 === 0 && zone !== "-00:00";
  return isSane ? (sign === "-" ? -count : count) : null;
}

export function isZone(zone) {
  if (minutesOf(zone) !== null) return true;
  try {
    // A browser takes names in small letters as well, and knows some places by another name.
    const known = zoneFormat(zone).resolvedOptions().timeZone;
    const isAsWritten = known === zone || known.toLowerCase() !== zone.toLowerCase();
    return zone.includes("/") && !/^(Etc|SystemV)\//.test(zone) && isAsWritten;
  } catch {
    return false;
  }
}

function offsetAt(zone, at) {
  const minutes = minutesOf(zone);
  if (minutes !== null) return BigInt(minutes) * MINUTE;
  const parts = zoneFormat(zone).formatToParts(Number(at / 1000n));
  const [year, month, day, hour, minute, second] = ["year", "month", "day", "hour", "minute", "second"].map((type) =>
    Number(parts.find((part) => part.type === type).value));
  const wall = BigInt(Date.UTC(year, month - 1, day, hour, minute, second)) * 1000n;
  return wall - (at - (at % SECOND));
}

// A midnight that the clocks jump over is taken as if they had not yet; of two it is the first.
function midnight(zone, day) {
  const wall = BigInt(day) * WHOLE_DAY;
  const [before, after] = [-WHOLE_DAY, WHOLE_DAY].map((away) => offsetAt(zone, wall + away));
  const isRight = (offset) => offsetAt(zone, wall - offset) === offset;
  return wall - (isRight(before) || !isRight(after) ? before : after);
}
