// The pictures beside the table: the strip of rounds, the points, an auction as a staircase, the days.

import {el, filled, gained, signed} from "./dom.mjs";
import {ROUNDS} from "./fold.mjs";
import {roundAt} from "./told.mjs";

const at = (number) => number.toFixed(1);

// A button a round; only rounds that were seen to their end say how they went.
// Until all was seen none says that it never came.
export function stripDrawn({words, rounds, furthest, size, isRunning, best, version, namesAt}) {
  const unseen = furthest === size && !isRunning ? words.unplayed : words.unseen;
  const now = roundAt(rounds, version);
  return Array.from({length: ROUNDS}, (_, index) => {
    const round = rounds[index], seen = round?.ended <= furthest, sale = seen && round.sale;
    const who = sale && namesAt(round.ended)[sale.seat];
    const sold = sale ? filled(words.round_sold, {who, mice: sale.price, net: gained(round.profit)})
      : seen ? words.unsold : unseen;
    const isBest = seen && best.some((at) => round?.began < at && at <= round.ended);
    const text = isBest ? `${sold}, ${words.best}` : sold;
    const look = !sale ? "" : round.profit > 0 ? "good" : round.profit < 0 ? "bad" : "even";
    return el("button", {type: "button", "data-goal": `r${index + 1}`, class: look, disabled: !round && furthest === size,
      "aria-current": round && round === now ? "step" : null,
      "aria-label": `${filled(words.round, {round: index + 1})}: ${text}`, title: text},
      el("b", {}, `${index + 1}${isBest ? "★" : ""}`), el("span", {}, sale ? gained(round.profit) : seen ? "–" : "·"),
      el("span", {class: "deal"}, sale ? `${who} ${sale.price}` : "\u00a0"));
  });
}

// Points (a line) and mice (dots) after each round that was seen.
export function chartDrawn({words, rounds, furthest, version, pursesAt, players, names}) {
  const ends = [0, ...rounds.filter((round) => round.ended <= furthest).map((round) => round.ended)];
  const lines = players.map((seat) => ends.map((end) => pursesAt[end][seat]));
  const all = lines.flat().flatMap(({mice, cats}) => [mice, mice + cats]);
  const least = Math.min(0, ...all), most = Math.max(20, ...all), wide = 320, high = 150;
  const x = (round) => 22 + (round * (wide - 94)) / ROUNDS, y = (value) => 8 + ((most - value) * (high - 26)) / (most - least);
  const path = (values) => values.map((value, round) => `${at(x(round))},${at(y(value))}`).join(" ");
  const marks = [0, Math.round(most / 10) * 5, most].map((value) => [
    el("line", {class: "grid", x1: 22, x2: x(ROUNDS), y1: at(y(value)), y2: at(y(value))}),
    el("text", {x: 18, y: at(y(value) + 4), class: "axis end"}, String(value))]);
  const numbers = Array.from({length: ROUNDS}, (_, round) =>
    el("text", {x: at(x(round + 1)), y: high - 3, class: "axis mid"}, String(round + 1)));
  const here = x(rounds.filter((round) => round.ended <= version).length);
  // Names stand beside the ends of the lines, as near to them as each finds room.
  const places = lines.map((line) => y(line.at(-1).mice + line.at(-1).cats));
  const order = [...places.keys()].sort((one, other) => places[one] - places[other]);
  let edge = 0;
  for (const index of order) edge = (places[index] = Math.max(edge, places[index])) + 12;
  edge = high - 18;
  for (const index of order.reverse()) edge = (places[index] = Math.min(edge, places[index])) - 12;
  const drawn = players.map((seat, index) => {
    const totals = lines[index].map(({mice, cats}) => mice + cats), last = totals.length - 1;
    return el("g", {class: `s${seat}`},
      el("polyline", {class: "dotted", points: path(lines[index].map(({mice}) => mice))}),
      el("polyline", {points: path(totals)}),
      el("circle", {cx: at(x(last)), cy: at(y(totals[last])), r: 3.5}),
      el("text", {x: at(x(last) + 7), y: at(places[index] + 4)}, names[seat]));
  });
  const told = players.map((seat, index) => {
    const {mice, cats} = lines[index][lines[index].length - 1];
    return `${names[seat]} ${signed(mice + cats)}`;
  });
  const label = `${filled(words.chart, {round: ends.length - 1})}: ${told.join(", ")}`;
  return el("svg", {viewBox: `0 0 ${wide} ${high}`, role: "img", "aria-label": label},
    marks, numbers, el("line", {class: "here", x1: at(here), x2: at(here), y1: 4, y2: high - 16}), drawn);
}

