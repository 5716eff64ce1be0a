// An incident's page while it is open: what others do appears in its place, what is being written stays.

import { isDirty, morph } from "./morph.js";

const MINUTE = 60000; // what time alone changes: an agreement ends, a verdict is final
const COLLECTING = 4000; // while evidence still comes in
const SOON = 100; // after a drag over the timeline
const SAME = "[data-same]"; // what the answer leaves out: the page shows it as it is
const page = () => document.getElementById("incident");

const formsOf = (element) => [...(element.matches("form") ? [element] : []), ...element.querySelectorAll("form")];
const isWritten = (element) => formsOf(element).some(isDirty);

// What somebody writes in stays, and says that it is no more what it was.
function outdate(element) {
  if (element.querySelector(":scope > [data-outdated]")) return;
  const said = document.createElement("p");
  said.className = "message";
  said.dataset.outdated = "";
  said.setAttribute("role", "status");
  said.textContent = page().dataset.outdated;
  element.prepend(said);
}

export const RULES = { isWritten, outdate };

const figuresOf = (part) => [...part.querySelectorAll("script[type='application/json']")].map((each) => each.textContent).join();

// What draws charts comes with the first chart; without it they stay empty, as without scripts.
function charts() {
  if (document.querySelector("[data-figure]")) import("./panels.js").then(({ watch }) => watch(), () => {});
}

function merge(fresh) {
  if (document.querySelector("[data-choosing]")) return false;
  const shown = document.getElementById("metrics-part");
  const metrics = fresh.querySelector("#metrics-part");
  const isOther = !metrics.matches(SAME) && figuresOf(shown) !== figuresOf(metrics);
  if (isOther) shown.replaceWith(metrics.cloneNode(true));
  for (const each of fresh.querySelectorAll(SAME)) if (!document.getElementById(each.id)) each.remove();
  morph(page(), fresh, RULES);
  document.dispatchEvent(new CustomEvent("portal:notes", { detail: fresh.querySelector("#notes") }));
  window.htmx?.process(page());
  if (isOther) charts();
  return true;
}

function address(wantsAll) {
  const asked = new URLSearchParams(location.search);
  const kept = ["group", "span", "all"].filter((name) => asked.has(name));
  const seen = [["seen", page().dataset.seen], ["notes", document.getElementById("notes")?.dataset.mark ?? ""]];
  if (!wantsAll) seen.push(["diagnosis", page().dataset.diagnosis]);
  const query = new URLSearchParams([...kept.map((name) => [name, asked.get(name)]), ...seen]);
  return `${location.pathname}?${query}`;
}

let isAsking = false;
let isOwed = false;
let isAll = false; // more than acts of people on the incident was told of, or time went by
async function ask({ isAct = false } = {}) {
  isAll ||= !isAct;
  if (!page() || isLeaving) return;
  if (isAsking || document.hidden) {
    isOwed = true;
    return;
  }
  isAsking = true;
  const wantsAll = isAll;
  const chosen = location.search; // another one may be chosen meanwhile
  isAll = false;
  try {
    const response = await fetch(address(wantsAll), { headers: { "HX-Request": "true" } });
    const text = response.status === 200 ? await response.text() : "";
    const fresh = new DOMParser().parseFromString(text, "text/html").getElementById("incident");
    if (fresh && (chosen !== location.search || !merge(fresh))) isOwed = true;
    isAll ||= wantsAll && (isOwed || (!fresh && response.status !== 204));
  } catch {
    isAll ||= wantsAll; // The network is away: the next change, or the next look, tells.
  }
  isAsking = false;
  if (isOwed) {
    isOwed = false;
    setTimeout(askAgain, SOON);
  }
}

const askAgain = () => ask({ isAct: true }); // as was asked for
export let isLeaving = false; // who sent a form is shown the whole page: what comes meanwhile stands in it
const leave = (is) => { isLeaving = is; };
addEventListener("pagehide", () => leave(true));
addEventListener("pageshow", () => leave(false));
document.addEventListener("submit", (event) => {
  if (event.defaultPrevented || event.target.matches("[data-note-form]")) return;
  leave(true);
  setTimeout(() => leave(false), MINUTE); // answered by a file, or by nobody: the page is still here
});
document.addEventListener("portal:incident", ({ detail }) => ask(detail));
document.addEventListener("visibilitychange", () => {
  if (document.hidden || !isOwed) return;
  isOwed = false;
  askAgain();
});
setInterval(() => { if (!document.hidden) ask(); }, MINUTE);
setInterval(() => { if (!document.hidden && "collecting" in (page()?.dataset ?? {})) ask(); }, COLLECTING);
