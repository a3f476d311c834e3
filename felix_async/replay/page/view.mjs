// A game as one viewer may see it: a seat, "spectator" or "all", as felix_async/game/views.py makes it.

import {asked, hasVoted, humans, isOver, mouseCards, owners, ROUNDS} from "./fold.mjs";
import {BALLOTS, CARDS} from "./shapes.mjs";

const OPEN = "ruleset commitment phase round start_seat bank high_bid to_move options scores winners players host " +
  "reason clock paused_until disputes still";

// "all" is for a game that is over.
export function viewOf(game, viewer) {
  if (viewer === "all" && !isOver(game)) throw new Error("a running game has hidden cards");
  const shown = game.seats.map((state, seat) => seat).filter((seat) => viewer === "all" || viewer === seat);
  return {
    ...Object.fromEntries(OPEN.split(" ").map((name) => [name, game[name]])),
    viewer,
    asked: asked(game),
    mouse_cards: game.round
      ? mouseCards(game).map((number, place) => ({number, mice: game.mice_on_cards[place], taken: place < game.taken}))
      : [],
    row: rowOf(game),
    seats: game.seats.map(({answer, has_placed, bid, passed, computer, gone, time}, seat) => (
      {seat, answer, placed: has_placed, bid, passed, computer, gone, time}
    )),
    own: Object.fromEntries(shown.map((seat) => [seat, ownOf(game, seat)])),
    votes: isOver(game) ? [] : BALLOTS.map((on) => voteOn(game, on)).filter(({seats}) => seats.length),
  };
}

export const inOrder = (cards) => [...cards].sort((one, other) => CARDS.indexOf(one) - CARDS.indexOf(other));

// A card only if it was turned, never from what was placed.
function rowOf(game) {
  if (game.phase !== "placing" && game.phase !== "bidding") return [];
  return owners(game).map((owner, place) => (
    {owner, placed: owner === null || game.seats[owner].has_placed, card: game.turned[place] ?? null}
  ));
}

function ownOf(game, seat) {
  const {hand, boxed, placed, mice, won, turn} = game.seats[seat];
  return {seat, hand: inOrder(hand), boxed, placed, mice, won: inOrder(won), turn, choices: choicesOf(game, seat)};
}

function choicesOf(game, seat) {
  const {hand, mice} = game.seats[seat];
  const isPlacing = game.players.includes(seat) && game.phase === "placing" && game.round < ROUNDS;
  const isBidding = game.players.includes(seat) && game.phase === "bidding" && game.to_move === seat;
  const least = game.high_bid + 1;
  const most = game.bidders.length === 1 ? Math.min(mice, 1) : mice;
  const bids = isBidding && least <= most ? [least, most] : null;
  return {plays: isPlacing ? inOrder(hand) : [], bids, may_pass: isBidding};
}

export const voteOn = (game, on) =>
  ({on, seats: humans(game).filter((seat) => hasVoted(game, seat, on)), needed: votesNeeded(game)});

// All but one of those at the table, and at least two; who is absent for a while counts.
function votesNeeded(game) {
  const count = game.players.filter((seat) => !game.seats[seat].computer || game.seats[seat].time.absence?.covering).length;
  return count < 3 ? count : count - 1;
}
