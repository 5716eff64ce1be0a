// What changes while a page is open: one stream for all tabs of a browser, or answers one by one where none gets through.
// Pages hear of it as the event portal:live with {topic, subject}; without a topic they look at everything.

const where = document.querySelector("[data-live-state]");
const PATIENCE = 4000; // a stream that says nothing by then is held back by something in between
const AGAIN = 300000; // then a stream is tried once more
const SILENT = 40000; // the stream has a beat every 15 s
const WAIT = 20; // seconds
const PAUSE = 3000; // where the server answers at once, without waiting
const SLOWEST = 10000;
const KNOWN = 1000;
const SHOWN_AFTER = 1500; // a stream that is renewed is not worth a word

let mark = where?.dataset.mark ?? "";
let source = null;
let timer = 0;
let watch = 0;
let turn = 0; // whatever was begun under another number is over
let letGo = null;
let asking = null;
let streamFrom = 0;
const heardOf = new Set();
const channel = where && "BroadcastChannel" in window ? new BroadcastChannel(`live ${where.dataset.stream}`) : null;

let showing = 0;
function show(state, tellsOthers = true) {
  clearTimeout(showing);
  const put = () => {
    where.dataset.state = state;
    where.querySelector("[data-live-text]").textContent = where.dataset[state];
    where.title = where.dataset[`${state}Title`] ?? "";
    where.hidden = false;
  };
  if (state === "reconnecting" && where.dataset.state) showing = setTimeout(put, SHOWN_AFTER);
  else put();
  if (tellsOthers) channel?.postMessage({ state });
}

const tellPage = (detail) => document.dispatchEvent(new CustomEvent("portal:live", { detail }));

// Takes events, each once, whoever of the tabs heard them first.
function hear({ events = [], isReset = false, newMark = "" }, tellsOthers = true) {
  for (const each of events) {
    if (heardOf.has(each.id)) continue;
    if (heardOf.size >= KNOWN) heardOf.delete(heardOf.values().next().value);
    heardOf.add(each.id);
    tellPage(each);
  }
  if (isReset) tellPage({ topic: "", subject: "" });
  if (newMark) mark = newMark;
  if (tellsOthers) channel?.postMessage({ heard: { events, isReset, newMark } });
}

const address = (path, more = {}) => `${path}?${new URLSearchParams({ after: mark, ...more })}`;

// Asks once. Returns how it went: ok, over (nobody is let in any more) or away.
async function ask(wait) {
  asking = new AbortController();
  try {
    const answer = await fetch(address(where.dataset.changes, { wait }), {
      signal: asking.signal, redirect: "manual", cache: "no-store", headers: { Accept: "application/json" },
    });
    if (answer.type === "opaqueredirect" || [401, 403, 404].includes(answer.status)) return "over";
    if (!answer.ok) return "away";
    const told = await answer.json();
    if (told.state === "over" || told.state === "away") return told.state;
    hear({ events: told.events, isReset: told.state === "reset", newMark: told.mark });
    return "ok";
  } catch {
    return "away";
  }
}

const later = (act, milliseconds) => { clearTimeout(timer); timer = setTimeout(act, milliseconds); };

function stop() {
  close();
  show("stopped");
}

async function poll() {
  const mine = turn;
  let pause = 1000;
  while (mine === turn) {
    const began = Date.now();
    const went = await ask(WAIT);
    if (mine !== turn) return;
    if (went === "over") return stop();
    show(went === "ok" ? "polling" : "reconnecting");
    if (went === "ok" && Date.now() >= streamFrom) return listen();
    pause = went === "ok" ? 1000 : Math.min(pause * 2, SLOWEST);
    const rest = went === "ok" ? PAUSE - (Date.now() - began) : pause;
    if (rest > 0) await new Promise((go) => { setTimeout(go, went === "ok" ? Math.min(rest, 700) : rest); });
  }
}

function fallBack() {
  shut();
  streamFrom = Date.now() + AGAIN;
  poll();
}

// The stream was refused: by who may not read any more, by a server without room, or by one that is not there.
async function wonder() {
  shut();
  const mine = ++turn;
  const went = await ask(0);
  if (mine !== turn) return;
  if (went === "over") return stop();
  if (went === "ok") return fallBack();
  show("reconnecting");
  later(wonder, 2000);
}

function beat() {
  clearTimeout(watch);
  watch = setTimeout(() => { shut(); listen(); }, SILENT);
}

function listen() {
  shut();
  turn += 1;
  source = new EventSource(address(where.dataset.stream));
  later(fallBack, PATIENCE);
  source.addEventListener("ready", () => {
    clearTimeout(timer);
    show("live");
    beat();
  });
  source.addEventListener("changed", (event) => {
    beat();
    hear({ events: [JSON.parse(event.data)], newMark: event.lastEventId });
  });
  source.addEventListener("reset", (event) => hear({ isReset: true, newMark: event.lastEventId }));
  source.addEventListener("beat", (event) => {
    beat();
    if (event.lastEventId) mark = event.lastEventId;
  });
  source.addEventListener("over", stop);
  source.addEventListener("error", () => {
    clearTimeout(timer);
    if (source?.readyState === EventSource.CLOSED) wonder();
    else show("reconnecting");
  });
}

function shut() {
  clearTimeout(timer);
  clearTimeout(watch);
  source?.close();
  source = null;
}

function close() {
  turn += 1;
  shut();
  asking?.abort();
  letGo?.();
  letGo = null;
}

// One tab listens for all; who comes later asks once what it missed, and listens when that one is gone.
function start() {
  if (document.hidden || letGo) return;
  if (!navigator.locks || !channel) {
    letGo = () => {};
    listen();
    return;
  }
  const waiting = new AbortController();
  letGo = () => waiting.abort();
  let leads = false;
  navigator.locks.request(`live ${where.dataset.stream}`, { signal: waiting.signal }, () => {
    leads = true;
    return new Promise((done) => {
      letGo = done;
      listen();
    });
  }).catch(() => {});
  setTimeout(() => { if (!leads && letGo && !document.hidden) follow(); }, 100);
}

async function follow() {
  channel.postMessage({ asks: true });
  if ((await ask(0)) === "over") stop();
}

if (where) {
  channel?.addEventListener("message", ({ data }) => {
    if (data.heard) hear(data.heard, false);
    if (data.asks && source) channel.postMessage({ state: where.dataset.state });
    if (data.state && !source) show(data.state, false);
  });
  document.addEventListener("visibilitychange", () => {
    if (document.hidden) close();
    else start();
  });
  addEventListener("pagehide", close);
  addEventListener("pageshow", start);
  start();
}
