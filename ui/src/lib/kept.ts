/** Small things that the window remembers by itself. A window without storage forgets them and works all the same. */
const PREFIX = "carrel.";

export function kept(name: string): string | null {
  try {
    return localStorage.getItem(PREFIX + name);
  } catch {
    return null;
  }
}

export function keep(name: string, value: string) {
  try {
    localStorage.setItem(PREFIX + name, value);
  } catch {
    // Storage can be refused or full; nothing depends on it.
  }
}
