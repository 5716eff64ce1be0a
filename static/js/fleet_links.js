// What leads on from the page leads to the time that it shows.
export function leadTo(at) {
  const withTime = (address) => {
    const there = new URL(address, location.href);
    there.searchParams.set("at", at);
    return there;
  };
  history.replaceState(null, "", withTime(location.href));
  for (const link of document.querySelectorAll("[data-json], [data-fleet-form] .segments a")) link.href = withTime(link.href);
  const field = document.querySelector("[data-fleet-form]").elements.at;
  [field.value, field.disabled] = [at, false];
  document.querySelector("[data-newest]").hidden = false;
}
