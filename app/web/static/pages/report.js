// @ts-check
// The report: its button that prints.

import { find } from "../lib/dom.js";

find("#print").addEventListener("click", () => print());
