// The strict form of what is in a file: which keys and values there may be, and the one JSON text of each.

export const CARDS = [-8, -5, 0, 3, 5, 8, 11, 15, "large_dog", "small_dog"];
export const BALLOTS = ["pause", "abandon", ...Array.from("01234", (seat) => `seat ${seat}`)];
export const SECRET = ["hand_dealt", "dummy_dealt", "card_placed"];

const between = (low, high = Infinity) => (value) => Number.isInteger(value) && value >= low && value <= high;
const among = (...values) => (value) => values.includes(value);
const maybe = (is) => (value) => value === null || is(value);
const like = (pattern) => (value) => typeof value === "string" && pattern.test(value);
export const longest = (high, low = 0) => (value) => typeof value === "string" && between(low, high)([...value].length);
export const listOf = (is, low = 0, high = Infinity) => (value) =>
  Array.isArray(value) && between(low, high)(value.length) && value.every(is);
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
export const record = (fields, more = {}) => (value) => {
  if (!isObject(value)) return false;
  const known = (key) => Object.hasOwn(fields, key) || Object.hasOwn(more, key);
  return Object.keys(fields).every((key) => Object.hasOwn(value, key)) &&
    Object.entries(value).every(([key, one]) => known(key) && (fields[key] ?? more[key])(one));
};

export const isText = longest(Infinity);
export const isCount = between(0, 999_999);
export const isSeat = between(0, 4);
export const isGame = like(/^[a-z2-9]{3,12}$/);
const isOwnLog = like(/^[a-z2-9]{3,12}\/seat\/[0-4]$/);
const isFlag = among(true, false);
export const isHash = like(/^[0-9a-f]{64}$/);
const isSalt = like(/^[0-9a-f]{32}$/);
const isCard = among(...CARDS);
const isPoints = between(-999, 999);
const isMice = between(0, 999);
export const isSize = between(1, 999_999);
const isTurn = between(1, 9999);
const isPlayer = like(/^[0-9a-z-]{1,40}$/);
const DAY_TIME = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{6}Z$/;
export const isActor = among("seat", "host", "clock", "computer", "rules");
export const isAt = like(DAY_TIME);
const isThen = (value) => {
  const day = isAt(value) && new Date(value.slice(0, 10) + "T00:00:00Z");
  return day && value.startsWith(day.toISOString().slice(0, 10)) && between(1970, 9000)(day.getUTCFullYear());
};
const isSeconds = between(0, 366 * 86400);
const isSpan = between(0, 60 * 86400);
const isDenied = among("card", "bid", "pass");
const isScore = record({cats: isPoints, mice: isMice, total: isPoints});
const isOptions = record({
  start_seat: maybe(isSeat), seeded: isFlag, forced_pass: isFlag, seat_logs_closed: isFlag, records: among(1, 2),
  pace: among("together", "in turn"),
});
const isTerms = record({
  move: between(60, 60 * 86400), reserve: isSpan, weekends: isFlag, zone: like(/^[A-Za-z0-9/_+:-]{1,64}$/), away: isSpan,
});
const REASONS = "open_cards_worth open_cards_sum own_card hidden_cards sack_expected passing_pays kept_for_risk " +
  "mice_owned bids_up_to must_bid cannot_bid last_in_auction card_is_first card_stays_hidden card_wish chance_added " +
  "next_best drawn_by_chance";
const isReason = record({
  what: among(...REASONS.split(" ")), value: (it) => among(null, "large_dog", "small_dog")(it) || isPoints(it),
});

// What is in a field of this name, unless EVENTS says otherwise.
const FIELDS = {
  seat: isSeat, start_seat: isSeat, ruleset: among("felicity-2017", "felix-2007"), seats: listOf(isPlayer, 3, 5),
  options: isOptions, commitment: isHash, contribution: isHash, cards: listOf(isCard), boxed: isCard,
  pile: listOf(isCard), round: between(1, 9), mice_on_cards: listOf(isMice), bank: isMice, card: isCard, amount: isMice,
  mice: isMice, price: isMice, chased: maybe(isCard), prize: listOf(isCard), turn: isTurn, reserve_from: isThen,
  at: isThen, seconds: isSeconds, left: isSeconds, in_a_row: between(1, 999), start: isThen, back: isThen,
  computer: isFlag, spent: isSeconds, early: isFlag, to: among("computer", "player"), for_good: isFlag,
  player_id: isPlayer, text_hash: isHash, on: among(...BALLOTS), until: isThen, winners: listOf(isSeat),
  scores: listOf(maybe(isScore)), reason: among("declined", "cancelled", "expired", "left", "voted", "deserted"),
  lapses: isThen, stopped: between(0, 48 * 3600), how: among("stands", "withdrawn", "expired", "handed_over"),
  roots: listOf(isHash, 3, 5), seed: isHash, terms: isTerms, size: isSize, order: isSize, turned: between(0, 5),
  kind: among("bid", "pass", "next"), first: maybe(isMice), limit: maybe(isMice), then: among("pass", "ask"),
  why: among("asked", "replaced", "timed_out", "left", "substituted", "rekeyed"), reasons: listOf(isReason, 1, 20),
};

