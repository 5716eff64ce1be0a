// Draws nodes and their parts into one canvas: a row a node, a cell a part.

const LABEL = 68; // pixels in front of a row, where names have room
const ROOMY = 400; // nodes: with more of them cells are small, and without names

function token(element, name) {
  const probe = document.createElement("i");
  probe.style.color = `var(${name})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

export function palette(element) {
  const names = { line: "--line-strong", ink: "--ink-1", soft: "--ink-3", hatch: "--hatch", surface: "--surface",
    calm: "--line", low: "--network", high: "--gpu", accent: "--accent" };
  return Object.fromEntries(Object.entries(names).map(([key, name]) => [key, token(element.parentElement, name)]));
}

const parse = (text) => (text.match(/[\d.]+/g) ?? [0, 0, 0]).slice(0, 3).map(Number);

// 33 colours between two, computed once: a cell only looks one up.
export function ramp(from, to) {
  const [a, b] = [parse(from), parse(to)];
  return Array.from({ length: 33 }, (_, n) =>
    `rgb(${a.map((each, at) => Math.round(each + ((b[at] - each) * n) / 32)).join(" ")})`);
}

// Where each node and part stands: nodes in the order given, column after column.
export function layOut({ width, nodes, columns }) {
  const roomy = nodes <= ROOMY;
  const gap = roomy ? 2 : 1;
  const label = roomy ? LABEL : 0;
  const wide = roomy ? Math.min(22, Math.max(10, Math.floor((width - label) / columns) - gap)) : 5;
  const high = roomy ? 15 : 5;
  const block = label + columns * (wide + gap) + (roomy ? 26 : 6);
  const across = Math.max(1, Math.min(Math.floor((width + 20) / block), Math.ceil(nodes / (roomy ? 8 : 24))));
  const rows = Math.ceil(nodes / across);
  return { roomy, gap, label, wide, high, block, across, rows, columns, height: Math.max(1, rows) * (high + gap) + 4 };
}

export const cornerOf = (plan, place, column) => ({
  x: Math.floor(place / plan.rows) * plan.block + plan.label + column * (plan.wide + plan.gap) + 1,
  y: (place % plan.rows) * (plan.high + plan.gap) + 1,
});

export function cellAt(plan, nodes, x, y) {
  const across = Math.floor(x / plan.block);
  const row = Math.floor((y - 1) / (plan.high + plan.gap));
  const place = across * plan.rows + row;
  if (row < 0 || row >= plan.rows || across >= plan.across || place >= nodes) return null;
  const column = Math.floor((x - across * plan.block - plan.label) / (plan.wide + plan.gap));
  return { place, column: Math.max(0, Math.min(column, plan.columns - 1)) };
}

export function patterns(context, colours) {
  const pattern = (draw) => {
    const tile = new OffscreenCanvas(6, 6);
    draw(tile.getContext("2d"));
    return context.createPattern(tile, "repeat");
  };
  const hatch = pattern((pen) => {
    pen.strokeStyle = colours.hatch;
    for (const from of [-6, 0, 6]) { pen.moveTo(from, 6); pen.lineTo(from + 6, 0); }
    pen.stroke();
  });
  const dots = pattern((pen) => {
    pen.fillStyle = colours.soft;
    pen.fillRect(1, 1, 1.4, 1.4);
    pen.fillRect(4, 4, 1.4, 1.4);
  });
  return { hatch, dots };
}

// Around the whole row of the node that stands beside the grid.
export function frameRow(context, plan, colour, place) {
  const { x, y } = cornerOf(plan, place, 0);
  context.strokeStyle = colour;
  context.lineWidth = 2;
  context.strokeRect(x - plan.label - 1, y - 1, plan.label + plan.columns * (plan.wide + plan.gap) + 1, plan.high + 2);
}

export function drawNode(context, plan, look, node) {
  const { colours } = look;
  const count = Math.max(node.cells.length, 1);
  for (let column = 0; column < count; column += 1) {
    const { x, y } = cornerOf(plan, node.place, column);
    const wide = node.cells.length ? plan.wide : plan.columns * (plan.wide + plan.gap) - plan.gap;
    context.fillStyle = node.cells[column] ?? (node.standing === "x" ? look.dots : look.hatch);
    context.fillRect(x, y, wide, plan.high);
  }
  const { x, y } = cornerOf(plan, node.place, 0);
  if (node.out) {
    context.strokeStyle = colours.soft;
    context.lineWidth = plan.roomy ? 2 : 1;
    context.strokeRect(x - 1, y - 1, plan.columns * (plan.wide + plan.gap), plan.high + 2);
  }
  for (const column of node.hit) {
    if (column !== null) cross(context, plan, colours, cornerOf(plan, node.place, column));
  }
  if (node.hit.includes(null)) nodeCross(context, plan, colours, { x, y });
  if (plan.roomy) {
    context.fillStyle = colours.soft;
    context.fillText(node.name.slice(0, 10), x - plan.label, y + plan.high - 4);
  }
}

function cross(context, plan, colours, { x, y }) {
  context.fillStyle = colours.surface;
  context.fillRect(x, y, plan.wide, plan.high);
  context.strokeStyle = colours.ink;
  context.lineWidth = plan.roomy ? 1.6 : 1;
  context.strokeRect(x + 0.5, y + 0.5, plan.wide - 1, plan.high - 1);
  strokes(context, x + plan.wide / 2, y + plan.high / 2, plan.roomy ? 3 : 1.5);
}

// Which GPU it was is not known: in front of the row, or around it where nothing stands in front.
function nodeCross(context, plan, colours, { x, y }) {
  context.strokeStyle = colours.ink;
  context.lineWidth = plan.roomy ? 1.6 : 1;
  if (plan.roomy) strokes(context, x - 6, y + plan.high / 2, 3);
  else context.strokeRect(x - 0.5, y - 0.5, plan.columns * (plan.wide + plan.gap), plan.high + 1);
}

function strokes(context, middle, centre, arm) {
  context.beginPath();
  context.moveTo(middle - arm, centre - arm);
  context.lineTo(middle + arm, centre + arm);
  context.moveTo(middle + arm, centre - arm);
  context.lineTo(middle - arm, centre + arm);
  context.stroke();
}

// The colours of the key, side by side.
export function paintStrip(strip, colours) {
  const pen = strip.getContext("2d");
  colours.forEach((colour, at) => {
    pen.fillStyle = colour;
    pen.fillRect((at * strip.width) / colours.length, 0, strip.width / colours.length + 1, strip.height);
  });
}
