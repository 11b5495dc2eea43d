/** Rules of this folder that a compiler does not check. */
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

const SRC = join(__dirname, "..");
const files = (folder: string): string[] =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) =>
    entry.isDirectory() ? files(join(folder, entry.name)) : [join(folder, entry.name)],
  );
const all = files(SRC).map((path) => ({
  path: relative(SRC, path).replaceAll("\\", "/"),
  text: readFileSync(path, "utf8"),
}));

describe("the house", () => {
  it("names colours and lengths in tokens.css alone", () => {
    for (const { path, text } of all.filter(
      ({ path }) => path.endsWith(".css") && path !== "styles/tokens.css",
    )) {
      const plain = text.replaceAll(/\/\*.*?\*\//gs, "");
      expect(plain.match(/\d(px|rem)\b|#[0-9a-f]{3,8}\b|\b(rgb|hsl|oklch)\(/gi), path).toBeNull();
    }
  });

  it("uses no token that does not exist", () => {
    const known = new Set(
      all.flatMap(({ text }) => [...text.matchAll(/(--[\w-]+)"?\s*:/g)].map((match) => match[1])),
    );
    for (const { path, text } of all.filter(({ path }) => path.endsWith(".css"))) {
      for (const match of text.matchAll(/var\((--[\w-]+)/g))
        expect(known, `${path} ${match[1]}`).toContain(match[1]);
    }
  });

  it("speaks to the shell only in host/", () => {
    for (const { path, text } of all.filter(
      ({ path }) => /\.tsx?$/.test(path) && !/^(host|test)\//.test(path),
    )) {
      expect(text.includes("@tauri-apps/"), path).toBe(false);
    }
  });

  it("keeps features apart", () => {
    for (const { path, text } of all.filter(({ path }) => path.startsWith("features/"))) {
      expect(text.match(/from "\.\.\/(?!\.\.)(\w+)\//), path).toBeNull();
      expect(text.match(/features\//), path).toBeNull();
    }
  });

  it("has no sentences outside text/", () => {
    for (const { path, text } of all.filter(({ path }) =>
      /^(app|components|features)\/.*\.tsx$/.test(path),
    )) {
      expect(text.match(/>\s*[A-Z][a-z]+ [a-z]+[^<{]*</), path).toBeNull();
      expect(text.match(/(aria-label|title|placeholder)="[^"]+"/), path).toBeNull();
    }
  });
});
