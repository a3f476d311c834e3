// "What would you have bid?": a decision as its seat saw it, and what it and the computer made of it.

import {cardText, el, filled} from "./dom.mjs";

const MOVES = ["bid_placed", "player_passed", "card_placed"];
const ASIDE = ["deadline_set", "reserve_spent", "player_said", "turn_timed_out"];

// The version of the next thing that happens, if it is somebody's choice and may be told; else null.
export function nextDecision({events, data, version}) {
  const next = events.slice(version).find(({type}) => !ASIDE.includes(type));
  return next && MOVES.includes(next.type) && next.data && data.decisions[next.version] ? next.version : null;
}

const moveText = (words, {type, data}) =>
  type === "card_placed" ? cardText(words, data.card)
    : type === "bid_placed" ? filled(words.bid, {mice: data.amount}) : words.pass;

// The answers that one may give, each a button that calls `answer` with its text.
export function answersDrawn({words, names, seat, choices, answer}) {
  const button = (text, label) => {
    const made = el("button", {type: "button"}, label);
    made.addEventListener("click", () => answer(text));
    return made;
  };
  const [least, most] = choices.bids ?? [1, 0];
  const bids = Array.from({length: most - least + 1}, (_, index) => least + index);
  const question = filled(choices.plays.length ? words.which_card : words.which_bid, {who: names[seat]});
  return [
    el("p", {}, question),
    el("div", {class: "answers", role: "group", "aria-label": question},
      choices.may_pass && button(words.pass, words.pass),
      bids.map((mice) => button(filled(words.bid, {mice}), String(mice))),
      choices.plays.map((card) => button(cardText(words, card), cardText(words, card)))),
  ];
}

// What speaks about a choice; after an answer, that answer and those of the seat and the computer.
export function decisionDrawn({data, names, event, answer}) {
  const {words, texts} = data, [move, told, why] = data.decisions[event.version];
  const line = (who, what) =>
    el("li", {}, el("span", {class: "who"}, who), " ", el("b", {}, what === words.pass ? words.passed : what));
  return [
    answer
      ? el("ul", {class: "answered", tabindex: -1}, line(words.you, answer), line(names[event.data.seat], moveText(words, event)),
        move && line(words.computer, move))
      : el("p", {}, told.map((index) => texts[index]).join(" ")),
    why.length > 0 && el("details", {}, el("summary", {}, words.why),
      el("p", {}, why.map((index) => texts[index]).join(" "))),
  ].filter(Boolean);
}
