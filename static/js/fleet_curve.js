// The curve over the scrubber: fetched once the page stands, so that it delays neither the page nor the slider.

export async function showCurve(scrub, asked, goTo) {
  const place = scrub.querySelector("[data-curve]");
  asked.delete("at"); // it ends now, whatever time the grid shows
  const answer = await fetch(`${place.dataset.curve}?${asked}`);
  if (!answer.ok) return;
  place.innerHTML = await answer.text();
  const drawing = place.querySelector("svg");
  scrub.querySelector("[data-curve-words]").replaceChildren(...[...place.children].filter((each) => each !== drawing));
  place.hidden = !drawing;
  const slider = scrub.querySelector("input");
  slider.setAttribute("aria-describedby", "curve-words");
  drawing?.addEventListener("click", (event) => {
    const box = event.currentTarget.getBoundingClientRect();
    const share = Math.max(0, Math.min(1, (event.clientX - box.left) / box.width));
    const [low, high] = [Number(slider.min), Number(slider.max)];
    slider.value = low + Math.round((share * (high - low)) / 60) * 60;
    goTo(Number(slider.value));
    slider.focus();
  });
}
