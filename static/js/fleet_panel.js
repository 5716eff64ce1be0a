// The node beside the grid: fetched when one is chosen, and again for the same node when the time is another.

const panel = document.getElementById("fleet-node");
const LATER_MS = 300; // after the last move of the slider
let later = null;
let asks = 0;

export const shownHost = () => panel.querySelector("[data-host]")?.dataset.host ?? null;

// `why`: the server says what made it stand here, as nobody chose it.
export async function showNode({ address, host, metric, seconds, isChosen, why }) {
  clearTimeout(later);
  const ask = ++asks;
  const asked = new URLSearchParams({ metric, at: new Date(seconds * 1000).toISOString() });
  if (why) asked.set("why", "1");
  const answer = await fetch(`${address.replace("HOST", encodeURIComponent(host))}?${asked}`);
  const text = answer.ok ? await answer.text() : null;
  if (text === null || ask !== asks) return; // another was asked for since
  panel.innerHTML = text;
  if (isChosen) panel.focus({ preventScroll: innerWidth > 1180 });
}

// Not while it moves: each step of the slider has its own time to keep.
export function showNodeLater(show) {
  clearTimeout(later);
  later = setTimeout(show, LATER_MS);
}
