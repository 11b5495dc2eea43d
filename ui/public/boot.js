// Runs before the first paint: the theme, language and sidebar of the last time, so that nothing flashes.
(() => {
  const root = document.documentElement;
  const wanted = new URLSearchParams(location.search);
  const kept = (name) => {
    try {
      return wanted.get(name) || localStorage.getItem(`carrel.${name}`) || "system";
    } catch {
      return "system";
    }
  };
  const theme = kept("theme");
  const dark = theme === "dark" || (theme !== "light" && matchMedia("(prefers-color-scheme: dark)").matches);
  root.dataset.theme = dark ? "dark" : "light";
  const language = kept("lang");
  const chinese =
    language === "zh" || (language !== "en" && navigator.language.toLowerCase().startsWith("zh"));
  root.lang = chinese ? "zh-CN" : "en";
})();
