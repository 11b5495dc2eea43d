import { createRoot } from "react-dom/client";
import { App } from "./app/App";
import { openHost } from "./host";
import { CATALOGUES, systemLanguage } from "./text";
import "@fontsource-variable/inter/wght.css";
import "./styles/base.css";

const root = document.getElementById("root");

openHost().then(
  (host) => {
    if (root) createRoot(root).render(<App host={host} />);
  },
  () => {
    if (root) root.textContent = CATALOGUES[systemLanguage()].outside;
  },
);
