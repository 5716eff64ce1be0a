// What a figure shows, as a table beside it, a file of it, or a picture.

import { written } from "./panels.js";

const SCALE = 2; // pixels of a picture for one of the page
const figureOf = (button) => button.closest(".chart").querySelector("[data-figure]");

// Rows of [time, value of each line]; what is drawn without a name (hatching) is none.
function rowsOf(figure) {
  const lines = figure.data.filter((each) => each.name && each.mode === "lines");
  const times = [...new Set(lines.flatMap((each) => each.x))].sort();
  const values = lines.map((each) => new Map(each.x.map((at, place) => [at, each.y[place]])));
  return {
    names: lines.map((each) => each.name),
    rows: times.map((at) => [at, ...values.map((each) => each.get(at) ?? null)]),
  };
}

function cell(name, text) {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

function table(figure, titles, most = Infinity) {
  const { names, rows: all } = rowsOf(figure);
  const step = Math.max(1, Math.ceil(all.length / most));
  const rows = all.filter((_, place) => place % step === 0 || place === all.length - 1);
  const made = document.createElement("table");
  const head = made.createTHead().insertRow();
  head.append(...[titles.time, ...names].map((each) => cell("th", each)));
  const body = made.createTBody();
  for (const [at, ...values] of rows) {
    const row = body.insertRow();
    row.append(cell("td", at), ...values.map((each) => cell("td", each === null ? titles.none : String(each))));
  }
  return made;
}

// On paper a chart that could not be drawn is its table: some of its rows, evenly, and the last.
const MOST_ON_PAPER = 12;
export function printTable(element) {
  const details = element.closest(".chart")?.querySelector("details[data-chart-table]");
  const figure = written(element);
  if (!details || !figure) return;
  details.querySelector("[data-rows]").replaceChildren(table(figure, details.dataset, MOST_ON_PAPER));
  details.dataset.printed = details.open ? "open" : "";
  details.open = true;
}

export function clearPrinted() {
  for (const details of document.querySelectorAll("details[data-printed]")) {
    const wasOpen = details.dataset.printed === "open";
    delete details.dataset.printed;
    details.open = false;
    if (wasOpen) details.open = true; // written again, whole
  }
}

// A cell that a spreadsheet would reckon with is quoted as text.
function quoted(value) {
  const text = String(value ?? "");
  const safe = /^(\s*[=+\-@]|[\t\r\n])/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

function csv(figure, titles) {
  const { names, rows } = rowsOf(figure);
  return [[titles.time, ...names], ...rows].map((row) => row.map(quoted).join(",")).join("\r\n");
}

function save(blob, name) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href));
}

async function picture(element) {
  const { width, height } = element.getBoundingClientRect();
  const image = new Image();
  image.src = await window.Plotly.toImage(element, { format: "svg", width, height });
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = width * SCALE;
  canvas.height = height * SCALE;
  const pen = canvas.getContext("2d");
  pen.fillStyle = getComputedStyle(document.body).backgroundColor;
  pen.fillRect(0, 0, canvas.width, canvas.height);
  pen.scale(SCALE, SCALE);
  pen.drawImage(image, 0, 0, width, height);
  return new Promise((resolve) => { canvas.toBlob(resolve, "image/png"); });
}

document.addEventListener("toggle", ({ target }) => {
  if (!target.matches?.("details[data-chart-table]") || !target.open) return;
  const place = target.querySelector("[data-rows]");
  place.replaceChildren(table(written(figureOf(target)), target.dataset));
}, true);

document.addEventListener("click", async ({ target }) => {
  const button = target.closest("[data-chart-file]");
  if (!button) return;
  const element = figureOf(button);
  const name = element.dataset.figure.replace("figure-", "");
  if (button.dataset.chartFile === "png") {
    if (element.classList.contains("js-plotly-plot")) save(await picture(element), `${name}.png`);
    return;
  }
  const text = csv(written(element), button.closest("details").dataset);
  save(new Blob([text], { type: "text/csv" }), `${name}.csv`);
});
