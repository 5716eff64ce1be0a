// Draws the figures that the server wrote into the page. Colours come from the theme's tokens.

// A token is a pair of colours, light and dark: which one counts shows on an element that is painted with it.
function token(element, name) {
  const probe = document.createElement("i");
  probe.style.color = `var(${name})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

function coloured(value, element) {
  if (typeof value === "string" && value.startsWith("--")) return token(element, value);
  if (Array.isArray(value)) return value.map((each) => coloured(each, element));
  if (value && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, coloured(each, element)]));
  }
  return value;
}

function draw(element) {
  const written = document.getElementById(element.dataset.figure);
  if (!written) return;
  const figure = coloured(JSON.parse(written.textContent), element);
  const config = { displayModeBar: false, responsive: true, scrollZoom: false, doubleClick: false };
  window.Plotly.react(element, figure.data, figure.layout, config);
}

function drawAll() {
  for (const element of document.querySelectorAll("[data-figure]")) draw(element);
}

document.addEventListener("portal:theme", drawAll);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawAll);
document.addEventListener("htmx:afterSettle", drawAll);
drawAll();
