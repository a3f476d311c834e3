// What leads through a game: keys, buttons, lines of the story, a finger, links, and the list of eyes.

import {byId} from "./dom.mjs";

const SWIPE = 50;

// `press` does what a key does, `go` leads to a goal. Returns the goal of the link in the address, if there is one.
export function steer({press, go, viewers}) {
  function pressed(key) {
    if (key === "?") return byId("help").open ? byId("help").close() : byId("help").showModal();
    if (key === "g") {
      byId("goto").hidden = false;
      byId("goto").scrollIntoView({block: "nearest"});
      byId("goal").select();
      return null;
    }
    return press(key);
  }

  // From far below it nobody would see that the table has changed.
  function goThere(goal) {
    go(goal);
    if (byId("stage").getBoundingClientRect().top < 0) byId("stage").scrollIntoView();
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, select, dialog")) return;
    const key = (event.shiftKey && event.key.startsWith("Arrow") ? "shift-" : "") +
      event.key.toLowerCase().replace("arrow", "");
    if (key === " " && event.target.closest("button, summary, a")) return;
    if (![" ", "right", "left", "shift-right", "shift-left", "home", "end"].includes(key) && key.length > 1) return;
    if ("0123456789arwg?[] ".includes(key) || key.length > 1) event.preventDefault();
    pressed(key);
  });
  document.addEventListener("click", (event) => {
    const target = event.target.closest("[data-key], [data-goal], li[data-version]");
    if (!target) return;
    // In the frame of a mail program a link would lead out of the page.
    if (self !== top) event.preventDefault();
    const {key, goal, version} = target.dataset;
    if (key) pressed(key);
    else if (goal) go(goal);
    else goThere(version);
    // Whoever taps and then types means the keys, not the button again.
    if (event.detail && key !== "g") document.activeElement?.blur();
  });
  byId("eyes").addEventListener("change", ({target}) => {
    const viewer = viewers.find((one) => String(one) === target.value);
    press(viewer === "all" ? "a" : viewer === "spectator" ? "0" : String(viewer + 1));
  });
  // No form: a frame that a mail program puts around a page may forbid them.
  const close = () => {
    byId("goto").hidden = true;
    document.querySelector("[data-key=g]").focus({preventScroll: true});
  };
  const typed = () => {
    close();
    goThere(byId("goal").value);
  };
  byId("go").addEventListener("click", typed);
  byId("goal").addEventListener("keydown", (event) => {
    if (event.key === "Escape") close();
    if (event.key !== "Enter") return;
    event.preventDefault();
    typed();
  });

  let touch = null;
  byId("stage").addEventListener("touchstart", ({touches, target}) => {
    // A long auction is moved by itself.
    const moves = byId("staircase").contains(target) && byId("staircase").scrollWidth > byId("staircase").clientWidth;
    touch = touches.length === 1 && !moves ? touches[0] : null;
  });
  byId("stage").addEventListener("touchend", ({changedTouches: [end]}) => {
    const x = touch ? end.clientX - touch.clientX : 0, y = touch ? end.clientY - touch.clientY : 0;
    if (Math.abs(x) > SWIPE && Math.abs(x) > 2 * Math.abs(y)) press(x < 0 ? "right" : "left");
  });

  const linked = () => /^#[rv][0-9]+$/i.test(location.hash) && location.hash.slice(1);
  addEventListener("hashchange", () => linked() && goThere(linked()));
  return linked();
}
