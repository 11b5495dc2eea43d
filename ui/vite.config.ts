import { readFileSync } from "node:fs";
import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";
import { en } from "./src/text/en.ts";
import { zh } from "./src/text/zh.ts";

/** Puts tokens, the shell's styles and its first words into the page itself, so that the first paint needs no other file. */
function firstPaint(): Plugin {
  return {
    name: "first-paint",
    transformIndexHtml: {
      order: "pre",
      handler: (html) => {
        const styles = ["tokens", "shell"].map((name) =>
          readFileSync(new URL(`./src/styles/${name}.css`, import.meta.url), "utf8"),
        );
        const label = (key: "search" | "ask" | "library") =>
          `<span class="only-en">${en.nav[key]}</span><span class="only-zh">${zh.nav[key]}</span>`;
        return html
          .replace("/* first paint */", () => styles.join("\n"))
          .replaceAll(/<span data-text="(search|ask|library)"><\/span>/g, (_, key) => label(key));
      },
    },
  };
}

export default defineConfig({
  base: "./",
  plugins: [react(), firstPaint()],
  server: { port: 1420, strictPort: true },
  build: { target: ["es2022", "safari16.4"], assetsInlineLimit: 0, modulePreload: { polyfill: false } },
  test: {
    environment: "jsdom",
    globals: true,
    // A busy machine is slow, not wrong.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    isolate: false,
    setupFiles: ["./src/test/setup.ts"],
    css: { modules: { classNameStrategy: "non-scoped" } },
  },
});
