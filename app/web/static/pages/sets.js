// @ts-check
// Search while typing: the page with the query in its address brings the new list.
import { find } from "../lib/dom.js";
import { getPage } from "../lib/service.js";

const PAUSE_MS = 250;
const form = find("#search", HTMLFormElement);
let timer = 0;
let searches = 0; // an answer to any but the latest is out of date

async function search() {
  searches += 1;
  const mine = searches;
  const query = [...new FormData(form)].map(([name, value]) => [name, String(value)]);
  const address = `/?${new URLSearchParams(query)}`;
  const page = await getPage(address).catch(() => null); // who is offline can still press Search
  if (!page || mine !== searches) return;
  for (const id of ["count", "found"]) find(`#${id}`).replaceChildren(...(page.getElementById(id)?.childNodes ?? []));
  history.replaceState(null, "", address);
}

form.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(search, PAUSE_MS);
});
