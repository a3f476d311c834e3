// What a command does: the events of its step. As felix_async/game/rules.py has it.

import {answered, apply, clockwise, hasVoted, humans, isOver, LONGEST_STOP, mouseCards, mustPass, owners, ROUNDS, without} from "./fold.mjs";
import {awaited, awaySpent, calendarOf, disputeOf, FEWEST, heirs, isDue, isRefused} from "./rules.mjs";
import {CARDS} from "./shapes.mjs";
import {DAY_SECONDS, later, latest, SECOND, secondsBetween, textOf, timeOf} from "./times.mjs";
import {inOrder, voteOn} from "./view.mjs";

const MISSES = 2;
const LONGEST_PAUSE = 30 * DAY_SECONDS;

// The events of a command, applied to the game, or null if it is refused. The context holds the times `now`
// and `last`, the draws `drawn(label, n)` and `pile()`, the `seed`, and the functions `follows` and `roots`.
export function advance(command, game, context) {
  if (isRefused(command, game, context)) return null;
  const events = [];
  const table = {...context, game, act: (type, data = {}) => (apply(game, {type, data}), events.push({type, data}))};
  const wasInviting = game.phase === "inviting";
  const overruns = overrunsOf(game, context.now);
  STEPS[command.does](table, command, game.seats[command.seat]);
  if (!events.length) return events;
  while (game.to_move !== null && mustPass(game, game.to_move)) pass(table, game.to_move);
  if (wasInviting && game.phase !== "inviting" && !isOver(game))
    for (const seat of game.players) if (isDue(game.seats[seat].time, table.now)) comeIn(table, seat);
  endLeft(table, command);
  countVotes(table);
  updateDeadlines(table, overruns);
  return events;
}

// ---- before the game --------------------------------------------------------------------------------

function giveBack(table, seat) {
  table.act("player_declined", {seat});
  goOnWithout(table, seat, "cancelled");
}

// `hostless` is why the game ends if nobody can host it instead.
function goOnWithout(table, seat, hostless) {
  const {game, act} = table;
  if (seat === game.host) {
    const joined = answered(game, "joined");
    const heir = around(game, seat).find((one) => one !== seat && joined.includes(one));
    if (heir === undefined) return abandon(table, hostless);
    act("host_named", {seat: heir});
  }
  goOnIfEnough(table);
}

function goOnIfEnough(table) {
  const {game} = table;
  if (game.host !== null && answered(game, "invited", "joined").length >= FEWEST) return;
  const missed = answered(game, "expired").length && !answered(game, "declined", "uninvited").length;
  abandon(table, missed ? "expired" : "declined");
}

// All seats, clockwise from one.
const around = ({seats}, from) => seats.map((_, step) => (from + step) % seats.length);

function abandon(table, reason) {
  table.act("game_abandoned", {reason});
  openAll(table);
}

function openAll({game, act, roots, seed}) {
  if (game.options.seat_logs_closed) act("seat_logs_closed", {roots: roots(game.seats.length)});
  act("seed_revealed", {seed});
}

function startGame(table) {
  const {game, act, drawn, pile} = table;
  const joined = answered(game, "joined");
  const named = game.options.start_seat;
  const next = () => around(game, named).find((seat) => joined.includes(seat));
  act("game_started", {start_seat: named === null ? joined[drawn("start", joined.length)] : next()});
  for (const seat of joined) {
    const boxed = CARDS[drawn(`box/${seat}`, CARDS.length)];
    act("hand_dealt", {seat, cards: CARDS.filter((card) => card !== boxed), boxed});
  }
  if (joined.length === FEWEST) {
    const cards = pile();
    act("dummy_dealt", {pile: cards.slice(0, -1), boxed: cards.at(-1)});
  }
  startRound(table);
}

// ---- nine rounds --------------------------------------------------------------------------------------

function startRound({game, act}) {
  const cards = mouseCards(game);
  const filling = cards.reduce((sum, mice) => sum + mice);
  const isFilled = game.fill_next && game.bank >= filling;
  act("round_started", {
    round: game.round + 1,
    start_seat: game.start_seat,
    mice_on_cards: isFilled ? cards : cards.map(() => 0),
    bank: isFilled ? game.bank - filling : game.bank,
  });
  if (game.round < ROUNDS) return;
  for (const seat of clockwise(game, game.start_seat)) act("card_placed", {seat, card: game.seats[seat].hand[0]});
  act("cards_turned", {cards: nextCards(game, 1)});
}

