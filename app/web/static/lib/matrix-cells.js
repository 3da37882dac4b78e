// @ts-check
// The cells of a win matrix to the last digit.

/**
 * The cells of a matrix in CSV, row by row, without its keys; NaN where nothing is known.
 * @param {string} csv
 */
export function cellsOf(csv) {
  const fields = [...csv.matchAll(/("(?:[^"]|"")*"|[^,\r\n]*)(,|\r?\n|$)/g)].slice(0, -1);
  const width = 1 + fields.findIndex(([, , end]) => end !== ",");
  return fields.slice(width).flatMap(([, field], at) => (at % width ? [field === "" ? NaN : Number(field)] : []));
}
