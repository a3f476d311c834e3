// The state of a game after each of its events, as felix_async/game/folding.py makes it. It checks nothing.

import {later} from "./times.mjs";

export const ROUNDS = 9;
export const LONGEST_STOP = 48 * 3600;
export const START_MICE = 15;
const MATERIAL = {3: [[3, 6], 21], 4: [[2, 4, 6], 27], 5: [[2, 3, 4, 6], 33]};

// The mice for the mouse cards, lowest first.
export const mouseCards = (game) => MATERIAL[game.players.length][0];

const NO_TIME = {deadline: null, reserve: 0, missed: 0, defaulted: false, absence: null, away_spent: 0};
const EMPTY = {
  version: 0, phase: "new", ruleset: "felicity-2017", options: {}, commitment: "", seats: [], players: [], host: null,
  dummy: [], dummy_boxed: null, round: 0, start_seat: 0, bank: 0, mice_on_cards: [], taken: 0, turned: [], high_bid: 0,
  to_move: null, bidders: [], fill_next: true, box: [], scores: [], winners: [], seed: null, reason: "", clock: null,
  paused_until: "", votes: [], former: [], disputes: [], still: null, stopped: 0,
};
const SEAT = {
  answer: "", contribution: null, hand: [], boxed: null, mice: START_MICE, won: [], placed: null, has_placed: false,
  bid: 0, passed: false, turn: 0, computer: false, gone: false, time: NO_TIME, moves: {},
};

const copied = (state) => JSON.parse(JSON.stringify(state));
export const newGame = () => copied(EMPTY);

// states[v] is the state after version v; they end where an event cannot be followed.
export function fold(events) {
  const states = [newGame()];
  for (const event of events) {
    const game = copied(states.at(-1));
    try {
      apply(game, event);
    } catch {
      break;
    }
    states.push(game);
  }
  return states;
}

export function apply(game, {type, data, hidden, seat}) {
  // Of a hidden event what it does in the open.
  const known = hidden ? {seat, card: null, boxed: null, cards: [], pile: []} : data;
  FOLD[type](game, known, game.seats[known.seat]);
  game.version++;
}

// ---- what follows from a state --------------------------------------------------------------------

export const isOver = (game) => game.phase === "ended" || game.phase === "abandoned";
export const answered = (game, ...answers) => seatsWhere(game, (state) => answers.includes(state.answer));
export const humans = (game) => game.players.filter((seat) => !game.seats[seat].computer);
const seatsWhere = (game, is) => game.seats.flatMap((state, seat) => (is(state) ? [seat] : []));

// The seats that are waited for.
export function asked(game) {
  if (game.phase === "inviting") return answered(game, "invited");
  if (game.phase === "placing" && game.round < ROUNDS) return game.players.filter((seat) => !game.seats[seat].has_placed);
  return game.to_move === null ? [] : [game.to_move];
}

// Whether the rules pass for this seat when its turn comes: it has too few mice to bid.
export const mustPass = (game, seat) =>
  game.options.forced_pass && game.phase === "bidding" && game.bidders.includes(seat) &&
  game.seats[seat].mice <= game.high_bid;

export function clockwise(game, start) {
  const place = game.players.indexOf(start);
  return [...game.players.slice(place), ...game.players.slice(0, place)];
}

// The owners of the cards in the row; null is the dummy.
export const owners = (game) => [...(game.players.length === 3 ? [null] : []), ...clockwise(game, game.start_seat)];

// ---- one function for each event: the game, the event's data, the seat that it names -----------------

