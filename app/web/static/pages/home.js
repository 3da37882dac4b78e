// @ts-check
// The home page: all sets.
import { followList } from "../lib/set-list.js";

followList();
