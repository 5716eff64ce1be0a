// The fleet page: the grid at any time, moved through by slider, play and keys; the page works without it as a table.

import { showCurve } from "./fleet_curve.js";
import { cellAt, cornerOf, drawNode, frameRow, layOut, paintStrip, palette, patterns, ramp } from "./fleet_grid.js";
import { leadTo } from "./fleet_links.js";
import { ordered, worstHost } from "./fleet_order.js";
import { showNode, showNodeLater, shownHost } from "./fleet_panel.js";

const canvas = document.querySelector("[data-grid]");
const scrub = document.querySelector("[data-scrub]");
const slider = scrub.querySelector("input");
const told = document.querySelector("[data-told]");
const FAR = 6; // robust standard deviations: the colours end there
const PLAY_MS = 250;
const state = { names: null, frame: null, order: [], first: [], focus: null, low: Infinity, high: -Infinity, isChosen: false, isFollowing: false };
let plan = null;
let look = null;
let playing = null;
let waiting = null;

const query = () => {
  const asked = new URLSearchParams(location.search);
  const form = document.querySelector("[data-fleet-form]");
  asked.set("metric", form.elements.metric.value);
  return asked;
};

function take(frame) {
  const before = state.names?.hosts.join();
  if (frame.hosts) state.names = { hosts: frame.hosts, parts: frame.parts, sessions: frame.sessions, holders: frame.holders };
  state.frame = frame;
  state.first = [];
  state.names.parts.reduce((at, parts) => { state.first.push(at); return at + parts.length; }, 0);
  for (const each of frame.values) {
    if (each === null) continue;
    state.low = Math.min(state.low, each * frame.step);
    state.high = Math.max(state.high, each * frame.step);
  }
  if (state.names.hosts.join() !== before) arrange();
}

const arrange = () => { state.order = ordered(state, canvas.dataset.sort); };

function colourOf(at) {
  const { values, far, step } = state.frame;
  if (values[at] === null) return undefined;
  if (canvas.dataset.colour === "peers") {
    if (far[at] === null) return look.colours.calm;
    const share = Math.max(-1, Math.min(1, (far[at] * 0.1) / FAR));
    return share < 0 ? look.good[Math.round(-share * 32)] : look.bad[Math.round(share * 32)];
  }
  const span = state.high - state.low;
  return look.scale[span > 0 ? Math.round(((values[at] * step - state.low) / span) * 32) : 8];
}

// Of each Xid the place of its part; null: which GPU it was is not known, or has no cell here.
const hitColumns = (node) => (state.frame.xids[node] ?? []).map((each) => each[4]);

function draw() {
  const context = canvas.getContext("2d");
  const width = canvas.parentElement.clientWidth - 32;
  const ratio = devicePixelRatio || 1;
  const columns = state.names.parts.reduce((most, each) => Math.max(most, each.length), 1);
  plan = layOut({ width, nodes: state.order.length, columns });
  canvas.width = width * ratio;
  canvas.height = plan.height * ratio;
  canvas.style.aspectRatio = `${width} / ${plan.height}`;
  context.scale(ratio, ratio);
  context.font = "10px ui-monospace, monospace";
  look ??= looks(context);
  state.order.forEach((node, place) => {
    const from = state.first[node];
    const cells = state.names.parts[node].map((_, column) => colourOf(from + column));
    drawNode(context, plan, look, {
      place, cells, name: state.names.hosts[node], standing: state.frame.standing[node],
      out: state.frame.out[node], hit: hitColumns(node),
    });
  });
  const open = state.order.findIndex((node) => state.names.hosts[node] === shownHost());
  if (open >= 0) frameRow(context, plan, look.colours.accent, open);
  if (state.focus) frameFocus(context);
  legend();
}

function looks(context) {
  const colours = palette(canvas);
  return { colours, ...patterns(context, colours), scale: ramp(colours.calm, colours.accent),
    good: ramp(colours.calm, colours.low), bad: ramp(colours.calm, colours.high) };
}

function frameFocus(context) {
  const { x, y } = cornerOf(plan, state.focus.place, state.focus.column);
  context.strokeStyle = look.colours.ink;
  context.lineWidth = 2;
  context.strokeRect(x - 1, y - 1, plan.wide + 2, plan.high + 2);
}

const shown = (value) => {
  const digits = Math.max(0, Math.min(3, -Math.round(Math.log10(state.frame.step))));
  return `${value.toLocaleString(document.documentElement.lang, { maximumFractionDigits: digits })} ${state.frame.unit}`;
};

function legend() {
  const isPeers = canvas.dataset.colour === "peers";
  const hasValues = Number.isFinite(state.low);
  document.querySelector("[data-low]").textContent = isPeers ? `−${FAR}` : hasValues ? shown(state.low) : "";
  document.querySelector("[data-high]").textContent = isPeers ? `+${FAR} ${canvas.dataset.peers}` : hasValues ? shown(state.high) : "";
  paintStrip(document.querySelector("[data-scale]"), isPeers ? [...look.good].reverse().concat(look.bad) : look.scale);
}