const shaped = (names, others = {}) =>
  record({...Object.fromEntries(names.split(" ").filter(Boolean).map((name) => [name, FIELDS[name]])), ...others});

const EVENTS = {
  game_created: shaped("ruleset seats options commitment"), host_named: shaped("seat"), clock_set: shaped("terms"),
  player_invited: shaped("seat"), player_joined: shaped("seat contribution"), player_declined: shaped("seat"),
  player_uninvited: shaped("seat"), invitation_expired: shaped("seat"), game_started: shaped("start_seat"),
  hand_dealt: shaped("seat cards boxed"), dummy_dealt: shaped("pile boxed"),
  round_started: shaped("round start_seat mice_on_cards bank"), card_placed: shaped("seat card"),
  cards_turned: shaped("cards"), bid_placed: shaped("seat amount"), player_passed: shaped("seat mice"),
  sack_sold: shaped("seat price chased prize"), sack_discarded: shaped(""),
  deadline_set: shaped("seat turn reserve_from at"), reserve_spent: shaped("seat seconds left"),
  turn_timed_out: shaped("seat turn in_a_row"), absence_declared: shaped("seat start back computer spent"),
  absence_began: shaped("seat"), absence_ended: shaped("seat early spent"),
  seat_handed_over: shaped("seat to for_good"), seat_taken: shaped("seat player_id"),
  player_said: shaped("seat text_hash"), vote_cast: shaped("seat on"), votes_withdrawn: shaped("seat"),
  game_paused: shaped("until"), game_resumed: shaped("", {seat: maybe(isSeat)}), server_restored: shaped(""),
  dispute_raised: shaped("seat turn lapses stopped", {what: isDenied, until: maybe(isThen)}),
  dispute_settled: shaped("seat turn how stopped", {what: isDenied}), game_ended: shaped("scores winners"),
  game_abandoned: shaped("reason"), seat_logs_closed: shaped("roots"), seed_revealed: shaped("seed"),
};
const OWN_EVENTS = {
  choice_explained: shaped("seat reasons", {turn: between(1, 999), order: longest(40, 1)}),
  order_given: shaped("seat size round turned kind first limit then", {card: maybe(isCard)}),
  order_dropped: shaped("seat size order why"), order_done: shaped("seat size order"),
};

export const isEvent = (type, data) => Object.hasOwn(EVENTS, type) && EVENTS[type](data);

const ENVELOPE = {
  game_id: isText, version: isSize, type: isText, schema: isSize, at: isAt,
  actor: isActor, data: () => true,
};
const isEnvelope = record(ENVELOPE, {salt: isSalt, private: isHash});
const PRIVATE = {
  salt: isSalt, channel: among("mail", "desk", "computer", "clock", "order", "web"), cause: isText,
  mail_sha256: maybe(isHash), order: maybe(isText),
};
const isPrivate1 = record(PRIVATE);
const isPrivate2 = record({
  ...PRIVATE, schema: among(2), line: maybe(longest(200)), message_id: maybe(longest(998)), grammar: maybe(isSize),
  inferred: isFlag,
});
export const isPrivate = (value) => isPrivate1(value) || isPrivate2(value);

// The JSON text of a value with sorted keys (RFC 8785); half a character has none.
export function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (typeof value === "object" && value !== null)
    return `{${Object.keys(value).sort().map((key) => canonical(key) + ":" + canonical(value[key])).join()}}`;
  if (/[\ud800-\udfff]/u.test(value)) throw new Error("half a character");
  return JSON.stringify(value);
}

export const same = (one, other) => canonical(one) === canonical(other);

// The text of UTF-8 bytes; raises an error if they are none.
export const textIn = (bytes) => new TextDecoder("utf-8", {fatal: true, ignoreBOM: true}).decode(bytes);

// The event in a line, or null if felix would not have written it so. `seat` names a seat's own log.
export function envelopeIn(bytes, seat = null) {
  try {
    const text = textIn(bytes);
    const one = JSON.parse(text);
    if (canonical(one) !== text || !isEnvelope(one)) return null;
    const kinds = seat === null ? EVENTS : OWN_EVENTS;
    if (!Object.hasOwn(kinds, one.type) || !(seat === null ? isGame : isOwnLog)(one.game_id)) return null;
    if ((seat !== null || SECRET.includes(one.type)) !== Object.hasOwn(one, "salt")) return null;
    if (one.type === "game_created" && one.schema === 1) one.data = upcast(one.data);
    else if (one.schema !== (one.type === "game_created" ? 2 : 1)) return null;
    else if (one.type === "game_created" && !same(Object.assign({}, one.data.options, AGREED), one.data.options)) return null;
    return kinds[one.type](one.data) ? one : null;
  } catch {
    return null;
  }
}

const AGREED = {forced_pass: true, seat_logs_closed: true, records: 2};

// Tables of schema 1 agreed on less.
const upcast = ({options: {start_seat, seeded, ...more}, ...data}) => Object.keys(more).length ? null : ({
  ...data, options: {forced_pass: false, seat_logs_closed: false, records: 1, pace: "in turn", start_seat, seeded},
});
