// What everybody could count along: mice and cats after each version, how each round went, who was called what.
// And what these eyes are told.

import {START_MICE} from "./fold.mjs";

// The events of a log, as far as they can be read: what is wrong with them is for the panel to say.
export function eventsIn(log) {
  const events = [];
  for (const line of log.split("\n").slice(1)) {
    let event;
    try {
      event = JSON.parse(line);
    } catch {
      break;
    }
    // While a game runs its file tells of events instead of holding them.
    const version = event.told ?? event.version;
    if (version !== events.length + 1) break;
    events.push({...event, version, hidden: Boolean(event.type) && !event.data});
  }
  return events;
}

export function namesAt(data, version) {
  const names = [...data.names];
  for (const [until, seat, name] of [...data.former].sort((a, b) => b[0] - a[0])) {
    if (version < until) names[seat] = name;
  }
  return names;
}

const points = (cards) => cards.reduce((sum, card) => sum + (typeof card === "number" ? card : 0), 0);

// By version, from 0: for each seat its mice and the points of its cats.
export function pursesOf(events, seats) {
  let purses = Array.from({length: seats}, () => ({mice: START_MICE, cats: 0}));
  const all = [purses];
  for (const {type, data} of events) {
    if (data && (type === "player_passed" || type === "sack_sold")) {
      purses = [...purses];
      const {mice, cats} = purses[data.seat];
      purses[data.seat] = type === "player_passed"
        ? {mice: mice + data.mice, cats}
        : {mice: mice - data.price, cats: cats + points(data.prize)};
    }
    all.push(purses);
  }
  return all;
}

// Of each round: `began`, and once it is over `ended` and, if the sack was sold, `sale` and `profit`.
export function roundsIn(events) {
  const rounds = [];
  for (const {type, data, version} of events) {
    const round = rounds[rounds.length - 1];
    if (type === "round_started") rounds.push({round: data.round, began: version, steps: []});
    else if (type === "sack_sold") {
      Object.assign(round, {ended: version, sale: data, profit: points(data.prize) - data.price});
    } else if (type === "sack_discarded") round.ended = version;
    else if (type === "bid_placed" || type === "player_passed" || (type === "cards_turned" && round)) {
      round.steps.push({type, version, ...data});
    }
  }
  return rounds;
}

export const roundAt = (rounds, version) => rounds.filter((round) => round.began <= version).pop();

// When which seats were waited for: [seat, from, until], in milliseconds; until the last version that was seen.
export function waits(events, asked, seen) {
  const spans = [], open = new Map();
  for (const event of events.slice(0, seen)) {
    const at = Date.parse(event.at), now = event.version === seen ? [] : asked(event.version);
    for (const [seat, from] of open) {
      if (!now.includes(seat)) {
        spans.push([seat, from, at]);
        open.delete(seat);
      }
    }
    for (const seat of now) if (!open.has(seat)) open.set(seat, at);
  }
  return spans;
}

// A beat to these eyes: `text` is what it says to those of the page, `open` to everybody. `told` has by seat what is
// for that one, as its place among the texts, or null if that is all of it.
export const textFor = ({viewer, texts}, {text, open, told}, eyes) =>
  eyes === viewer ? text : told?.[eyes] === undefined ? open : texts[told[eyes]] ?? text;

// The same of an event inside a beat: a seat is told all of its own.
export function stepFor(data, {version, data: of}, eyes) {
  const [text = "", open = text] = (data.inside[version] ?? []).map((index) => data.texts[index]);
  return textFor(data, {text, open, told: {[of?.seat]: null}}, eyes);
}
