// Draws the figures that the server wrote into the page, once they come near the screen. Colours come from the
// theme's tokens. Figures of one page zoom together, and show the instant that is pointed at on the timeline.

const NEAR = "400px";
const figures = () => [...document.querySelectorAll("[data-figure]")];
const isDrawn = (element) => element.classList.contains("js-plotly-plot");

// A token is a pair of colours, light and dark: which one counts shows on an element that is painted with it. Each is
// looked up once for charts of one kind, as the page is styled anew for it.
const tokens = new Map();
function token(element, name) {
  const key = `${element.parentElement.className} ${name}`;
  if (tokens.has(key)) return tokens.get(key);
  const probe = document.createElement("i");
  probe.style.color = `var(${name})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  tokens.set(key, color);
  return color;
}

function recolour() {
  tokens.clear();
  drawn((each) => draw(each));
}

function coloured(value, element) {
  if (typeof value === "string" && value.startsWith("--")) return token(element, value);
  if (Array.isArray(value)) return value.map((each) => coloured(each, element));
  if (value && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, coloured(each, element)]));
  }
  return value;
}

let library;
function loaded() {
  library ??= new Promise((resolve, reject) => {
    if (window.Plotly) {
      resolve();
      return;
    }
    const script = document.createElement("script");
    script.src = document.querySelector("[data-plotly]").dataset.plotly;
    script.addEventListener("load", resolve);
    script.addEventListener("error", () => {
      library = undefined; // the next figure that comes near asks again
      reject(new Error("charts could not be loaded"));
    });
    document.head.append(script);
  });
  return library;
}

export function written(element) {
  const found = document.getElementById(element.dataset.figure);
  return found ? JSON.parse(found.textContent) : null;
}

// One figure at a time: in between the browser answers who does something.
let busy = Promise.resolve();
function turn() {
  busy = busy.then(() => new Promise((next) => { setTimeout(next); }));
  return busy;
}

// Fingers scroll the page: only a pointer that hovers drags out a stretch of time.
const dragMode = () => (matchMedia("(hover: hover)").matches ? "zoom" : false);

// What lines are called is text: Plotly would take a label that reads like an element for a link.
const plain = (line) => (line.name ? { ...line, name: line.name.replaceAll("&", "&amp;").replaceAll("<", "&lt;") } : line);

async function draw(element, { isAtOnce = false, width } = {}) {
  const figure = written(element);
  if (!figure) return;
  if (element.parentElement.querySelector("[data-chart-table]")) import("./chart_data.js");
  await loaded();
  if (!isAtOnce) await turn();
  if (!element.isConnected) return;
  const { data, layout } = coloured(figure, element);
  const config = { displayModeBar: false, responsive: true, scrollZoom: false, doubleClick: "reset" };
  const isNew = !isDrawn(element);
  await window.Plotly.react(element, data.map(plain), { ...layout, width, dragmode: dragMode() }, config);
  if (isNew) connect(element);
}

const drawn = (action) => figures().filter(isDrawn).forEach(action);

// What one figure shows of the time, all show: those in view at once, the others one by one after them.
const isInView = (element) => {
  const { top, bottom } = element.getBoundingClientRect();
  return bottom > 0 && top < innerHeight;
};
const zoom = (element, range) => window.Plotly.relayout(element, { "xaxis.range": [...range] });

const following = new WeakSet(); // figures that are told, not asked
let last = null; // what was asked for last
async function follow(source, told) {
  const isZoom = "xaxis.range[0]" in told || "xaxis.range" in told || "xaxis.autorange" in told;
  if (following.has(source) || !isZoom) return;
  const range = last = [...source.layout.xaxis.range];
  const others = figures().filter((each) => isDrawn(each) && each !== source);
  const [shown, hidden] = [others.filter(isInView), others.filter((each) => !isInView(each))];
  const show = async (each) => {
    following.add(each);
    try {
      await zoom(each, range);
    } finally {
      following.delete(each);
    }
  };
  await Promise.all(shown.map(show));
  for (const each of hidden) {
    await turn();
    if (last !== range) return; // another stretch was chosen
    await show(each);
  }
}

function connect(element) {
  element.on("plotly_relayout", (told) => follow(element, told));
  element.on("plotly_doubleclick", () => drawn((each) => {
    if (each !== element) draw(each);
  }));
  element.on("plotly_hover", ({ points }) => {
    const at = Date.parse(`${points[0]?.x.replace(" ", "T")}Z`);
    document.dispatchEvent(new CustomEvent("portal:instant", { detail: { at, from: element } }));
  });
  element.on("plotly_unhover", () => document.dispatchEvent(new CustomEvent("portal:instant", { detail: { at: null, from: element } })));
}

document.addEventListener("portal:instant", ({ detail: { at, from } }) => {
  if (!window.Plotly) return;
  drawn((each) => {
    if (each === from || (at !== null && !isInView(each))) return;
    if (at === null) window.Plotly.Fx.unhover(each);
    else window.Plotly.Fx.hover(each, { xval: at });
  });
});

const near = new IntersectionObserver((entries) => {
  for (const { isIntersecting, target } of entries) {
    if (!isIntersecting) continue;
    near.unobserve(target);
    draw(target).catch(() => near.observe(target));
  }
}, { rootMargin: NEAR });

export function watch() {
  for (const element of figures()) {
    if (isDrawn(element)) draw(element);
    else near.observe(element);
  }
}

document.addEventListener("portal:theme", recolour);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolour);
document.addEventListener("htmx:afterSettle", watch);

// Paper is not waited for: what is printed is drawn at once, or stands as its table where the library never came.
const PAPER = 640; // pixels of a chart on the narrowest paper
let tables; // the module that writes tables, once somebody may print
const narrow = (element) => Math.min(PAPER, element.clientWidth || PAPER);

function print() {
  for (const element of figures()) {
    if (window.Plotly) draw(element, { isAtOnce: true, width: narrow(element) });
    else tables?.printTable(element);
  }
}

// Whoever prints has a wide screen, and asks without scrolling first: it comes when the page has nothing else to do.
function prepare() {
  if (!figures().length || tables) return;
  import("./chart_data.js").then((module) => { tables = module; });
  if (matchMedia("(min-width: 701px)").matches) loaded().catch(() => {});
}
const whenIdle = window.requestIdleCallback ?? ((act) => setTimeout(act, 1000));

addEventListener("beforeprint", print);
addEventListener("afterprint", () => {
  tables?.clearPrinted();
  drawn((each) => draw(each));
});
if (document.readyState === "complete") whenIdle(prepare);
else addEventListener("load", () => whenIdle(prepare), { once: true });
watch();
