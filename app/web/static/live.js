// Redraw the ranking when the set's log has moved, at most once in REDRAW_MS.
const REDRAW_MS = 500;
const set = document.getElementById("progress").dataset.set;
const picture = document.getElementById("ranking");
let wanted = null;

function redraw() {
  const version = wanted;
  wanted = null;
  const next = new Image();
  next.onload = () => { picture.src = next.src; };
  next.src = `/v1/sets/${set}/ranking?format=svg&as_of=${version}`;
}

const events = new EventSource(`/v1/sets/${set}/events`);
for (const name of ["ranking", "status"]) {
  events.addEventListener(name, (event) => {
    const state = JSON.parse(event.data);
    document.getElementById("comparisons").textContent = state.comparisons;
    document.getElementById("status").textContent = state.status;
    if (wanted === null) setTimeout(redraw, REDRAW_MS);
    wanted = state.version;
  });
}
