// What every page does in the browser: theme, clocks, menus, copying, keys. The page works without it.

const YEAR = 31536000;
const remember = (name, value) => {
  document.cookie = `${name}=${encodeURIComponent(value)}; path=/; max-age=${YEAR}; samesite=lax`;
};

// The server writes local times when it knows the zone.
remember("zone", Intl.DateTimeFormat().resolvedOptions().timeZone);

function isDark() {
  const root = document.documentElement;
  if (root.classList.contains("dark")) return true;
  return !root.classList.contains("light") && matchMedia("(prefers-color-scheme: dark)").matches;
}

function changeTheme() {
  const theme = isDark() ? "light" : "dark";
  document.documentElement.classList.remove("light", "dark");
  document.documentElement.classList.add(theme);
  remember("theme", theme);
  document.dispatchEvent(new CustomEvent("portal:theme"));
}

const two = (number) => String(number).padStart(2, "0");

function runClocks() {
  const now = new Date();
  for (const clock of document.querySelectorAll("[data-clock]")) {
    clock.querySelector("b").textContent = now.toISOString().slice(11, 19);
    const zone = new Intl.DateTimeFormat("en", { timeZoneName: "short" }).formatToParts(now);
    const name = zone.find((part) => part.type === "timeZoneName").value;
    const local = `${two(now.getHours())}:${two(now.getMinutes())}:${two(now.getSeconds())} ${name}`;
    clock.querySelector("[data-local]").textContent = name === "UTC" ? "" : local;
  }
  for (const since of document.querySelectorAll("[data-since]")) {
    const seconds = Math.max(0, Math.floor(now / 1000 - Number(since.dataset.since)));
    const days = Math.floor(seconds / 86400);
    const clock = [Math.floor((seconds % 86400) / 3600), Math.floor((seconds % 3600) / 60), seconds % 60];
    since.textContent = (days ? `${days}${since.dataset.days ?? " d"} ` : "") + clock.map(two).join(":");
  }
}

function copy(button) {
  const text = document.getElementById(button.dataset.copy).textContent;
  const label = button.textContent;
  navigator.clipboard.writeText(text).then(() => {
    button.textContent = button.dataset.done;
    setTimeout(() => { button.textContent = label; }, 1600);
  });
}

function closeMenus(except) {
  for (const menu of document.querySelectorAll("details.switcher[open]")) {
    if (!menu.contains(except)) menu.open = false;
  }
}

const isTyping = (target) => target.closest("input, textarea, select, [contenteditable]");

function step(direction) {
  const entries = [...document.querySelectorAll("[data-entry], tbody tr .row-link")].filter((each) => each.offsetParent);
  if (!entries.length) return;
  const at = entries.indexOf(document.activeElement.closest("[data-entry], .row-link"));
  const next = entries[Math.min(Math.max(at + direction, 0), entries.length - 1)];
  next.focus();
  next.scrollIntoView({ block: "nearest" });
}

// The pages that `g` leads to stand in the frame: who adds one there has it listed.
function showKeys() {
  const dialog = document.getElementById("keys");
  const list = dialog?.querySelector("[data-keys-of-pages]");
  if (!dialog || dialog.open) return;
  if (!list.querySelector("[data-page]")) {
    for (const link of document.querySelectorAll(".nav a[data-key]")) {
      const keys = document.createElement("dt");
      keys.dataset.page = "";
      for (const key of ["g", link.dataset.key]) {
        keys.append(Object.assign(document.createElement("kbd"), { textContent: key }), " ");
      }
      list.append(keys, Object.assign(document.createElement("dd"), { textContent: link.textContent }));
    }
  }
  dialog.showModal();
}

let leading = "";
function onKey(event) {
  if (event.key === "Escape") closeMenus(null);
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
  if (leading === "g" && /^[a-z]$/.test(event.key)) document.querySelector(`.nav a[data-key="${event.key}"]`)?.click();
  leading = event.key;
  if (event.key === "t") changeTheme();
  if (event.key === "?") showKeys();
  if (event.key === "j") step(1);
  if (event.key === "k") step(-1);
  const note = event.key === "a" && document.getElementById("note-text");
  if (note) {
    event.preventDefault();
    note.focus();
  }
}

document.addEventListener("keydown", onKey);
document.addEventListener("click", (event) => {
  closeMenus(event.target);
  if (event.target.closest("[data-theme-toggle]")) changeTheme();
  if (event.target.closest("[data-show-keys]")) showKeys();
  const button = event.target.closest("[data-copy]");
  if (button) copy(button);
});
setInterval(runClocks, 1000);
runClocks();