function play({game, act}, seat, card) {
  if (game.seats[seat].placed === card) return;
  act("card_placed", {seat, card});
  if (game.players.every((one) => game.seats[one].has_placed)) act("cards_turned", {cards: nextCards(game, 1)});
}

function pass(table, seat) {
  const {game, act} = table;
  const isLast = game.bidders.length === 1;
  act("player_passed", {seat, mice: isLast ? 0 : game.mice_on_cards[game.taken]});
  if (isLast) {
    act("sack_discarded");
    return nextRound(table);
  }
  const isOne = game.bidders.length === 1;
  act("cards_turned", {cards: nextCards(game, isOne ? owners(game).length - game.turned.length : 1)});
  if (isOne && game.high_bid) sell(table, game.bidders[0]);
}

function sell(table, seat) {
  const {game, act} = table;
  act("sack_sold", {seat, price: game.high_bid, ...sackOf(game)});
  nextRound(table);
}

// One dog chases one cat, and both leave; two or more chase nothing and leave.
function sackOf({turned, ruleset}) {
  const prize = turned.filter((card) => typeof card === "number");
  const dogs = turned.filter((card) => typeof card !== "number");
  const chased = dogs.length === 1 ? chasedBy(dogs[0], prize.filter(Boolean), ruleset) : null;
  if (chased !== null) without(prize, chased);
  return {chased, prize};
}

function chasedBy(dog, cats, ruleset) {
  const good = cats.filter((cat) => cat > 0);
  const bad = cats.filter((cat) => cat < 0);
  if (!cats.length) return null;
  if (dog === "small_dog") return Math.min(...(bad.length ? bad : good));
  if (good.length) return Math.max(...good);
  return ruleset === "felicity-2017" ? Math.max(...bad) : Math.min(...bad);
}

export const catPoints = (cards) => cards.reduce((sum, card) => sum + (typeof card === "number" ? card : 0), 0);

function nextRound(table) {
  const {game, act} = table;
  if (game.round < ROUNDS) return startRound(table);
  const scores = game.seats.map(({won, mice}, seat) =>
    game.players.includes(seat) ? {cats: catPoints(won), mice, total: catPoints(won) + mice} : null);
  act("game_ended", {scores, winners: winnersOf(scores)});
  openAll(table);
}

// The highest total; of these, the most points in cats; a tie is shared.
export function winnersOf(scores) {
  const best = scores.filter(Boolean).reduce((one, other) =>
    other.total > one.total || (other.total === one.total && other.cats > one.cats) ? other : one);
  return [...scores.keys()].filter((seat) => scores[seat]?.total === best.total && scores[seat].cats === best.cats);
}

function nextCards(game, count) {
  const row = owners(game).map((owner) => (owner === null ? game.dummy[0] : game.seats[owner].placed));
  return row.slice(game.turned.length, game.turned.length + count);
}

// ---- presence and votes -------------------------------------------------------------------------------

function handOver({game, act}, seat, for_good) {
  act("seat_handed_over", {seat, to: "computer", for_good});
  const [heir] = heirs(game);
  if (seat === game.host && heir !== undefined) act("host_named", {seat: heir});
}

function takeBack(table, seat) {
  table.act("seat_handed_over", {seat, to: "player", for_good: false});
  hostIfNone(table, seat);
}

function hostIfNone({game, act}, seat) {
  if (game.host !== null && !humans(game).includes(game.host)) act("host_named", {seat});
}

function endEarly({game, act, now}, seat, time = game.seats[seat].time) {
  act("absence_ended", {seat, early: true, spent: awaySpent(time, now)});
}

function countVotes(table) {
  const {game, act, now} = table;
  const isCarried = (on) => {
    const {seats, needed} = voteOn(game, on);
    return !isOver(game) && seats.length >= Math.max(needed, 1);
  };
  const lost = game.disputes.find(({seat}) => isCarried(`seat ${seat}`))?.seat;
  if (isCarried("abandon")) abandon(table, "voted");
  else if (lost >= 0) {
    STEPS.leave(table, {seat: lost, for_good: true}, game.seats[lost]);
    if (isOver(game)) return;
    settle(table, lost, "handed_over");
    countVotes(table);
  } else if (isCarried("pause")) act("game_paused", {until: later(now, LONGEST_PAUSE)});
}

