// What the service found in a file or in typed lines. Every value is untrusted, hence textContent throughout.
const ROWS = 20;
const EXCERPT = 300; // characters
const at = (id) => document.getElementById(id);
const counted = (count, noun) => `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;

export function hide() {
  at("preview").hidden = true;
}

export function show(preview, name) {
  at("preview-heading").textContent = `${counted(preview.candidates.length, "candidate")} in ${name}`;
  showReport(preview);
  showColumns(preview);
  showRows(preview.candidates);
  allowCreating(preview);
  at("preview").hidden = false;
  at("preview-heading").focus();
}

function showReport({ faults, fault_count: count }) {
  at("report").hidden = !count;
  const shown = count > faults.length ? `; here are the first ${faults.length}` : "";
  at("report-summary").textContent = `${counted(count, "line")} cannot be used${shown}.`;
  at("skip-label").textContent = `Create the set without ${count === 1 ? "this line" : `these ${counted(count, "line")}`}`;
  at("faults").replaceChildren(...faults.map(faultRow));
}

function faultRow({ place, column, wrong, remedy }) {
  return row("th", column === null ? place : `${place}, column ${column}`, wrong, remedy);
}

function showColumns({ columns, key, text }) {
  at("columns").hidden = !columns.length;
  fill(at("key-column"), columns, key, "none: number the rows");
  fill(at("text-column"), columns, text, "none: keys alone");
}

function fill(select, columns, chosen, none) {
  const options = [...columns.map((name) => [name, name]), [none, ""]];
  select.replaceChildren(...options.map(([label, value]) => new Option(label, value, value === chosen, value === chosen)));
}

function showRows(candidates) {
  at("rows-region").hidden = !candidates.length;
  at("rows-caption").textContent = candidates.length > ROWS ? `The first ${ROWS}` : "All of them";
  at("rows").replaceChildren(...candidates.slice(0, ROWS).map(({ key, text }) => row("th", key, excerpt(text ?? ""))));
}

function excerpt(text) {
  return text.length > EXCERPT ? `${text.slice(0, EXCERPT)}…` : text;
}

function row(first, ...texts) {
  const made = document.createElement("tr");
  made.append(...texts.map((text, place) => cell(place === 0 ? first : "td", text)));
  return made;
}

function cell(kind, text) {
  const made = document.createElement(kind);
  if (kind === "th") made.scope = "row";
  made.dir = "auto";
  made.textContent = text;
  return made;
}

// Two candidates at least, and bad lines only when the person says to leave them out.
function allowCreating({ candidates, fault_count: count }) {
  const skip = at("skip");
  skip.checked = false;
  const decide = () => {
    const enough = candidates.length > 1;
    at("create").disabled = !enough || (count > 0 && !skip.checked);
    at("create").textContent = `Create the set with ${counted(candidates.length, "candidate")}`;
    at("create-hint").textContent = hint(enough, count > 0 && !skip.checked);
  };
  skip.onchange = decide;
  decide();
}

function hint(enough, faulty) {
  if (!enough) return "A set needs two candidates or more.";
  return faulty ? "Correct the lines above and check again, or leave them out." : "Nothing has been created so far.";
}