function say() {
  const node = state.order[state.focus.place];
  const { column } = state.focus;
  const at = state.first[node] + column;
  const part = state.names.parts[node][column];
  const value = part === undefined ? null : state.frame.values[at];
  const far = part === undefined ? null : state.frame.far[at];
  const age = part === undefined ? null : state.frame.ages[at];
  const hits = (state.frame.xids[node] ?? []).filter((each) => each[4] === null || each[4] === column);
  const codes = hits.map(([gpu, code]) => `Xid ${code}${gpu === null ? "" : ` GPU ${gpu}`}`);
  const words = [
    state.names.hosts[node], part,
    value === null ? (state.frame.standing[node] === "x" ? canvas.dataset.hidden : canvas.dataset.noData) : shown(value * state.frame.step),
    far === null ? "" : `${far < 0 ? "−" : "+"}${Math.abs(far * 0.1).toFixed(1)} ${canvas.dataset.peers}`,
    age && value !== null ? `${age} ${canvas.dataset.old}` : "",
    state.frame.out[node], ...new Set(codes), state.names.sessions[node], state.names.holders[node],
  ];
  told.textContent = words.filter(Boolean).join(" · ");
}

function focusOn(cell) {
  if (!cell || (cell.place === state.focus?.place && cell.column === state.focus?.column)) return;
  state.focus = cell;
  say();
  draw();
}

const nodeAsked = (host, more) => ({
  address: canvas.dataset.node, host, metric: query().get("metric"), seconds: Number(slider.value), ...more,
});

async function openNode() {
  state.isChosen = true;
  await showNode(nodeAsked(state.names.hosts[state.order[state.focus.place]], { isChosen: true }));
  draw();
}

// Beside the grid stays the node that the reader chose; until then the worst of the time shown.
async function follow() {
  const worst = state.isChosen ? null : worstHost(state);
  const host = worst ?? shownHost();
  if (!host) return;
  if (state.isFollowing) { showNodeLater(follow); return; }
  state.isFollowing = true;
  try {
    await showNode(nodeAsked(host, { why: worst !== null }));
  } finally {
    state.isFollowing = false;
  }
  draw();
}

function settle() {
  arrange();
  draw();
  showNodeLater(follow);
}

async function goTo(seconds) {
  if (waiting) waiting.abort();
  waiting = new AbortController();
  const began = performance.now();
  const asked = query();
  const at = new Date(seconds * 1000).toISOString().replace(".000Z", "Z");
  asked.set("at", at);
  asked.set("layout", state.frame.layout);
  for (const name of ["sort", "colour"]) asked.delete(name);
  try {
    const answer = await fetch(`${scrub.dataset.values}?${asked}`, { signal: waiting.signal });
    if (!answer.ok) return;
    take(await answer.json());
  } catch (error) {
    if (error.name === "AbortError") return;
    throw error;
  }
  draw();
  if (state.focus) say();
  scrub.querySelector("[data-time]").textContent = state.frame.when;
  document.querySelector("[data-heading]").textContent = state.frame.heading;
  leadTo(at);
  scrub.dataset.took = Math.round(performance.now() - began);
}

function stop() {
  clearTimeout(playing);
  playing = null;
  const button = scrub.querySelector("[data-play]");
  [button.textContent, button.dataset.stop] = [button.dataset.stop, button.textContent];
  settle();
}

async function play() {
  if (Number(slider.value) >= Number(slider.max)) { stop(); return; }
  slider.value = Number(slider.value) + 60;
  await goTo(Number(slider.value));
  if (!playing) return;
  follow(); // one at a time: it holds up no step
  playing = setTimeout(play, PLAY_MS);
}

function move(event) {
  const step = { ArrowUp: -1, ArrowDown: 1, ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (event.key === "Enter" && state.focus) openNode();
  if (!step) return;
  event.preventDefault();
  const cell = { ...(state.focus ?? { place: 0, column: 0 }) };
  if (event.key.endsWith("Up") || event.key.endsWith("Down")) cell.place += step;
  else cell.column += step;
  if (cell.column < 0 || cell.column >= plan.columns) {
    cell.place += step * plan.rows;
    cell.column = step < 0 ? plan.columns - 1 : 0;
  }
  if (cell.place >= 0 && cell.place < state.order.length) focusOn(cell);
}

const pointed = (event) => {
  const box = canvas.getBoundingClientRect();
  return cellAt(plan, state.order.length, event.clientX - box.left, event.clientY - box.top);
};
canvas.addEventListener("pointermove", (event) => focusOn(pointed(event)));
canvas.addEventListener("click", (event) => { focusOn(pointed(event)); if (state.focus) openNode(); });
canvas.addEventListener("keydown", move);
slider.addEventListener("input", async () => { await goTo(Number(slider.value)); showNodeLater(follow); });
slider.addEventListener("change", settle);
scrub.querySelector("[data-play]").addEventListener("click", (event) => {
  if (playing) { stop(); return; }
  [event.target.textContent, event.target.dataset.stop] = [event.target.dataset.stop, event.target.textContent];
  if (Number(slider.value) >= Number(slider.max)) slider.value = Number(slider.max) - 3600;
  playing = setTimeout(play, 0);
});
for (const name of ["metric", "session"]) {
  document.querySelector(`[data-fleet-form] [name=${name}]`).addEventListener("change", (event) => event.target.form.requestSubmit());
}
const again = () => { look = null; draw(); };
document.addEventListener("portal:theme", again);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
addEventListener("resize", draw);
take(JSON.parse(document.getElementById("fleet-values").textContent));
draw();
showCurve(scrub, query(), async (seconds) => { await goTo(seconds); settle(); });
