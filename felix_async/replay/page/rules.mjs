// The rules: which commands are refused, and which one an event at the start of a step answers.
// As felix_async/game/rules.py and felix_async/audit/causes.py have it.

import {answered, asked, hasVoted, humans, isOver} from "./fold.mjs";
import {Calendar, DAY_SECONDS, isZone, later, latest, SECOND, secondsBetween, timeOf} from "./times.mjs";

export const FEWEST = 3;
const SILENCE = 30 * DAY_SECONDS;
const YEAR = 366 * DAY_SECONDS;
const LONGEST_ABSENCE = 60 * DAY_SECONDS;

export const calendarOf = (game, seat) => new Calendar(game.clock, game.seats[seat].time, game.still);
export const disputeOf = (game, seat) => game.disputes.find((one) => one.seat === seat);
export const awaited = (game) => asked(game).filter((seat) => !game.seats[seat].computer);

export const awaySpent = ({absence, away_spent}, now) =>
  away_spent + (absence ? secondsBetween(absence.start, now < absence.back ? now : absence.back) : 0);

// The seats that could host instead of the host, the next clockwise first.
export function heirs(game) {
  const from = (seat) => (seat - (game.host ?? 0) + game.seats.length) % game.seats.length;
  return humans(game).filter((seat) => seat !== game.host).sort((one, other) => from(one) - from(other));
}

export const isDue = ({absence}, now) =>
  absence !== null && absence.computer && !absence.began && absence.start <= now && now < absence.back;

// ---- refusals -----------------------------------------------------------------------------------------

export function isRefused(command, game, {now, last}) {
  const {does, seat} = command;
  if (does === "create") return refuseCreate(command, game);
  if (game.phase === "new" || isOver(game)) return true;
  if (does === "restore") return false;
  if (does === "close") return game.phase !== "inviting" && willBeBack(game);
  if (does === "endPause") return !game.paused_until || now < game.paused_until;
  return !game.seats[seat] || REFUSED[does](command, game, game.seats[seat], now, last);
}

function refuseCreate({seats, options, host, clock}, game) {
  const isNamed = [options.start_seat, host].every((seat) => seat === null || seat < seats.length);
  return game.phase !== "new" || new Set(seats).size < seats.length || !isNamed || (clock !== null && !isZone(clock.zone));
}

const willBeBack = (game) => humans(game).length > 0 || game.players.some((seat) => game.seats[seat].time.absence);
const refuseAnswer = (game, {answer}) => game.phase !== "inviting" || answer === "uninvited" || answer === "expired";
const refuseHost = (game, seat) => seat !== game.host || game.phase !== "inviting";
const isOutside = ({gone, answer}) => gone || (answer !== "invited" && answer !== "joined");

function refuseVoter(game, seat, {gone, computer}) {
  return game.phase === "inviting" || !game.players.includes(seat) || gone || computer;
}

function refuseTimed({turn}, {time: {deadline}}) {
  return deadline === null || deadline.turn !== turn;
}

const REFUSED = {
  play: ({seat, card}, game, {placed, hand}) =>
    !game.players.includes(seat) || game.phase !== "placing" || (card !== placed && !hand.includes(card)),
  pass: ({seat}, game) => game.to_move !== seat,
  bid: ({seat, amount}, game, {mice}) =>
    game.to_move !== seat || amount <= game.high_bid || amount > mice || (amount > 1 && game.bidders.length === 1),
  join: (_, game, state) => refuseAnswer(game, state) || state.answer === "joined",
  decline: ({seat}, game, state) => refuseAnswer(game, state) || seat === game.host,
  expire: (_, game, {answer}) => game.phase !== "inviting" || answer !== "invited",
  start({seat}, game) {
    const joined = answered(game, "joined");
    return refuseHost(game, seat) || joined.length < FEWEST || !joined.includes(seat);
  },
  nameHost: ({seat, to}, game) =>
    seat !== game.host || !(game.phase === "inviting" ? answered(game, "joined") : humans(game)).includes(to),
  uninvite: ({seat, whom}, game) =>
    refuseHost(game, seat) || whom === game.host || !answered(game, "invited", "joined").includes(whom),
  cancel: ({seat}, game) => refuseHost(game, seat),
  leave: ({seat, for_good}, game, state) =>
    isOutside(state) || (for_good && seat === game.host && (game.phase === "inviting" || heirs(game).length > 0)),
  comeBack: (_, game, state) => isOutside(state),
  say: (_, game, state) => isOutside(state),
  substitute: ({seat, player_id}, game, {computer, time}) =>
    game.phase === "inviting" || !game.players.includes(seat) || !computer || Boolean(time.absence?.began) ||
    game.seats.some((state) => state.player_id === player_id) ||
    game.former.some(([there, who]) => who === player_id && there !== seat),
  vote: ({seat, on}, game, state) =>
    refuseVoter(game, seat, state) || (on === "pause" && (game.clock === null || game.paused_until !== "")) ||
    (on[4] === " " && !disputeOf(game, +on[5])),
  resume: ({seat}, game, state) => refuseVoter(game, seat, state) || !(game.paused_until || hasVoted(game, seat)),
  dispute: ({seat, turn, what}, game, {gone, moves}) =>
    gone || Boolean(disputeOf(game, seat)) || moves[turn] !== what || game.disputes.length > 1,
  withdraw: ({seat}, game) => !disputeOf(game, seat),
  stand: ({seat, whom}, game) => seat !== game.host || seat === whom || !disputeOf(game, whom),
  lapse: ({seat}, game, _, now) => !(disputeOf(game, seat)?.lapses <= now),
  recall: (_, game, {gone, answer, time}) => gone || answer !== "joined" || time.absence === null,
  absent({start, back}, game, {gone, answer, time}, now) {
    if (gone || answer !== "joined" || back <= latest(now, start) || start > later(now, YEAR)) return true;
    const longest = game.clock?.away ?? LONGEST_ABSENCE;
    return secondsBetween(latest(now, start), back) > longest - awaySpent(time, now);
  },
  timeOut(command, game, state, now, last) {
    if (game.clock !== null) return refuseTimed(command, state) || now < state.time.deadline.at;
    // Without a clock, time is up if nothing at all has happened for long, and the player is not away.
    const {turn, time: {absence}} = state;
    const isAway = absence !== null && absence.start <= now && now < absence.back;
    if (game.phase === "inviting" || !awaited(game).includes(command.seat) || turn !== command.turn || isAway) return true;
    return !last || now < later(last, SILENCE);
  },
  extend: (command, game, state) => refuseTimed(command, state),
  endAbsence: (_, game, {time: {absence}}, now) => absence === null || now < absence.back,
  beginAbsence: (_, game, {time}, now) => game.phase === "inviting" || !isDue(time, now),
};

