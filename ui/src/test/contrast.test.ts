/** Every pair of ink and ground that the window uses, in both themes: AA everywhere, AAA for text that is read. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

const css = readFileSync(join(__dirname, "../styles/tokens.css"), "utf8");
const [light = "", dark = ""] = css.split(':root[data-theme="dark"]');

type Colour = [number, number, number, number];

function tokens(part: string): Map<string, string> {
  return new Map(
    [...part.matchAll(/(--[\w-]+):\s*([^;]+);/g)].map((match) => [match[1] ?? "", match[2] ?? ""]),
  );
}

/** Linear light of an OKLCH colour. */
function colour(value: string): Colour {
  const match = /oklch\(([\d.]+) ([\d.]+) ([\d.]+)(?: \/ ([\d.]+))?\)|oklch\(([\d.]+) 0 0\)/.exec(value);
  if (!match) throw new Error(value);
  const [l, c, h, alpha] = [Number(match[1]), Number(match[2]), Number(match[3]), Number(match[4] ?? 1)];
  const a = c * Math.cos((h * Math.PI) / 180);
  const b = c * Math.sin((h * Math.PI) / 180);
  const long = (l + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const middle = (l - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const short = (l - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const clip = (x: number) => Math.min(1, Math.max(0, x));
  return [
    clip(4.0767416621 * long - 3.3077115913 * middle + 0.2309699292 * short),
    clip(-1.2684380046 * long + 2.6097574011 * middle - 0.3413193965 * short),
    clip(-0.0041960863 * long - 0.7034186147 * middle + 1.707614701 * short),
    alpha,
  ];
}

const encode = (x: number) => (x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055);
const decode = (x: number) => (x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4);

function over(top: Colour, ground: Colour): Colour {
  const mix = (index: 0 | 1 | 2) =>
    decode(encode(top[index]) * top[3] + encode(ground[index]) * (1 - top[3]));
  return [mix(0), mix(1), mix(2), 1];
}

function contrast(ink: Colour, ground: Colour): number {
  const light = ([r, g, b]: Colour) => 0.2126 * r + 0.7152 * g + 0.0722 * b;
  const [a, b] = [light(ink), light(ground)].sort((x, y) => y - x) as [number, number];
  return (a + 0.05) / (b + 0.05);
}

describe.each([
  ["light", tokens(light)],
  ["dark", new Map([...tokens(light), ...tokens(dark)])],
])("in the %s theme", (_, known) => {
  const of = (name: string): Colour => {
    const value = known.get(name) ?? "";
    const reference = /^var\((--[\w-]+)\)$/.exec(value);
    return reference?.[1] ? of(reference[1]) : colour(value);
  };
  const on = (ground: string, layer?: string) => (layer ? over(of(layer), of(ground)) : of(ground));

  it.each([
    ["--text-faint", "--paper", undefined],
    ["--text-faint", "--sidebar-surface", undefined],
    ["--text-faint", "--paper", "--hover"],
    ["--text-faint", "--paper", "--selected"],
    ["--text-faint", "--sidebar-surface", "--hover"],
    ["--text-faint", "--floating", undefined],
    ["--text-faint", "--floating", "--selected"],
    ["--text-quiet", "--paper", "--selected"],
    ["--text-quiet", "--sidebar-surface", "--selected"],
    ["--text-quiet", "--floating", undefined],
    ["--text-quiet", "--warning-wash", undefined],
    ["--text-quiet", "--paper", undefined],
    ["--text", "--paper", "--pressed"],
    ["--text", "--floating", undefined],
    ["--accent-text", "--accent-wash", undefined],
    ["--accent-text", "--paper", undefined],
    ["--on-accent", "--accent", undefined],
    ["--on-accent", "--accent-strong", undefined],
    ["--success", "--paper", undefined],
    ["--warning", "--paper", undefined],
    ["--danger", "--paper", undefined],
    ["--danger", "--danger-wash", undefined],
    ["--danger", "--floating", undefined],
  ])("%s can be read on %s %s", (ink, ground, layer) => {
    expect(contrast(of(ink), on(ground, layer))).toBeGreaterThanOrEqual(4.5);
  });

  it.each([
    ["--text-strong", "--paper"],
    ["--text", "--paper"],
    ["--on-highlight", "--highlight"],
    ["--text-strong", "--highlight-soft"],
  ])("%s on %s can be read for long", (ink, ground) => {
    expect(contrast(of(ink), on(ground))).toBeGreaterThanOrEqual(7);
  });

  it("the ring can be seen", () => {
    for (const ground of ["--paper", "--sidebar-surface", "--floating"]) {
      expect(contrast(of("--ring"), of(ground))).toBeGreaterThanOrEqual(3);
    }
  });
});
