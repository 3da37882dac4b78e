// @ts-check
// The state of a page in its address: what a person chose survives a reload, and a link shares it.

/**
 * What can be chosen on a page, by parameter of the address, each with its default, which the address leaves out.
 * @template {Record<string, string>} Choices
 * @param {Choices} defaults
 */
export function pageState(defaults) {
  /** @type {((choices: Choices) => void)[]} */
  const listeners = [];
  const parameters = () => new URLSearchParams(location.search);
  const choices = () => /** @type {Choices} */ (
    Object.fromEntries(Object.entries(defaults).map(([name, usual]) => [name, parameters().get(name) ?? usual])));
  const announce = () => listeners.forEach((listener) => listener(choices()));
  addEventListener("popstate", announce);
  return {
    get: choices,

    /**
     * Writes changes to the address, as a new entry of the history where `push` asks for one.
     * @param {Partial<Choices>} changes
     */
    set(changes, { push = false } = {}) {
      const changed = parameters();
      for (const [name, value] of Object.entries(changes)) {
        if (value === defaults[name]) changed.delete(name);
        else changed.set(name, value);
      }
      if (changed.toString() === parameters().toString()) return;
      const address = `${location.pathname}${changed.size ? `?${changed}` : ""}`;
      history[push ? "pushState" : "replaceState"](null, "", address);
      announce();
    },

    /** @param {(choices: Choices) => void} listener called after each change, and when a person goes back or forward */
    onChange(listener) {
      listeners.push(listener);
    },
  };
}

/**
 * @template {Record<string, string>} [Choices=Record<string, string>]
 * @typedef {ReturnType<typeof pageState<Choices>>} PageState
 */
