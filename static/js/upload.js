// Files may be dropped as well as chosen; their names are listed before they are sent.

const zone = document.querySelector("[data-drop]");
const input = zone?.querySelector("input[type=file]");
const list = document.querySelector("[data-files]");

const size = (bytes) => {
  const units = ["B", "KiB", "MiB", "GiB"];
  const power = Math.min(Math.floor(Math.log2(Math.max(bytes, 1)) / 10), 3);
  return `${(bytes / 1024 ** power).toFixed(power ? 1 : 0)} ${units[power]}`;
};

function tell() {
  const lines = [...input.files].slice(0, 20).map((file) => {
    const line = document.createElement("li");
    line.textContent = `${file.name}, ${size(file.size)}`;
    return line;
  });
  list.replaceChildren(...lines);
  if (input.files.length > 20) {
    const more = document.createElement("li");
    more.textContent = `+ ${input.files.length - 20}`;
    list.append(more);
  }
}

if (zone) {
  input.addEventListener("change", tell);
  tell(); // files chosen before this script ran, or kept by the browser when going back
  for (const name of ["dragenter", "dragover"]) zone.addEventListener(name, () => zone.classList.add("is-over"));
  for (const name of ["dragleave", "drop"]) zone.addEventListener(name, () => zone.classList.remove("is-over"));
}
