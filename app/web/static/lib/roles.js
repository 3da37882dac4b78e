// @ts-check
// What the columns of a table mean: one role for each column, by what a row of the table holds.

/** @typedef {"texts" | "long" | "wide" | "battles"} Layout what a row holds */
/** @typedef {Record<string, string>} Roles of columns, by their names */

/** The roles of each layout, in the order in which they are asked for. */
export const ROLES = /** @satisfies {Record<Layout, string[]>} */ ({
  texts: ["text", "key"],
  long: ["system", "prompt", "output"],
  wide: ["systems", "prompt"],
  battles: ["first", "second", "winner", "p_first", "item", "judge"],
});
const OPTIONAL = new Set(["text", "key", "winner", "p_first", "item", "judge"]);
const MANY = "systems"; // the role that several columns may have

const PAIRS = [["first", "second"], ["model_a", "model_b"]]; // usual names of the two sides of a verdict

/**
 * What rows of a table seem to hold in which not everything was recognised: verdicts, by the names of their sides.
 * @param {string[]} columns
 * @returns {{ layout: Layout | "", roles: Roles }}
 */
export function guessed(columns) {
  const pair = PAIRS.find((names) => names.every((name) => columns.includes(name)));
  return pair ? { layout: "battles", roles: { [pair[0]]: "first", [pair[1]]: "second" } } : { layout: "", roles: {} };
}

/** @param {Contract.TableRead} read */
export const layoutOf = ({ kind, layout }) => /** @type {Layout} */ (layout ?? kind);

/**
 * The roles that the service recognised.
 * @param {Contract.TableRead} read
 * @returns {Roles}
 */
export function rolesOf(read) {
  const used = /** @type {Record<string, any>} */ ({ ...read.used, prompt: read.used.prompt ?? read.used.prompt_text });
  /** @type {Roles} */
  const roles = {};
  for (const role of ROLES[layoutOf(read)]) {
    for (const column of [used[role] ?? []].flat()) roles[column] = role;
  }
  return roles;
}

/**
 * The roles once a column has another one: a role that only one column may have leaves the column that had it.
 * @param {Roles} roles
 * @param {string} column
 * @param {string} role empty for none
 * @returns {Roles}
 */
export function withRole(roles, column, role) {
  const others = Object.entries(roles).filter(([each, its]) => each !== column && (its !== role || role === MANY));
  const isOutcome = role === "winner" || role === "p_first"; // one of them says who won
  const kept = isOutcome ? others.filter(([, its]) => its !== "winner" && its !== "p_first") : others;
  return Object.fromEntries(role ? [...kept, [column, role]] : kept);
}

/**
 * The roles that a table of this layout still needs.
 * @param {Layout} layout
 * @param {Roles} roles
 */
export function missing(layout, roles) {
  const there = Object.values(roles);
  const needed = ROLES[layout].filter((role) => !OPTIONAL.has(role) && !there.includes(role));
  if (layout === "battles" && !there.includes("winner") && !there.includes("p_first")) needed.push("winner");
  if (layout === "wide" && there.filter((role) => role === MANY).length === 1) needed.push(MANY);
  return needed;
}

/**
 * The columns as parameters of the request that reads the table.
 * @param {Layout} layout
 * @param {Roles} roles
 * @returns {string[][]}
 */
export function parameters(layout, roles) {
  const named = Object.entries(roles).filter(([, role]) => ROLES[layout].includes(role)).map(([column, role]) => [role, column]);
  if (layout !== "texts") return named;
  return ROLES.texts.map((role) => [role, named.find(([each]) => each === role)?.[1] ?? ""]);
}
