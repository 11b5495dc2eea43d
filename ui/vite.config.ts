import { readFileSync } from "node:fs";
import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

/** Puts the tokens and the shell's styles into the page itself, so that the first paint needs no other file. */
function firstPaint(): Plugin {
  return {
    name: "first-paint",
    transformIndexHtml: {
      order: "pre",
      handler: (html) => {
        const styles = ["tokens", "shell"].map((name) =>
          readFileSync(new URL(`./src/styles/${name}.css`, import.meta.url), "utf8"),
        );
        return html.replace("/* first paint */", () => styles.join("\n"));
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
    setupFiles: ["./src/test/setup.ts"],
    css: { modules: { classNameStrategy: "non-scoped" } },
  },
});
