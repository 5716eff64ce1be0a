// Annotations while a page is open: what others write appears, what is being typed stays, and buttons name who reads it.

import { clearUnsent, isDone, post, tellUnsent } from "./acts.js";
import { RULES, isLeaving } from "./changes.js";
import { isDirty, morph } from "./morph.js";

const SOON = 1000; // should the stream be late
const TOGETHER = 20; // what is written at once is told in several events, and asked for once
const card = () => document.getElementById("notes");

const isWritten = (item) => [...item.querySelectorAll("form")].some(isDirty);

// Puts what stands now in the place of what is shown, but for forms that somebody writes in.
function merge(answer, sent, asked = location.search) {
  const list = document.getElementById("notes-list");
  const fresh = [...answer.querySelectorAll("#notes-list > li")];
  const wanted = new Set(fresh.map((item) => item.id));
  for (const item of [...list.children]) if (!wanted.has(item.id) && !isWritten(item)) item.remove();
  let before = null;
  for (const item of fresh) {
    const shown = document.getElementById(item.id);
    if (!shown) place(list, item, before);
    else if (shown.contains(sent)) shown.replaceWith(item);
    else if (shown.dataset.digest !== item.dataset.digest) change(shown, item);
    before = document.getElementById(item.id);
  }
  list.hidden = !list.children.length;
  card().dataset.mark = answer.dataset.mark;
  card().querySelector("[data-notes-count]").textContent = fresh.length;
  const drawn = answer.querySelector("#timeline-part");
  if (drawn && asked !== location.search) anew(); // another window was chosen meanwhile
  else if (drawn && !document.querySelector("[data-choosing]")) morph(document.getElementById("timeline-part"), drawn, RULES);
}

const anew = () => import("./windows.js").then(({ open }) => open(new URL(location.href)), () => null); // the window stands, and what is new comes with the next look

function tellAudience(form) {
  const named = [...form.querySelectorAll("input[name=audience]:checked")].map((box) => box.dataset.name);
  const all = form.querySelector("[data-all]");
  const everyone = [...form.querySelectorAll("input[name=audience]")].map((box) => box.dataset.name);
  const names = all?.checked ? everyone : named;
  const send = form.querySelector("[data-audience-send]");
  const note = form.querySelector("[data-audience-note]");
  send.textContent = names.length ? `${send.dataset.named} ${join(names, send.dataset.and)}` : send.dataset.alone;
  if (!note) return;
  const said = join(names, note.dataset.and ?? send.dataset.and);
  note.textContent = names.length ? note.dataset.named.replace("{names}", () => said) : note.dataset.alone;
}

function join(names, and) {
  if (names.length < 2) return names.join("");
  return `${names.slice(0, -1).join(", ")} ${and} ${names.at(-1)}`;
}

function place(list, item, before) {
  if (before) before.after(item);
  else list.prepend(item);
}

function change(shown, item) {
  if (!isWritten(shown)) {
    shown.replaceWith(item);
    return;
  }
  shown.querySelector(".note-body").replaceWith(item.querySelector(".note-body"));
  shown.dataset.digest = item.dataset.digest;
}

function parsed(text) {
  return new DOMParser().parseFromString(text, "text/html").getElementById("notes-answer");
}

const query = (values) => {
  const asked = new URLSearchParams(location.search);
  const kept = ["group", "span", "all"].filter((name) => asked.has(name));
  return new URLSearchParams([...kept.map((name) => [name, asked.get(name)]), ...Object.entries(values)]);
};

async function send(form) {
  const button = form.querySelector("[type=submit]");
  const problem = form.querySelector("[data-problem]");
  button.disabled = true;
  clearUnsent(form);
  const asked = location.search;
  if (problem) problem.hidden = true;
  try {
    const answer = await post(form, { address: `${form.action}?${query({})}` });
    const told = answer?.status === 200 ? parsed(await answer.text().catch(() => "")) : null;
    if (isDone(answer)) await done(form);
    else if (told) refuse(form, { told, asked }, problem);
    else tellUnsent(form, answer);
  } finally {
    button.disabled = false; // whatever went wrong: what was typed can be sent again
  }
}

// Shows what stands beside what was refused, which stays where it was typed: first why.
function refuse(form, { told, asked }, problem) {
  if (problem) {
    problem.textContent = told.querySelector("[data-refusal]")?.textContent ?? "";
    problem.hidden = !problem.textContent;
  }
  merge(told, form.querySelector("input[name=version]") ? form : null, asked);
}

async function done(form) {
  form.reset();
  if (form.matches("[data-audience]")) tellAudience(form);
  for (const each of form.querySelectorAll("details[open]")) each.open = false;
  const around = form.closest("details");
  if (around) around.open = false;
  document.activeElement?.blur();
  document.querySelector(".chosen")?.remove();
  // The stream tells of it, too: asked once, the server is free for the others sooner.
  if (document.querySelector("[data-live-state]")?.dataset.state === "live") setTimeout(ask, SOON);
  else await ask();
}

let isAsking = false;
let isOwed = false;
async function ask() {
  if (!card() || isLeaving) return;
  if (isAsking || document.hidden) {
    isOwed = true;
    return;
  }
  isAsking = true;
  const asked = location.search;
  try {
    const where = `${card().dataset.changes}?${query({ seen: card().dataset.mark })}`;
    const response = await fetch(where, { headers: { "HX-Request": "true" } });
    const answer = response.status === 200 ? parsed(await response.text()) : null;
    if (answer) merge(answer, null, asked);
  } catch {
    // The network is away: the next change, or the next look, tells.
  }
  isAsking = false;
  if (isOwed) {
    isOwed = false;
    ask();
  }
}

const tellPage = (isAct) => document.dispatchEvent(new CustomEvent("portal:incident", { detail: { isAct } }));
const isOurs = ({ subject }) => !subject || document.querySelector("[data-live-state]").dataset.topics.includes(`:${subject} `);

let isWhole = false;
let isAct = true; // of people or of the diagnosis, on this incident
let due = 0;
function look() {
  due = 0;
  if (isWhole) tellPage(isAct); // with the annotations, as they stand then
  else ask();
  isWhole = false;
  isAct = true;
}

function heard(change) {
  if (!isOurs(change)) return;
  if (change.topic !== "annotation") isWhole = true;
  if (!change.subject) isAct = false;
  due ||= setTimeout(look, TOGETHER);
}

document.addEventListener("portal:live", (event) => heard(event.detail));
document.addEventListener("portal:notes", (event) => merge(event.detail, null));
document.addEventListener("submit", (event) => {
  if (event.defaultPrevented) return;
  const form = event.target.closest("form[data-note-form]");
  if (!form) return;
  event.preventDefault();
  send(form);
});
document.addEventListener("visibilitychange", () => {
  if (document.hidden || !isOwed) return;
  isOwed = false;
  ask();
});
document.addEventListener("change", (event) => {
  const form = event.target.closest("form[data-audience]");
  if (form) tellAudience(form);
});

// A stub chooses what evidence is asked of whom; without a script its address does.
document.addEventListener("click", (event) => {
  const stub = event.target.closest("[data-ask-of]");
  const form = document.querySelector("#ask form");
  if (!stub || !form) return;
  event.preventDefault();
  form.elements.holder.value = stub.dataset.askOf;
  form.elements.data.value = stub.dataset.askFor;
  form.closest("details").open = true;
  form.elements.reason.focus();
});
