// The timeline as a place to write at: drag a stretch of time, or press `a` at a moment. A stretch that is dragged
// over the density above it is the window that is shown.

// How another window comes is loaded when a pointer moves; without it, null, the address is opened.
const windows = () => import("./windows.js").catch(() => null);

const RESTS = 60; // milliseconds that a drag rests on a window before it is asked for
const SVG = "http://www.w3.org/2000/svg";
const LEAST = 4; // pixels: less is a click
let from = null; // where a drag began
let chosen = null; // a moment: {at, lane}

const number = (svg, name) => Number(svg.dataset[name]);

// Returns where a pointer is on a plot, in the units of the drawing.
function spot(svg, event) {
  const box = svg.getBoundingClientRect();
  const scale = svg.viewBox.baseVal.width / box.width;
  const x = (event.clientX - box.left) * scale;
  return {
    svg,
    x: Math.min(Math.max(x, number(svg, "left")), number(svg, "right")),
    y: (event.clientY - box.top) * scale,
  };
}

function timeAt(svg, x) {
  const [begin, end] = [Date.parse(svg.dataset.from), Date.parse(svg.dataset.until)];
  const share = (x - number(svg, "left")) / (number(svg, "right") - number(svg, "left"));
  return new Date(begin + share * (end - begin));
}

function laneAt(svg, y) {
  const places = [...svg.querySelectorAll(".lane-place")];
  const found = places.find((each) => y >= Number(each.getAttribute("y")) &&
    y < Number(each.getAttribute("y")) + Number(each.getAttribute("height")));
  return found?.dataset.lane ?? "";
}

function drawn(svg, name, attributes) {
  svg.querySelector(`.${name}`)?.remove();
  const shape = document.createElementNS(SVG, "rect");
  shape.setAttribute("class", name);
  for (const [key, value] of Object.entries(attributes)) shape.setAttribute(key, value);
  svg.append(shape);
}

function mark(svg, begin, end) {
  const top = "density" in svg.dataset ? 0 : 34;
  drawn(svg, "chosen", {
    x: Math.min(begin, end),
    y: top,
    width: Math.max(Math.abs(end - begin), 1),
    height: ("density" in svg.dataset ? 36 : svg.viewBox.baseVal.height) - top,
  });
}

const utc = (at) => at.toISOString().slice(0, 19);

// Opens the form with a time and a lane in it; what was written there stays.
function write({ begin, end, lane }) {
  const form = document.getElementById("note-form");
  if (!form) return;
  form.elements.starts_at.value = begin ? utc(begin) : "";
  form.elements.ends_at.value = end ? utc(end) : "";
  const known = [...form.elements.lane.options].some((option) => option.value === lane);
  form.elements.lane.value = known && lane !== "people" ? lane : "";
  form.querySelector("details.about").open = true;
  form.elements.text.focus({ preventScroll: true });
  form.scrollIntoView({ block: "center" });
}

const plotOf = (event) => event.target.closest?.("svg[data-timeline], svg[data-density]");

function addressOf(begin, end) {
  const address = new URL(location.href);
  const [first, last] = [Math.floor(begin.getTime() / 1000), Math.ceil(end.getTime() / 1000)];
  address.searchParams.set("span", `${first}-${Math.max(last, first + 1)}`);
  return address;
}

// Shows another window, which stands in the address: whoever gets it sees the same.
function show(begin, end) {
  const address = addressOf(begin, end);
  windows().then((found) => (found ? found.open(address) : location.assign(address)));
}

// A stretch on which a drag rests is likely the window: it is asked for before it is let go of.
let rests = 0;
function ask({ svg, x }, end) {
  clearTimeout(rests);
  if (!("density" in svg.dataset) || Math.abs(end - x) < LEAST) return;
  const address = addressOf(timeAt(svg, Math.min(x, end)), timeAt(svg, Math.max(x, end)));
  rests = setTimeout(() => windows().then((found) => from && found?.likely(address)), RESTS);
}

function giveUp() {
  clearTimeout(rests);
  if (from && "density" in from.svg.dataset) windows().then((found) => found?.unlikely());
  if (from) delete from.svg.dataset.choosing;
  from = null;
}

document.addEventListener("pointerdown", (event) => {
  const svg = plotOf(event);
  if (!svg || event.button || event.target.closest("a") || event.pointerType === "touch") return;
  if (!event.target.matches(".lane-place")) return;
  event.preventDefault();
  from = spot(svg, event);
  svg.dataset.choosing = "";
});

