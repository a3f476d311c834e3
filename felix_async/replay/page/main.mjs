// The page: one place in the game, drawn anew after each key, tap or swipe.

import {byId, el, filled} from "./dom.mjs";
import {eyesOf, goTo, placeAt, press} from "./course.mjs";
import {eventsIn, namesAt, pursesOf, roundAt, roundsIn, stepFor, textFor, waits} from "./told.mjs";
import {bankDrawn, purseLines, rowDrawn} from "./table.mjs";
import {auctionDrawn, chartDrawn, daysDrawn, ghostsTold, stripDrawn} from "./charts.mjs";
import {answersDrawn, decisionDrawn, nextDecision} from "./quiz.mjs";
import {steer} from "./steer.mjs";
import {fold, isOver} from "./fold.mjs";
import {awaited} from "./rules.mjs";
import {viewOf} from "./view.mjs";
import {verify} from "./verify.mjs";
import {utf8} from "./sha256.mjs";

// The seat that is to bid, or the first that is to place a card.
const toMove = ({phase, row, asked, to_move: bidder}) =>
  phase === "placing" ? row.find(({owner}) => asked.includes(owner))?.owner ?? null : bidder;

const PLAY = byId("play").querySelector("path").getAttribute("d"), STOP = "M5 4h5v16H5zM14 4h5v16h-5z";
const PAUSE = 1800;
const LINK_PAUSE = 300;
const LOGGED = {"%3C": "<", "%25": "%"};

const data = JSON.parse(byId("felix-decisions").textContent);
const {words} = data;
const page = document.documentElement;
const log = byId("felix-export").textContent.replace(/%3C|%25/g, (code) => LOGGED[code]).replace(/^\n/, "");

