// Search while typing: the page with the query in its address brings the new list.
const PAUSE_MS = 250;
const form = document.getElementById("search");
let timer;
let latest = 0;

async function search() {
  const mine = ++latest;
  const address = `/?${new URLSearchParams(new FormData(form))}`;
  const response = await fetch(address).catch(() => null); // who is offline can still press Search
  if (!response?.ok) return;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  if (mine !== latest) return;
  for (const id of ["count", "found"]) {
    document.getElementById(id).replaceChildren(...page.getElementById(id).childNodes);
  }
  history.replaceState(null, "", address);
}

form.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(search, PAUSE_MS);
});