// A step for each bid in its player's colour, a cross for each pass; ghosts are limits that were never reached.
export function auctionDrawn({words, round, version, ghosts, names}) {
  const steps = round.steps.filter((step) => step.version <= version);
  const most = Math.max(6, ...steps.map((step) => step.amount ?? 0), ...ghosts.map((ghost) => ghost.limit));
  const wide = Math.max(240, (steps.length + ghosts.length) * 24 + 24), high = 130;
  const y = (mice) => high - 18 - (mice * (high - 36)) / most;
  let top = 0;
  const drawn = steps.map((step, index) => {
    const x = 10 + index * 24;
    if (step.type === "cards_turned") return el("line", {class: "turn", x1: x + 11, x2: x + 11, y1: 4, y2: high - 16});
    if (step.type === "bid_placed") {
      top = step.amount;
      return el("g", {class: `s${step.seat}`}, el("title", {}, `${names[step.seat]}: ${step.amount}`),
        el("rect", {x, y: at(y(top)), width: 22, height: at(high - 18 - y(top)), rx: 3}),
        el("text", {class: "mid", x: x + 11, y: at(y(top) - 4)}, String(top)));
    }
    return el("g", {class: `s${step.seat}`}, el("title", {}, `${names[step.seat]}: ${words.passed}`),
      el("path", {class: "cross", d: `M${x + 6} ${at(y(top) - 10)}l10 10m0 -10l-10 10`}),
      el("text", {class: "mid", x: x + 11, y: high - 4}, gained(step.mice)));
  });
  const ghostly = ghostsTold({words, ghosts, names});
  const drawnGhosts = ghosts.map(({seat, limit}, index) => {
    const x = 10 + (steps.length + index) * 24;
    return el("g", {class: `ghost s${seat}`}, el("title", {}, ghostly[index]),
      el("rect", {x: x + 1, y: at(y(limit)), width: 20, height: at(high - 18 - y(limit)), rx: 3}),
      el("text", {class: "mid", x: x + 11, y: at(y(limit) - 4)}, String(limit)));
  });
  const told = steps.filter((step) => step.type !== "cards_turned")
    .map((step) => `${names[step.seat]} ${step.amount ?? words.passed}`);
  return el("svg", {viewBox: `0 0 ${wide} ${high}`, width: wide * 1.3, height: high * 1.3, role: "img",
    "aria-label": `${words.auction}: ${[...told, ...ghostly].join(", ")}`},
    el("line", {class: "grid", x1: 6, x2: wide - 6, y1: high - 18, y2: high - 18}), drawn, drawnGhosts);
}

export const ghostsTold = ({words, ghosts, names}) =>
  ghosts.map(({seat, limit}) => filled(words.ghost, {who: names[seat], mice: limit}));

const A_DAY = 864e5, A_MINUTE = 6e4;

// A line a seat: when the table waited for it, as far as that was seen; null if nobody waited for anybody else.
export function daysDrawn({words, dates, spans, players, names, until}) {
  const total = (seat) => spans.filter((span) => span[0] === seat).reduce((sum, span) => sum + span[2] - span[1], 0);
  if (players.filter((seat) => total(seat) >= A_MINUTE).length < 2) return null;
  const start = Math.min(...spans.map((span) => span[1])), end = Math.max(until, start + 1);
  const wide = 320, left = 66, right = wide - 8, high = players.length * 16 + 22;
  const x = (time) => left + ((time - start) * (right - left)) / (end - start);
  const whole = (end - start) / A_DAY, by = Math.ceil(whole / 7) || 1;
  const days = [];
  for (let time = Math.ceil(start / A_DAY) * A_DAY; time < end; time += by * A_DAY) days.push(time);
  const day = (time) =>
    filled(dates.short, {number: new Date(time).getUTCDate(), month: dates.months[new Date(time).getUTCMonth()]});
  const told = players.map((seat) => `${names[seat]} ${filled(words.hours, {hours: Math.round(total(seat) / 36e5)})}`);
  return el("svg", {viewBox: `0 0 ${wide} ${high}`, role: "img", "aria-label": `${words.days}: ${told.join(", ")}`},
    days.map((time) => [el("line", {class: "grid", x1: at(x(time)), x2: at(x(time)), y1: 2, y2: high - 16}),
      x(time) < wide - 34 && el("text", {class: "axis", x: at(x(time) + 2), y: high - 4}, day(time))]),
    players.map((seat, line) => el("g", {class: `s${seat}`}, el("title", {}, told[line]),
      el("svg", {y: 2 + line * 16, width: left - 6, height: 16}, el("text", {y: 11}, names[seat])),
      el("line", {class: "grid", x1: left, x2: right, y1: 10 + line * 16, y2: 10 + line * 16}),
      spans.filter((span) => span[0] === seat).map(([, from, to]) =>
        el("rect", {x: at(x(from)), y: 5 + line * 16, width: at(Math.max(1.5, x(to) - x(from))), height: 10, rx: 2})))));
}