// ---- time ---------------------------------------------------------------------------------------------

// The seconds of reserve that are gone, of those whose move time is over.
function overrunsOf(game, now) {
  if (game.clock === null) return [];
  return game.seats.flatMap(({time}, seat) => {
    if (time.deadline === null || time.deadline.reserve_from >= now) return [];
    const over = Number(calendarOf(game, seat).elapsed(timeOf(time.deadline.reserve_from), timeOf(now)) / SECOND);
    return Math.min(over, time.reserve) ? [[seat, Math.min(over, time.reserve)]] : [];
  });
}

// A step after which somebody moves at once sets none: the clock runs where the table rests.
function updateDeadlines({game, act, now, follows}, overruns) {
  if (game.clock === null || isOver(game)) return;
  for (const [seat, seconds] of overruns) {
    const {deadline, reserve} = game.seats[seat].time;
    if (deadline === null) act("reserve_spent", {seat, seconds, left: reserve - seconds});
  }
  if (game.paused_until || game.phase === "inviting" || follows(game)) return;
  for (const seat of awaited(game)) {
    const {time, turn} = game.seats[seat];
    if (time.deadline !== null) continue;
    const calendar = calendarOf(game, seat);
    const from = calendar.due(timeOf(now), game.clock.move);
    act("deadline_set", {seat, turn, reserve_from: textOf(from), at: textOf(calendar.due(from, time.reserve))});
  }
}

function comeIn(table, seat) {
  table.act("absence_began", {seat});
  if (!table.game.seats[seat].computer) handOver(table, seat, false);
}

// The decision that is before a seat gets what was left of its time, by the calendar as it is now.
function dueAnew({game, act, now: nowText}, seat, before) {
  const {deadline, reserve} = game.seats[seat].time;
  if (deadline === null) return;
  const now = timeOf(nowText), after = calendarOf(game, seat);
  let from = timeOf(deadline.reserve_from), at = timeOf(deadline.at);
  if (now < from) {
    from = after.advance(now, before.elapsed(now, from));
    at = after.advance(from, BigInt(reserve) * SECOND);
  } else {
    from = after.rewind(now, before.elapsed(from, now));
    at = after.advance(now, before.elapsed(now, at));
  }
  const due = {seat, turn: deadline.turn, reserve_from: textOf(from), at: textOf(at)};
  if (due.reserve_from !== deadline.reserve_from || due.at !== deadline.at) act("deadline_set", due);
}

function endAbsence(table, seat, early) {
  const {game, act, now} = table;
  const {time} = game.seats[seat];
  const before = calendarOf(game, seat);
  const isCovered = time.absence.covering;
  act("absence_ended", {seat, early, spent: awaySpent(time, now)});
  if (isCovered) takeBack(table, seat);
  dueAnew(table, seat, before);
}

function allDueAnew(table, type, data) {
  const {game, act} = table, {still} = game;
  const before = game.seats.map((_, seat) => calendarOf(game, seat));
  act(type, data);
  if (String(still) !== String(game.still)) before.forEach((calendar, seat) => dueAnew(table, seat, calendar));
}

function settle(table, seat, how) {
  const {game: {disputes, still}, now} = table;
  const {turn, what} = disputeOf(table.game, seat);
  const spent = still && disputes.length === 1 ? secondsBetween(still[0], now < still[1] ? now : still[1]) : 0;
  allDueAnew(table, "dispute_settled", {seat, turn, what, how, stopped: table.game.stopped + spent});
}

// Who has left for good, or has a substitute in the seat, denies no move any more.
function endLeft(table, {does, seat: taken}) {
  for (const {seat} of isOver(table.game) ? [] : table.game.disputes)
    if (table.game.seats[seat].gone || (does === "substitute" && seat === taken)) settle(table, seat, "withdrawn");
}

// ---- one function for each command: the table, the command, the state of its seat --------------------

