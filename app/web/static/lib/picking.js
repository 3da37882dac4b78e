// @ts-check
// Two rows of a table chosen to compare: a box for each, and above the table a link once there are two.
import { element, find } from "./dom.js";
import { CLEAR, choose, chooseAnother, compareTwo } from "./texts/common.js";

const MOST = 2;

/**
 * The choice is `pick` of the page's state: a list of keys as JSON.
 * @param {import("./state.js").PageState<any>} state
 * @param {(a: string, b: string) => string} compareAddress of the page that compares two
 */
export function picking(state, compareAddress) {
  const picked = () => (state.get().pick ? /** @type {string[]} */ (JSON.parse(state.get().pick)) : []);
  return {
    /** @param {string} key */
    box(key) {
      const box = element("input", { type: "checkbox", "aria-label": choose(key) });
      box.checked = picked().includes(key);
      box.addEventListener("change", () => {
        const keys = [...picked().filter((each) => each !== key), ...(box.checked ? [key] : [])].slice(-MOST);
        state.set({ pick: keys.length ? JSON.stringify(keys) : "" });
      });
      return box;
    },

    show() {
      const place = find("#chosen"), [a, b] = picked();
      place.hidden = !a;
      if (!a) return;
      const clear = element("button", { type: "button", className: "quiet" }, CLEAR);
      clear.addEventListener("click", () => state.set({ pick: "" }));
      place.replaceChildren(b
        ? element("a", { className: "button main", dir: "auto", href: compareAddress(a, b) }, compareTwo(a, b))
        : element("span", { dir: "auto" }, chooseAnother(a)), clear);
    },
  };
}
