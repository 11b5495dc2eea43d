/** The answer that is being written, and how to stop it: reached from Ask, the keyboard and the palette. */
let current: (() => void) | null = null;

export function setStop(stop: (() => void) | null) {
  current = stop;
}

export function stopAnswer() {
  current?.();
}
