// @ts-check
// The list of sets: searched while typing, and fresh on its own while there is no set yet or one is being prepared.
import { find } from "../lib/dom.js";
import { getPage } from "../lib/service.js";

const PAUSE_MS = 250;
const REFRESH_MS = 2000;
const form = find("#search", HTMLFormElement);
let timer = 0;
let searches = 0; // an answer to any but the latest is out of date

/**
 * Whether the list at that address is shown now.
 * @param {string} address
 */
async function show(address) {
  searches += 1;
  const mine = searches;
  const page = await getPage(address).catch(() => null); // who is offline can still press Search
  if (!page || mine !== searches) return false;
  for (const id of ["count", "found"]) find(`#${id}`).replaceChildren(...(page.getElementById(id)?.childNodes ?? []));
  return true;
}

async function search() {
  const query = [...new FormData(form)].map(([name, value]) => [name, String(value)]);
  const address = `/?${new URLSearchParams(query)}`;
  if (await show(address)) history.replaceState(null, "", address);
}

function refresh() {
  const list = find("#found"), isRead = document.hidden || list.contains(document.activeElement);
  if (!isRead && list.querySelector("[data-waiting]")) show(location.pathname + location.search);
}

form.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(search, PAUSE_MS);
});
setInterval(refresh, REFRESH_MS);
