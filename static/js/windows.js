// Another window or other lanes of an incident's timeline: asked for alone, while the rest of the page stays as it is.
// Where that fails, and without a script, the address is opened.

import { morph } from "./morph.js";

const SOON = 100; // after a drag over the timeline
const RESTS = 60; // milliseconds that a pointer rests on a choice before it is asked for
const FRESH = 2000; // as long counts what was asked for before it was chosen
const NOBODY_WRITES = { isWritten: () => false, outdate: () => {} };
const card = () => document.getElementById("timeline-card");
const seen = () => [document.getElementById("incident"), document.getElementById("notes")]
  .map((each) => each?.dataset.seen ?? each?.dataset.mark).join();

// What an address says of the timeline: of each window and grouping the same words.
function query(address) {
  const kept = ["group", "span"].filter((name) => address.searchParams.get(name));
  return new URLSearchParams(kept.map((name) => [name, address.searchParams.get(name)])).toString();
}

async function load(asked, signal) {
  const response = await fetch(`${card().dataset.alone}?${asked}`, { headers: { "HX-Request": "true" }, signal });
  if (!response.ok) throw new Error(String(response.status));
  const found = new DOMParser().parseFromString(await response.text(), "text/html").getElementById("timeline-card");
  if (!found) throw new Error("not let in any more");
  return found;
}

// One question at most is ahead of what was chosen: another one lets go of it.
let ahead = null;
function prepare(address) {
  const [asked, mark] = [query(address), seen()];
  if (ahead?.asked === asked && ahead.mark === mark && Date.now() - ahead.at < FRESH) return ahead;
  ahead?.stop.abort();
  const stop = new AbortController();
  const mine = { asked, mark, stop, at: Date.now(), found: load(asked, stop.signal) };
  ahead = mine;
  mine.found.catch(() => { if (ahead === mine) ahead = null; });
  return mine;
}

// Asks for what is likely chosen next; while something that was chosen is on its way nothing else is asked for.
export function likely(address) {
  const isShown = query(address) === shown;
  if (card() && !isShown && !card().hasAttribute("aria-busy")) prepare(address);
}

// Lets go of what was asked for and is not wanted any more.
export function unlikely() {
  if (card()?.hasAttribute("aria-busy")) return;
  ahead?.stop.abort();
  ahead = null;
}

let turn = 0;
let shown = query(new URL(location.href));

function place(fresh, mine) {
  if (mine !== turn) return;
  if (document.querySelector("[data-choosing]")) {
    setTimeout(() => place(fresh, mine), SOON);
    return;
  }
  document.getElementById("timeline-part").replaceWith(fresh.querySelector("#timeline-part"));
  morph(card().querySelector("header"), fresh.querySelector("header"), NOBODY_WRITES);
  card().removeAttribute("aria-busy");
}

// Shows what an address says of the timeline, and makes it the address of the page.
export async function open(address) {
  if (!card()) {
    location.assign(address);
    return;
  }
  const mine = ++turn;
  card().setAttribute("aria-busy", "true");
  try {
    let found = prepare(address);
    while (!(await found.found) || (mine === turn && found.mark !== seen())) found = prepare(address); // it changed meanwhile
    if (mine !== turn) return;
    ahead = null;
    shown = query(address);
    if (address.href !== location.href) history.pushState(null, "", address);
    place(await found.found, mine);
  } catch {
    if (mine === turn) location.assign(address);
  }
}

// Where a choice leads: the page as it is, with another window or grouping.
function target(link) {
  const address = new URL(location.href);
  for (const [name, value] of new URL(link.href).searchParams) address.searchParams.set(name, value);
  address.searchParams.delete("all");
  return address;
}

export const follow = (link) => open(target(link));
const choice = (event) => event.target.closest?.("#timeline-card .segments a");
let rests = 0;
function rest(link) {
  clearTimeout(rests);
  if (link && !link.hasAttribute("aria-current")) rests = setTimeout(() => likely(target(link)), RESTS);
}
document.addEventListener("pointerover", (event) => rest(choice(event)));
rest(document.querySelector("#timeline-card .segments a:hover")); // since before this was loaded
document.addEventListener("pointerdown", (event) => {
  const link = choice(event);
  if (link && !event.button) likely(target(link));
});
addEventListener("popstate", () => {
  if (query(new URL(location.href)) !== shown) open(new URL(location.href));
});