// ---- causes -------------------------------------------------------------------------------------------

export const CLOCK_COMMANDS = ["timeOut", "extend", "beginAbsence", "endAbsence", "endPause", "lapse", "expire", "close"];

// The command that a step answers which begins with this event; null if none begins so.
export function causeOf({type, data}, game, events) {
  const [does, values] = CAUSES[type]?.(data, game, events) ?? [null];
  return does && {does, seat: data.seat, ...values};
}

const CAUSES = {
  game_created(data, game, events) {
    const host = events[1]?.type === "host_named" ? events[1].data.seat : null;
    const clock = events[host === null ? 1 : 2];
    return ["create", {...data, host, clock: clock?.type === "clock_set" ? clock.data.terms : null}];
  },
  host_named: ({seat}, game) => ["nameHost", {seat: game.host, to: seat}],
  player_joined: ({contribution}) => ["join", {contribution}],
  player_declined: ({seat}, game) => (seat === game.host ? ["leave", {for_good: false}] : ["decline"]),
  player_uninvited: ({seat}, game) => ["uninvite", {seat: game.host, whom: seat}],
  invitation_expired: () => ["expire"],
  game_started: (_, game) => ["start", {seat: game.host}],
  game_abandoned: ({reason}, game) =>
    reason === "expired" || reason === "deserted" ? ["close"] : ["cancel", {seat: game.host}],
  seat_handed_over: ({to, for_good}) => (to === "player" ? ["comeBack"] : ["leave", {for_good}]),
  player_said: ({text_hash}) => ["say", {text_hash}],
  card_placed: ({card}) => ["play", {card}],
  bid_placed: ({amount}) => ["bid", {amount}],
  player_passed: () => ["pass"],
  deadline_set({seat, turn, at}, game) {
    // By how many seconds that count it was moved; earlier, or by years, no command moves it.
    const deadline = game.seats[seat]?.time.deadline;
    const seconds = deadline ? secondsBetween(deadline.at, at) : 0;
    if (seconds <= 0 || seconds >= YEAR) return null;
    return ["extend", {turn, seconds: calendarOf(game, seat).elapsed(timeOf(deadline.at), timeOf(at)) / SECOND}];
  },
  turn_timed_out: ({turn}) => ["timeOut", {turn}],
  absence_declared: ({start, back, computer}) => ["absent", {start, back, computer}],
  absence_began: () => ["beginAbsence"],
  absence_ended: ({early}) => [early ? "recall" : "endAbsence"],
  seat_taken: ({player_id}) => ["substitute", {player_id}],
  vote_cast: ({on}) => ["vote", {on}],
  votes_withdrawn: () => ["resume"],
  server_restored: () => ["restore"],
  game_resumed: ({seat}) => [seat === null ? "endPause" : "resume"],
  dispute_raised: ({turn, what}) => ["dispute", {turn, what}],
  dispute_settled: ({seat, how}, game) =>
    how === "stands" ? ["stand", {seat: game.host, whom: seat}] : [how === "expired" ? "lapse" : "withdraw"],
};
