import assert from "node:assert/strict";
import { test } from "node:test";

import { cellsOf } from "../../app/web/static/lib/matrix-cells.js";

test("cells of a matrix are read past keys of any text", () => {
  assert.deepEqual(cellsOf('key,oak,"elm, ""tall""\nold"\noak,,0.605\n"elm, ""tall""\nold",0.395,\n'), [NaN, 0.605, 0.395, NaN]);
});