const STEPS = {
  create({act}, {ruleset, seats, options, commitment, host, clock}) {
    act("game_created", {ruleset, seats, options, commitment});
    if (host !== null) act("host_named", {seat: host});
    if (clock !== null) act("clock_set", {terms: clock});
    for (const seat of seats.keys()) act("player_invited", {seat});
  },
  join(table, {seat, contribution}) {
    table.act("player_joined", {seat, contribution});
    if (table.game.seats.every(({answer}) => answer === "joined")) startGame(table);
  },
  decline: (table, {seat}, {answer}) => answer !== "declined" && giveBack(table, seat),
  uninvite(table, {whom}) {
    table.act("player_uninvited", {seat: whom});
    goOnIfEnough(table);
  },
  expire(table, {seat}) {
    table.act("invitation_expired", {seat});
    goOnWithout(table, seat, "expired");
  },
  nameHost: ({game, act}, {to}) => to !== game.host && act("host_named", {seat: to}),
  cancel: (table) => abandon(table, "cancelled"),
  close: (table) => abandon(table, table.game.phase === "inviting" ? "expired" : "deserted"),
  start: startGame,
  play: (table, {seat, card}) => play(table, seat, card),
  bid(table, {seat, amount}) {
    table.act("bid_placed", {seat, amount});
    if (table.game.bidders.length === 1 && table.game.bidders[0] === seat) sell(table, seat);
  },
  pass: (table, {seat}) => pass(table, seat),
  leave(table, {seat, for_good}, {computer, time}) {
    if (table.game.phase === "inviting") return giveBack(table, seat);
    const isAway = time.absence !== null;
    if (computer && !for_good && !isAway) return;
    handOver(table, seat, for_good);
    if (isAway) endEarly(table, seat);
    if (table.game.players.every((one) => table.game.seats[one].gone)) abandon(table, "left");
  },
  comeBack(table, {seat}, {computer, time}) {
    if (!computer) return;
    const isAway = time.absence?.began;
    takeBack(table, seat);
    if (isAway) endEarly(table, seat);
  },
  substitute(table, {seat, player_id}) {
    table.act("seat_taken", {seat, player_id});
    hostIfNone(table, seat);
  },
  say: ({act}, {seat, text_hash}) => act("player_said", {seat, text_hash}),
  restore: ({act}) => act("server_restored", {}),
  vote: ({game, act}, {seat, on}) => !hasVoted(game, seat, on) && act("vote_cast", {seat, on}),
  resume: ({game, act}, {seat}) => act(game.paused_until ? "game_resumed" : "votes_withdrawn", {seat}),
  absent(table, {seat, start: from, back, computer}, {time}) {
    const {game, act, now} = table;
    const begins = latest(from, now);
    const before = calendarOf(game, seat);
    const isCovered = time.absence?.covering;
    act("absence_declared", {seat, start: begins, back, computer, spent: awaySpent(time, now)});
    if (computer && begins <= now && game.phase !== "inviting") comeIn(table, seat);
    else if (isCovered) takeBack(table, seat);
    dueAnew(table, seat, before);
  },
  recall: (table, {seat}) => endAbsence(table, seat, true),
  endAbsence: (table, {seat}) => endAbsence(table, seat, false),
  beginAbsence: (table, {seat}) => comeIn(table, seat),
  timeOut(table, {seat, turn}, {time}) {
    const {game, act, drawn} = table;
    act("turn_timed_out", {seat, turn, in_a_row: time.missed + 1});
    if (time.missed >= MISSES) handOver(table, seat, false);
    if (game.phase !== "placing") return pass(table, seat);
    const hand = inOrder(game.seats[seat].hand);
    play(table, seat, hand[drawn(`timeout/${game.round}/${seat}`, hand.length)]);
  },
  extend({game, act}, {seat, turn, seconds}, {time: {deadline}}) {
    const moved = (at) => textOf(calendarOf(game, seat).advance(timeOf(at), seconds * SECOND));
    if (seconds) act("deadline_set", {seat, turn, reserve_from: moved(deadline.reserve_from), at: moved(deadline.at)});
  },
  dispute(table, {seat, turn, what}) {
    const {game: {clock, paused_until, still, stopped}, now} = table;
    const isStopped = clock && !paused_until && stopped < LONGEST_STOP;
    const until = still ? still[1] : isStopped ? later(now, LONGEST_STOP - stopped) : null;
    const raised = {seat, turn, what, lapses: later(now, 7 * DAY_SECONDS), until, stopped};
    allDueAnew(table, "dispute_raised", raised);
  },
  withdraw: (table, {seat}) => settle(table, seat, "withdrawn"),
  stand: (table, {whom}) => settle(table, whom, "stands"),
  lapse: (table, {seat}) => settle(table, seat, "expired"),
  endPause: ({act}) => act("game_resumed", {seat: null}),
};
