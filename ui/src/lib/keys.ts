/** Keyboard chords: `mod+shift+k`, where mod is ⌘ on a Mac and Ctrl elsewhere. */
import { composing } from "./ime";

/** Whether an event is this chord. */
export function matches(event: KeyboardEvent, chord: string, mac: boolean): boolean {
  if (composing(event)) return false;
  const parts = chord.split("+");
  const key = parts.pop();
  const mod = mac ? event.metaKey : event.ctrlKey;
  const other = mac ? event.ctrlKey : event.metaKey;
  return (
    event.key.toLowerCase() === key &&
    mod === parts.includes("mod") &&
    !other &&
    event.altKey === parts.includes("alt") &&
    event.shiftKey === parts.includes("shift")
  );
}

const SIGNS: { [key: string]: string } = {
  enter: "↵",
  escape: "Esc",
  arrowup: "↑",
  arrowdown: "↓",
  delete: "Del",
  backspace: "⌫",
  " ": "Space",
};

/** A chord as it stands on keys: `⌘⇧K`, or `Ctrl Shift K`. */
export function keySigns(chord: string, mac: boolean): string[] {
  const parts = chord.split("+");
  const key = parts.pop() ?? "";
  const signs: string[] = [];
  if (parts.includes("mod")) signs.push(mac ? "⌘" : "Ctrl");
  if (parts.includes("alt")) signs.push(mac ? "⌥" : "Alt");
  if (parts.includes("shift")) signs.push(mac ? "⇧" : "Shift");
  signs.push(SIGNS[key] ?? key.toUpperCase());
  return signs;
}

/** The same for `aria-keyshortcuts`. */
export function ariaKeys(chord: string, mac: boolean): string {
  return chord
    .split("+")
    .map((part) =>
      part === "mod" ? (mac ? "Meta" : "Control") : part.charAt(0).toUpperCase() + part.slice(1),
    )
    .join("+");
}
