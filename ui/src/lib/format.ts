/** Numbers, sizes and times as people of a language write them. */
import type { FilePartDto, LocationDto, PlaceDto } from "../bindings/types";
import type { Text } from "../text";

/** Formatters are costly to make and cheap to use: each is made once. */
function once<T>(make: (key: string) => T): (key: string) => T {
  const made = new Map<string, T>();
  return (key) => {
    let one = made.get(key);
    if (one === undefined) {
      one = make(key);
      made.set(key, one);
    }
    return one;
  };
}

const numbers = once((locale) => new Intl.NumberFormat(locale));
const percents = once((locale) => new Intl.NumberFormat(locale, { style: "percent" }));
const relatives = once((locale) => new Intl.RelativeTimeFormat(locale, { numeric: "auto" }));
const days = once(
  (locale) => new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", year: "numeric" }),
);
const moments = once(
  (locale) => new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" }),
);
const sizes = once((key) => {
  const [locale = "en", unit = "byte", digits] = key.split("|");
  return new Intl.NumberFormat(locale, {
    style: "unit",
    unit,
    unitDisplay: unit === "byte" ? "narrow" : "short",
    maximumFractionDigits: Number(digits),
  });
});

export function count(text: Text, value: number): string {
  return numbers(text.locale).format(value);
}

export function bytes(text: Text, value: number): string {
  const units = ["byte", "kilobyte", "megabyte", "gigabyte"] as const;
  let power = 0;
  let amount = value;
  while (amount >= 1000 && power < 3) {
    amount /= 1000;
    power += 1;
  }
  const digits = power > 1 && amount < 100 ? 1 : 0;
  // The narrow form of a byte is the only one with a sign, and the only one without a space.
  return sizes(`${text.locale}|${units[power]}|${digits}`)
    .format(amount)
    .replace(/(\d)B$/, "$1 B");
}

const STEPS: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 365 * 86400],
  ["month", 30 * 86400],
  ["week", 7 * 86400],
  ["day", 86400],
  ["hour", 3600],
  ["minute", 60],
];

/** `2 days ago`. */
export function ago(text: Text, time: string, now = Date.now()): string {
  const seconds = Math.max(0, (now - Date.parse(time)) / 1000);
  if (Number.isNaN(seconds)) return "";
  for (const [unit, size] of STEPS) {
    if (seconds >= size) {
      return relatives(text.locale).format(-Math.floor(seconds / size), unit);
    }
  }
  return text.justNow;
}

/** `12 Mar 2025`. */
export function day(text: Text, time: string): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return "";
  return days(text.dateLocale).format(date);
}

/** `12 Mar 2025, 14:03`. */
export function moment(text: Text, time: string): string {
  const date = new Date(time);
  if (Number.isNaN(date.getTime())) return "";
  return moments(text.dateLocale).format(date);
}

function clock(seconds: number): string {
  const whole = Math.floor(seconds);
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60];
  const [hours, minutes, rest] = parts.map((part) => String(part).padStart(2, "0"));
  return hours === "00" ? `${minutes}:${rest}` : `${hours}:${minutes}:${rest}`;
}

/** Where a passage lies in the original: `p. 4`, `Sheet Costs, rows 3–9`. Empty when nothing is known. */
export function place(text: Text, location: PlaceDto | LocationDto): string {
  const { page, page_end, sheet, rows, cells, slide, chapter, seconds, line } = location;
  const parts: string[] = [];
  if (page)
    parts.push(page_end && page_end !== page ? text.place.pages(page, page_end) : text.place.page(page));
  if (slide) parts.push(text.place.slide(slide));
  if (sheet) parts.push(text.place.sheet(sheet));
  if (cells) parts.push(cells);
  else if (rows)
    parts.push(rows[0] === rows[1] ? text.place.row(rows[0]) : text.place.rows(rows[0], rows[1]));
  if (chapter) parts.push(chapter);
  if (seconds) parts.push(clock(seconds[0]));
  if (parts.length === 0 && line) parts.push(text.place.line(line));
  return parts.join(text.comma);
}

/** Which part of a file is being read: `page 3 of 80`, of a recording `01:20 of 45:00`. */
export function part(text: Text, { unit, number, of }: FilePartDto): string {
  const words = (value: number) => (unit === "second" ? clock(value) : count(text, value));
  const name = unit === "second" ? "" : (text.activity.unit[unit] ?? unit);
  return text.activity.part(name, words(number), of > 0 ? words(of) : null);
}

/** The last part of a path, with either separator. */
export function baseName(path: string): string {
  return (
    path
      .replace(/[/\\]+$/, "")
      .split(/[/\\]/)
      .pop() || path
  );
}

/** A path for display: its last folders and its name, which alone may be that of many files. */
export function pathWords(path: string): string {
  return path.split(/[/\\]/).filter(Boolean).slice(-4).join(" / ");
}

/** The absolute path behind a `file:` URI; none for texts and pages. */
export function pathOfUri(uri: string): string | null {
  if (!uri.startsWith("file://")) return null;
  try {
    const path = decodeURIComponent(new URL(uri).pathname);
    return /^\/[A-Za-z]:\//.test(path) ? path.slice(1).replaceAll("/", "\\") : path;
  } catch {
    return null;
  }
}

/** Where a document comes from, for people: its last folders and its file's name, or its address; empty for a pasted text. */
export function documentPlace(uri: string): string {
  const path = pathOfUri(uri);
  if (path !== null) return pathWords(path);
  return /^https?:/.test(uri) ? uri.replace(/^https?:\/\/(www\.)?/, "") : "";
}

/** `40 %`. */
export function percent(text: Text, share: number): string {
  return percents(text.locale).format(Math.floor(share * 100) / 100);
}

/** About how long something takes. */
export function duration(text: Text, seconds: number): string {
  if (seconds < 90) return text.quality.seconds(Math.max(1, Math.ceil(seconds)));
  if (seconds < 5400) return text.quality.minutes(Math.round(seconds / 60));
  return text.quality.hours(Math.round(seconds / 360) / 10);
}