const FOLD = {
  game_created(game, {ruleset, options, commitment, seats}) {
    Object.assign(game, {phase: "inviting", ruleset, options, commitment});
    game.seats = seats.map((player_id) => copied({player_id, ...SEAT}));
    seatPlayers(game, [...seats.keys()]);
  },
  host_named: (game, {seat}) => (game.host = seat),
  clock_set(game, {terms}) {
    game.clock = terms;
    for (const state of game.seats) state.time.reserve = terms.reserve;
  },
  player_invited: (game, _, state) => (state.answer = "invited"),
  player_joined: (game, {contribution}, state) => Object.assign(state, {answer: "joined", contribution}),
  player_declined: (game, _, state) => (state.answer = "declined"),
  player_uninvited: (game, _, state) => (state.answer = "uninvited"),
  invitation_expired: (game, _, state) => (state.answer = "expired"),
  game_started(game, {start_seat}) {
    Object.assign(game, {phase: "between", start_seat});
    for (const state of game.seats) {
      if (state.answer === "invited") state.answer = "uninvited";
      // The material is that of those who play, and so is the time.
      if (state.answer !== "joined") Object.assign(state, {mice: 0, time: copied(NO_TIME)});
    }
    seatPlayers(game, answered(game, "joined"));
  },
  hand_dealt: (game, {cards, boxed}, state) => Object.assign(state, {hand: [...cards], boxed}),
  dummy_dealt: (game, {pile, boxed}) => Object.assign(game, {dummy: [...pile], dummy_boxed: boxed}),
  round_started(game, {round, start_seat, mice_on_cards, bank}) {
    Object.assign(game, {phase: "placing", round, start_seat, mice_on_cards, bank, taken: 0, high_bid: 0, to_move: null});
    Object.assign(game, {bidders: game.players, fill_next: true});
    for (const state of game.players.map((seat) => game.seats[seat]))
      Object.assign(state, {bid: 0, passed: false, turn: state.turn + (round === ROUNDS ? 0 : 1)});
  },
  card_placed(game, {card}, state) {
    if (state.placed !== null) state.hand.push(state.placed);
    without(state.hand, card);
    Object.assign(state, {placed: card, has_placed: true});
    if (game.round !== ROUNDS) decided(state, "card"); // the last card is placed by the rules
  },
  cards_turned(game, {cards}) {
    game.turned.push(...cards);
    if (game.phase !== "placing") return;
    game.phase = "bidding";
    ask(game, game.start_seat);
  },
  bid_placed(game, {seat, amount}, state) {
    state.bid = game.high_bid = amount;
    decided(state, "bid");
    askNext(game, seat);
  },
  player_passed(game, {seat, mice}, state) {
    if (!mustPass(game, seat)) decided(state, "pass");
    Object.assign(state, {passed: true, bid: 0, mice: state.mice + mice});
    game.bidders = game.bidders.filter((bidder) => bidder !== seat);
    game.taken++;
    askNext(game, seat);
  },
  sack_sold(game, {seat, price, prize}, state) {
    state.mice -= price;
    state.won.push(...prize);
    game.bank += price;
    game.start_seat = seat;
    clearRow(game, prize);
  },
  sack_discarded(game) {
    game.fill_next = false;
    clearRow(game, []);
  },
  seat_handed_over(game, {seat, to, for_good}, state) {
    Object.assign(state, {computer: to === "computer", gone: for_good});
    if (state.computer) {
      state.time.deadline = null;
      game.votes = game.votes.filter(([, voter]) => voter !== seat);
    } else {
      state.time.missed = 0;
      if (state.time.absence) state.time.absence.covering = false;
    }
  },
  seat_taken(game, {seat, player_id}, state) {
    game.former.push([seat, state.player_id]);
    const time = {...NO_TIME, reserve: game.clock?.reserve ?? 0};
    Object.assign(state, {player_id, computer: false, gone: false, time, moves: {}});
  },
  deadline_set: (game, {turn, reserve_from, at}, state) => (state.time.deadline = {turn, reserve_from, at}),
  reserve_spent: (game, {left}, state) => (state.time.reserve = left),
  turn_timed_out: (game, {in_a_row}, state) =>
    Object.assign(state.time, {deadline: null, missed: in_a_row, defaulted: true}),
  absence_declared(game, {start, back, computer, spent}, {time}) {
    time.absence = {start, back, computer, began: false, covering: time.absence?.covering ?? false};
    time.away_spent = spent;
  },
  absence_began(game, _, {time: {absence}, computer}) {
    if (absence) Object.assign(absence, {began: true, covering: absence.covering || !computer});
  },
  absence_ended: (game, {spent}, state) => Object.assign(state.time, {absence: null, away_spent: spent}),
  player_said() {},
  server_restored() {},
  vote_cast(game, {seat, on}) {
    if (!hasVoted(game, seat, on)) game.votes.push([on, seat]);
  },
  votes_withdrawn: (game, {seat}) => (game.votes = game.votes.filter(([, voter]) => voter !== seat)),
  game_paused(game, {until}) {
    Object.assign(game, {paused_until: until, votes: []});
    for (const state of game.seats) state.time.deadline = null;
  },
  game_resumed: (game) => (game.paused_until = ""),
  dispute_raised(game, {seat, turn, what, lapses, until, stopped}, {moves}) {
    delete moves[turn];
    game.disputes.push({seat, turn, what, lapses});
    const left = LONGEST_STOP - stopped;
    Object.assign(game, {stopped, still: until && left ? [later(until, -left), until] : null});
  },
  dispute_settled(game, {seat, stopped}) {
    const disputes = game.disputes.filter((one) => one.seat !== seat);
    const votes = game.votes.filter(([on]) => on !== `seat ${seat}`);
    Object.assign(game, {stopped, disputes, votes, still: disputes.length ? game.still : null});
  },
  game_ended: (game, {scores, winners}) => Object.assign(game, {phase: "ended", scores, winners}),
  game_abandoned: (game, {reason}) => Object.assign(game, {phase: "abandoned", reason, to_move: null}),
  seat_logs_closed() {},
  seed_revealed: (game, {seed}) => (game.seed = seed),
};

// On anything, unless a ballot is named.
export const hasVoted = (game, seat, on = null) =>
  game.votes.some(([what, voter]) => voter === seat && (on === null || what === on));

export function without(cards, card) {
  const place = cards.indexOf(card);
  if (place >= 0) cards.splice(place, 1);
}

// These seats play: the bank and the auction are theirs.
function seatPlayers(game, players) {
  game.players = game.bidders = players;
  if (MATERIAL[players.length]) game.bank = MATERIAL[players.length][1];
}

// The decision is made; unless time ran out for it, the seat has missed none.
function decided({computer, moves, turn, time}, what) {
  if (!computer && !time.defaulted) moves[turn] = what;
  Object.assign(time, {deadline: null, missed: time.defaulted ? time.missed : 0, defaulted: false});
}

function ask(game, seat) {
  game.to_move = seat;
  if (seat !== null) game.seats[seat].turn++;
}

// The next seat clockwise that is still in, unless the auction is decided.
function askNext(game, after) {
  const {bidders} = game;
  const isDecided = !bidders.length || (bidders.length === 1 && game.high_bid);
  ask(game, isDecided ? null : bidders.find((seat) => seat > after) ?? bidders[0]);
}

function clearRow(game, kept) {
  const gone = [...game.turned];
  for (const card of kept) without(gone, card);
  game.box.push(...gone);
  Object.assign(game, {phase: "between", to_move: null, turned: [], dummy: game.dummy.slice(1)});
  for (const state of game.seats) Object.assign(state, {placed: null, has_placed: false});
}
