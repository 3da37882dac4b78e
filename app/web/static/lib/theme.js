// @ts-check
// The theme, set before the first paint: auto follows the device. A classic script, as modules run later.
(() => {
  const NAME = "nextpair.theme", THEMES = ["auto", "light", "dark"];
  const isDark = matchMedia("(prefers-color-scheme: dark)");
  const chosen = () => localStorage.getItem(NAME) ?? "auto";

  function apply() {
    const theme = chosen();
    document.documentElement.dataset.theme = theme === "auto" ? (isDark.matches ? "dark" : "light") : theme;
    const label = document.querySelector("#theme span");
    if (label) label.textContent = `Theme: ${theme}`;
  }

  function next() {
    localStorage.setItem(NAME, THEMES[(THEMES.indexOf(chosen()) + 1) % THEMES.length]);
    apply();
  }

  apply();
  isDark.addEventListener("change", apply);
  addEventListener("storage", apply);
  document.addEventListener("DOMContentLoaded", () => {
    apply();
    document.getElementById("theme")?.addEventListener("click", next);
  });
})();
