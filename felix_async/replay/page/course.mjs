// Where somebody is who steps through a game, and what each key makes of it: `places.py`, for a browser.
//
// A course has `stops` ({round, version}: the place after each beat), `size` (the last version), `viewers`, `seats`,
// `start` (the beat of the deal), and `acting(version)`, the seat that is to move there or null. Nobody can stand at a
// version that `isBetween` the cards of a round of a running game, as it would seem to tell who was first.

const SEATS = "12345";

const beatOf = (course, version) => {
  const found = course.stops.findIndex((stop) => stop.version >= version);
  return found < 0 ? course.stops.length - 1 : found;
};

const roundsOf = (course) => Math.max(...course.stops.map((stop) => stop.round));
const within = (number, first, last) => Math.max(first, Math.min(number, last));

export const placeAt = (course, viewer, beat) => {
  const version = course.stops[beat].version;
  return {beat, version, viewer, furthest: version, follows: false, back: null, plays: false, said: null};
};

export const eyesOf = (course, place) => (place.follows ? course.acting(place.version) : null) ?? place.viewer;

const stand = (place, beat, version) => ({...place, beat, version, furthest: Math.max(place.furthest, version)});
const toBeat = (course, place, wanted) => {
  const beat = within(wanted, 0, course.stops.length - 1);
  return stand(place, beat, course.stops[beat].version);
};
const jumped = (place, after) =>
  after.beat === place.beat && after.version === place.version ? after : {...after, back: [place.beat, place.version]};
const jump = (course, place, beat) => jumped(place, toBeat(course, place, beat));
const began = (course, round) => {
  const found = course.stops.findIndex((stop) => stop.round >= round);
  return found < 0 ? course.stops.length - 1 : found;
};

const nextBeat = (course, place) =>
  toBeat(course, place, place.version < course.stops[place.beat].version ? place.beat : place.beat + 1);

const byVersion = (course, place, by) => {
  let version = within(place.version + by, 1, course.size);
  while (course.isBetween?.(version)) version += by;
  return version === place.version ? place : stand(place, beatOf(course, version), version);
};

const lastRound = (course, place) => {
  const round = course.stops[place.beat].round, first = began(course, round);
  return jump(course, place, place.beat > first ? first : began(course, round - 1));
};

const back = (place) => {
  if (!place.back) return {...place, said: "no_jump"};
  const [beat, version] = place.back;
  return {...place, beat, version, back: [place.beat, place.version]};
};

const played = (course, place) => {
  const after = nextBeat(course, place);
  return {...after, plays: after.beat < course.stops.length - 1};
};

function looked(course, place, viewer) {
  if (typeof viewer === "number" && viewer >= course.seats) {
    return {...place, said: "no_seat"};
  }
  if (!course.viewers.includes(viewer)) return {...place, said: viewer === "all" ? "not_all" : "not_eyes"};
  return {...place, viewer, follows: false};
}

function follow(course, place) {
  for (let seat = 0; seat < course.seats; seat++) {
    if (!course.viewers.includes(seat)) return {...place, said: "not_eyes"};
  }
  return {...place, follows: !place.follows};
}

// To a place as somebody types it: `57`, `v57`, or `r5`.
export function goTo(course, was, goal) {
  const place = {...was, plays: false, said: null};
  const found = /^([rv]?)([0-9]{1,5})$/.exec(goal.trim().toLowerCase());
  if (!found) return {...place, said: "no_goal"};
  const rounds = roundsOf(course);
  let number = Number(found[2]);
  if (found[1] === "r") {
    if (number < 1 || number > rounds) return {...place, said: "no_round"};
    return jump(course, place, began(course, number));
  }
  if (number < 1 || number > course.size) return {...place, said: "no_version"};
  while (course.isBetween?.(number)) number++;
  return jumped(place, stand(place, beatOf(course, number), number));
}

export function press(course, was, key) {
  if (key === "tick") return was.plays ? played(course, was) : was;
  const place = {...was, plays: false, said: null}, last = course.stops.length - 1;
  if (key.length === 1 && SEATS.includes(key)) return looked(course, place, Number(key) - 1);
  switch (key) {
    case " ":
      if (was.plays) return place;
      return place.beat === last ? {...place, said: "at_end"} : {...place, plays: true};
    case "right": return nextBeat(course, place);
    case "left": return toBeat(course, place, place.beat - 1);
    case "shift-right": return byVersion(course, place, 1);
    case "shift-left": return byVersion(course, place, -1);
    case "]": return jump(course, place, began(course, course.stops[place.beat].round + 1));
    case "[": return lastRound(course, place);
    case "home": return jump(course, place, 0);
    case "end": return jump(course, place, last);
    case "r": return back(place);
    case "0": return looked(course, place, "spectator");
    case "a": return looked(course, place, "all");
    case "w": return follow(course, place);
  }
  return place;
}