document.addEventListener("pointermove", (event) => {
  if (from) {
    const { x } = spot(from.svg, event);
    mark(from.svg, from.x, x);
    ask(from, x);
    return;
  }
  const svg = plotOf(event);
  const had = document.querySelector(".hair");
  document.querySelectorAll(".hair").forEach((each) => each.remove());
  if (!svg || "density" in svg.dataset || !event.target.matches(".lane-place")) {
    if (had) point(null, had.closest("svg"));
    return;
  }
  const { x } = spot(svg, event);
  hair(svg, x);
  point(timeAt(svg, x).getTime(), svg);
});

const hair = (svg, x) => drawn(svg, "hair", { x, y: 34, width: 0.01, height: svg.viewBox.baseVal.height - 34 });

// One instant is pointed at, on the timeline and on the charts.
const point = (at, from) => document.dispatchEvent(new CustomEvent("portal:instant", { detail: { at, from } }));

document.addEventListener("portal:instant", ({ detail: { at, from } }) => {
  for (const svg of document.querySelectorAll("svg[data-timeline]")) {
    if (svg === from) continue;
    svg.querySelector(".hair")?.remove();
    const [begin, end] = [Date.parse(svg.dataset.from), Date.parse(svg.dataset.until)];
    if (at === null || at < begin || at > end) continue;
    const [left, right] = [number(svg, "left"), number(svg, "right")];
    hair(svg, left + ((at - begin) / (end - begin)) * (right - left));
  }
});

document.addEventListener("pointerup", (event) => {
  if (!from) return;
  clearTimeout(rests);
  const { svg, x, y } = from;
  const end = spot(svg, event).x;
  const lane = laneAt(svg, y);
  from = null;
  delete svg.dataset.choosing;
  if ("density" in svg.dataset) {
    // What was drawn stays until the window is there.
    if (Math.abs(end - x) >= LEAST) show(timeAt(svg, Math.min(x, end)), timeAt(svg, Math.max(x, end)));
    else svg.querySelector(".chosen")?.remove();
    return;
  }
  if (Math.abs(end - x) < LEAST) {
    mark(svg, x, x);
    chosen = { at: timeAt(svg, x), lane };
    return;
  }
  chosen = null;
  write({ begin: timeAt(svg, Math.min(x, end)), end: timeAt(svg, Math.max(x, end)), lane });
});

document.addEventListener("pointercancel", giveUp);

// The moment that is meant: chosen on the plot, under the pointer, or of the chosen line of the list.
function moment() {
  const hair = document.querySelector(".hair");
  if (hair) {
    const svg = hair.closest("svg");
    const lane = svg.querySelector(".lane-place:hover")?.dataset.lane ?? "";
    return { begin: timeAt(svg, Number(hair.getAttribute("x"))), lane };
  }
  if (chosen) return { begin: chosen.at, lane: chosen.lane };
  const time = document.activeElement?.closest("[data-entry]")?.querySelector("time");
  return time ? { begin: new Date(time.dateTime), lane: "" } : null;
}

// Keys move the window by half of it, or halve and double it around its middle: [from, until] in lengths of it.
const MOVES = { "[": [-0.5, 0.5], "]": [0.5, 1.5], "+": [0.25, 0.75], "-": [-0.5, 1.5] };

function move([first, last]) {
  const svg = document.querySelector("svg[data-timeline]");
  if (!svg) return;
  const [begin, end] = [Date.parse(svg.dataset.from), Date.parse(svg.dataset.until)];
  show(new Date(begin + first * (end - begin)), new Date(begin + last * (end - begin)));
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && from) {
    from.svg.querySelector(".chosen")?.remove();
    giveUp();
  }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, textarea, select, [contenteditable]")) return;
  if (event.key in MOVES) move(MOVES[event.key]);
  if (event.key !== "a") return;
  const found = moment();
  if (found) write(found);
});

// Who has a pointer may come to the timeline at once: its windows are at hand when the page has nothing else to do.
const whenIdle = window.requestIdleCallback ?? ((act) => setTimeout(act, 1000));
if (matchMedia("(hover: hover)").matches) whenIdle(windows);
document.addEventListener("pointermove", windows, { once: true, passive: true });
for (const kind of ["pointerover", "focusin"]) {
  document.addEventListener(kind, (event) => { if (event.target.closest?.("#timeline-card")) windows(); }, { passive: true });
}

document.addEventListener("click", (event) => {
  const link = event.target.closest?.("#timeline-card .segments a");
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  windows().then((found) => (found ? found.follow(link) : location.assign(link.href)));
});
