// Lists and overviews while they are open: read again when something of theirs changed, what is being written stays.

import { isDirty, morph } from "./morph.js";

const where = document.querySelector("[data-live-state]");
const SOON = 40; // several changes at once are one
const BETWEEN = 1000;
const SLOW = 60000; // what time alone changes
const formsOf = (element) => [...(element.matches("form") ? [element] : []), ...element.querySelectorAll("form")];

const RULES = {
  isWritten: (element) => formsOf(element).some(isDirty),
  outdate(element) {
    if (element.querySelector(":scope > [data-outdated]")) return;
    const said = document.createElement("p");
    said.className = "message";
    said.dataset.outdated = "";
    said.setAttribute("role", "status");
    said.textContent = where.dataset.outdated;
    element.prepend(said);
  },
};

const drawn = (part) => [...part.querySelectorAll("script[type='application/json']")].map((each) => each.textContent).join();

function merge(fresh) {
  const shown = document.getElementById("main");
  // What was said to who did something is said once, and stays as long as the page.
  fresh.prepend(...[...shown.querySelectorAll(":scope > [data-flash]")].map((each) => each.cloneNode(true)));
  const before = drawn(shown);
  morph(shown, fresh, RULES);
  window.htmx?.process(shown);
  if (drawn(shown) !== before && window.Plotly) document.dispatchEvent(new Event("htmx:afterSettle"));
}

let isAsking = false;
let isOwed = false;
let last = 0;
let timer = 0;
async function ask(query = location.search) {
  if (document.hidden || isAsking) {
    isOwed = true;
    return;
  }
  isAsking = true;
  isOwed = false;
  last = Date.now();
  try {
    const answer = await fetch(`${location.pathname}${query}`, { headers: { "X-Live": "1" }, redirect: "manual" });
    const text = answer.status === 200 ? await answer.text() : "";
    const fresh = new DOMParser().parseFromString(text, "text/html").getElementById("main");
    if (fresh) merge(fresh);
  } catch {
    isOwed = true; // the network is away: asked again when it is back
  }
  isAsking = false;
  if (isOwed) soon();
}

function soon() {
  clearTimeout(timer);
  timer = setTimeout(ask, Math.max(SOON, last + BETWEEN - Date.now()));
}

const topics = (where?.dataset.topics ?? "").split(" ").map((each) => each.split(":"));
const isOurs = ({ topic, subject }) => !topic || topics.some(
  ([name, own]) => name === topic && (!own || !subject || own === subject),
);

document.addEventListener("portal:live", (event) => { if (isOurs(event.detail)) soon(); });
document.addEventListener("visibilitychange", () => { if (!document.hidden && isOwed) soon(); });
setInterval(() => {
  // Where a page can say what it shows, it is told whether that is all there is.
  if (!document.hidden && !isAsking) ask(document.querySelector("[data-asks]")?.dataset.asks);
}, SLOW);
