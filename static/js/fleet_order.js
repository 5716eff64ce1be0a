// Which node stands out most at the time shown.

const NOTHING = -1e5; // below any distance: no part of it has one

// As the server orders: Xids that may begin a failure, other Xids, then the distance from peers.
function worstOf({ names, frame, first }, node) {
  const far = frame.far.slice(first[node], first[node] + names.parts[node].length);
  const xids = frame.xids[node] ?? [];
  const rank = xids.some((each) => each[3]) ? 2e6 : xids.length ? 1e6 : 0;
  return rank + far.reduce((most, each) => Math.max(most, each ?? NOTHING), NOTHING);
}

export function ordered(state, sort) {
  const order = state.names.hosts.map((_, node) => node);
  if (sort !== "worst") return order;
  const worst = order.map((node) => worstOf(state, node));
  return order.sort((a, b) => (worst[a] === worst[b] ? a - b : worst[b] - worst[a]));
}

export function worstHost(state) {
  const worst = state.names.hosts.map((_, node) => worstOf(state, node));
  const most = worst.reduce((one, other) => Math.max(one, other), NOTHING);
  return most > NOTHING ? state.names.hosts[worst.indexOf(most)] : null;
}
