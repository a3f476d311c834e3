// Elements and cards. Text goes in as text, never as HTML: names and words are strangers'.

const SVG = "svg g rect path line polyline circle text use title".split(" ");

export const byId = (id) => document.getElementById(id);

export function el(tag, attributes = {}, ...inside) {
  const made = SVG.includes(tag)
    ? document.createElementNS("http://www.w3.org/2000/svg", tag)
    : document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== false && value != null) made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...inside.flat(Infinity).filter((one) => one != null && one !== false));
  return made;
}

export const filled = (text, values = {}) => text.replace(/\{([a-z_]+)\}/g, (whole, name) => values[name] ?? whole);

export const signed = (number) => (number < 0 ? `−${-number}` : String(number));
export const gained = (number) => (number > 0 ? `+${number}` : signed(number));
export const cardText = (words, card) => words.cards[card] ?? signed(card);
const lookOf = (card) => (typeof card === "string" ? "dog" : card === 0 ? "rabbit" : card > 0 ? "good" : "bad");

// A card: null lies face down, undefined is not there yet.
export function cardDrawn(words, card, marks = "") {
  const lies = card === undefined ? "missing" : card === null ? "hidden" : lookOf(card);
  const text = card == null ? words[lies] : cardText(words, card);
  const state = ["secret", "chased"].find((mark) => marks.includes(mark));
  const said = state ? filled(words[state], {card: text}) : text;
  const big = typeof card === "number" && card !== 0;
  return el("svg", {class: `card ${lies} ${marks}`, viewBox: "0 0 60 76", role: "img", "aria-label": said},
    el("rect", {x: 1, y: 1, width: 58, height: 74, rx: 7}),
    card !== undefined && el("use", {href: `#a${card}`, x: 4, y: card === null ? 14 : 6, width: 52, height: 44}),
    card != null && el("text", {x: 30, y: big ? 69 : 67, class: big ? "big" : "small"}, text),
    marks.includes("chased") && el("path", {class: "struck", d: "M8 8L52 68M52 8L8 68"}));
}

export const chip = (words, card) => el("span", {class: `chip ${lookOf(card)}`}, cardText(words, card));
export const dot = (seat) => el("span", {class: `dot s${seat}`, "aria-hidden": "true"});