function show() {
  const events = eventsIn(log), states = fold(events), size = states.length - 1;
  const beats = [...document.querySelectorAll("#story [data-kind]")]
    .map((li) => ({
      li, kind: li.dataset.kind, version: Number(li.dataset.version), text: li.textContent,
      open: li.dataset.open ?? li.textContent, told: data.told[li.dataset.version],
      round: Number(li.closest("[data-round]")?.dataset.round ?? 0),
    }))
    .filter(({version}) => version <= size);
  if (!beats.length) return;
  const seats = data.names.length, players = states[size].players;
  const purses = pursesOf(events, seats), rounds = roundsIn(events);
  const everybody = Array.from({length: seats}, (_, seat) => seat);
  const viewers = data.viewer === "all" ? ["all", "spectator", ...everybody] : [...new Set([data.viewer, "spectator"])];
  const open = (version) => viewOf(states[version], "spectator");
  const isRunning = !isOver(states[size]);
  const course = {
    stops: beats, size, viewers, seats, start: Math.max(0, beats.findIndex(({kind}) => kind === "deal")),
    acting: (version) => toMove(open(version)),
    isBetween: (version) => isRunning && version < size && states[version].phase === "placing" &&
      states[version].seats.some(({has_placed}) => has_placed),
  };
  let place = placeAt(course, data.viewer, data.end ? beats.length - 1 : course.start);
  // As far as it was seen before the page was loaded again.
  place.furthest = Math.max(place.furthest, Math.min(size, history.state?.furthest ?? 0));
  const parts = [...document.querySelectorAll("#story details")];
  const moments = [...document.querySelectorAll("#moments li")].map((li) => {
    const {version} = li.dataset;
    return el("li", {"data-version": version}, el("a", {href: `#v${version}`}, li.textContent));
  });
  const luck = byId("luck");
  let quiz = null, timer = 0, linking = 0, painted = false;

  // "all" looks with the eyes of every seat.
  function seen(version, eyes) {
    const view = viewOf(states[version], eyes === "all" ? "spectator" : eyes);
    if (eyes === "all") for (const seat of everybody) Object.assign(view.own, viewOf(states[version], seat).own);
    return view;
  }

  function draw() {
    const {version, furthest} = place, beat = beats[place.beat], names = namesAt(data, version);
    const eyes = quiz && !quiz.answer ? events[quiz.version - 1].data.seat : eyesOf(course, place);
    const round = roundAt(rounds, version), sold = round?.ended <= version && states[version].phase !== "placing";
    const view = seen(sold ? round.ended - 1 : version, eyes), event = events[version - 1];
    const lastBid = (seat) => round?.steps.findLast((step) => step.version <= version && step.seat === seat && step.amount)
      ?.amount;
    for (const li of moments) li.hidden = !(roundAt(rounds, Number(li.dataset.version)).ended <= furthest);
    const shown = {words, names, view, rounds, version, furthest, size, isRunning, players, lastBid, best: data.stars,
      sack: sold ? round.sale : null, profit: round?.profit,
      dummyBoxed: eyes === "all" ? states[version].dummy_boxed : null,
      purses: purses[version], pursesAt: purses, namesAt: (at) => namesAt(data, at)};
    page.dataset.version = version;
    page.dataset.viewer = eyes;
    byId("round").textContent = round ? filled(words.round_of, {round: round.round}) : words.before;
    byId("step").textContent = filled(words.step_of, {version, versions: size});
    byId("row").replaceChildren(...rowDrawn(shown));
    byId("bank").replaceChildren(...bankDrawn(shown));
    const said = place.said ? data.refused[place.said] : told(beat, eyes);
    if (byId("say").textContent !== said) byId("say").textContent = said;
    byId("points").hidden = !states[version].round && states[version].phase !== "between";
    byId("purses").replaceChildren(...purseLines({...shown, view: seen(version, eyes)}));
    // Whoever goes by keyboard stays on the button that was pressed.
    const {goal} = document.activeElement?.dataset ?? {};
    byId("strip").replaceChildren(...stripDrawn(shown));
    if (goal) document.querySelector(`[data-goal=${goal}]`).focus({preventScroll: true});
    byId("chart-panel").hidden = !(rounds[0]?.ended <= furthest);
    byId("chart").replaceChildren(chartDrawn(shown));
    const ghosts = sold && data.viewer === eyes ? data.ghosts.filter((ghost) => ghost.round === round.round) : [];
    byId("auction").hidden = !round?.steps.some((step) => step.version <= version && step.type !== "cards_turned");
    byId("ghosts").textContent = ghosts.length
      ? filled(words.ghosts, {ghosts: ghostsTold({words, ghosts, names}).join(", ")}) : "";
    byId("staircase").replaceChildren(...(byId("auction").hidden ? [] : [auctionDrawn({...shown, round, ghosts})]));
    if (painted) drawDays();
    drawQuiz(event, eyes, names);
    drawEyes(names, eyes);
    for (const {li, version: at, ...one} of beats) {
      // The story tells no more than these eyes see.
      const text = textFor(data, one, eyes);
      if (li.textContent !== text) li.textContent = text;
      li.hidden = at > furthest;
      if (at === beat.version) li.setAttribute("aria-current", "true");
      else li.removeAttribute("aria-current");
    }
    for (const part of parts) {
      part.hidden = !part.querySelector("[data-kind]:not([hidden])");
      if (part.contains(beat.li)) part.open = true;
    }
    byId("no-moments").hidden = moments.some((li) => !li.hidden);
    if (luck) luck.hidden = place.furthest < size;
    byId("play").setAttribute("aria-pressed", place.plays);
    byId("play").querySelector("path").setAttribute("d", place.plays ? STOP : PLAY);
    // To ask how wide something is has all be laid out: once, when all is drawn.
    if (!byId("auction").hidden) byId("staircase").scrollLeft = byId("staircase").scrollWidth;
  }

  // The sentence of a beat, as these eyes may know it; inside a beat that of one event.
  const told = (beat, eyes) => beat.version === place.version || data.whole.includes(beat.kind)
    ? textFor(data, beat, eyes) : stepFor(data, events[place.version - 1], eyes);

  function drawDays() {
    const names = namesAt(data, place.version), at = events[place.furthest - 1].at;
    if (!at || !data.days) {
      byId("days-panel").hidden = true;
      return;
    }
    const spans = waits(events, (version) => awaited(states[version]), place.furthest);
    const drawn = daysDrawn({words, spans, players, names, until: Date.parse(at), dates: data.dates});
    byId("days").replaceChildren(...(drawn ? [drawn] : []));
    byId("days-panel").hidden = !drawn;
  }

  function drawQuiz(event, eyes, names) {
    const next = nextDecision({events, data, version: place.version}), box = byId("quiz");
    const mayAsk = (at) => viewers.includes(events[at - 1].data.seat);
    box.replaceChildren();
    if (quiz && !quiz.answer) {
      const seat = events[quiz.version - 1].data.seat;
      const {choices} = seen(quiz.version - 1, seat).own[seat];
      box.append(...answersDrawn({words, names, seat, choices, answer}));
      return;
    }
    const made = madeAt(event.version);
    if (made && (quiz?.answer || eyes === "all" || eyes === made.data.seat)) {
      box.append(...decisionDrawn({data, names, event: made, answer: quiz?.answer}));
    }
    if (next && mayAsk(next)) {
      const ask = el("button", {type: "button", class: "ask"}, words.ask);
      ask.addEventListener("click", ({detail}) => {
        quiz = {version: next};
        draw();
        if (!detail) box.querySelector("button").focus({preventScroll: true});
      });
      box.append(ask);
    }
  }

  // The choice that is told of: at an event its own, after a beat of the auction the last one.
  function madeAt(version) {
    const {kind, version: end} = beats[place.beat], first = beats[place.beat - 1]?.version ?? 0;
    for (let at = version; at > first; at--) {
      if (data.decisions[at]) {
        return at === version || (end === version && ["bids", "pass"].includes(kind)) ? events[at - 1] : null;
      }
    }
    return null;
  }

  function answer(text) {
    place = goTo(course, place, String(quiz.version));
    quiz.answer = text;
    draw();
    byId("quiz").querySelector(".answered").focus({preventScroll: true});
  }

  function drawEyes(names, eyes) {
    const list = byId("eyes");
    list.replaceChildren(...viewers.map((viewer) => el("option", {value: viewer}, words.viewers[viewer] ?? names[viewer])));
    list.value = eyes;
    byId("follow").setAttribute("aria-pressed", place.follows);
  }

  function stepTo(after) {
    const moved = after.version !== place.version;
    place = after;
    if (moved) quiz = null;
    clearTimeout(timer);
    if (place.plays) timer = setTimeout(() => stepTo(press(course, place, "tick")), PAUSE);
    draw();
    // Browsers take offence at many of these within a second.
    clearTimeout(linking);
    linking = setTimeout(link, LINK_PAUSE);
  }

  function link() {
    try {
      history.replaceState({furthest: place.furthest}, "", `#v${place.version}`);
    } catch {
      // The frame of a mail program has no address that could be changed.
    }
  }

  const go = (goal) => stepTo(goTo(course, place, goal));

  const goal = steer({press: (key) => stepTo(press(course, place, key)), go, viewers});
  // Some browsers print nothing of what is closed.
  addEventListener("beforeprint", () => parts.forEach((part) => (part.open = true)));

  page.classList.add("scripted");
  // A link to a round is one to the table now.
  for (const part of parts) part.querySelector("ul").removeAttribute("id");
  byId("best").append(...moments);
  luck?.append(...byId("figures").cloneNode(true).children);
  // What is not laid out yet has no width.
  page.classList.remove("starting");
  if (goal) go(goal);
  else draw();
  return () => {
    painted = true;
    drawDays();
  };
}

function prove() {
  const {sound, version, size, root, words: count, redrawn, hides, text} = verify(utf8(log));
  page.dataset.verdict = sound ? "sound" : `unsound:${version ?? 0}`;
  const shown = hides ? words.sound_hidden : redrawn ? words.sound : words.sound_undrawn;
  const right = root ? shown : words.sound_running;
  byId("verdict").textContent = filled(sound ? right : words.unsound, {size, root: root.slice(0, 8), words: count, what: text});
}

// What takes a while comes after the first frame: the names of days, and the proof.
let finish = null;
try {
  finish = show();
} finally {
  page.classList.remove("starting");
  requestAnimationFrame(() => setTimeout(() => {
    finish?.();
    prove();
  }));
}
