/**
 * What an element says when it is pointed at or reached by keyboard: it carries the words in `data-tip`, and the one `TipLayer` shows
 * them. For the eye only: the element's own name or text has to say as much.
 */
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import styles from "./Tip.module.css";

/** Milliseconds that pointer or focus rest before anything shows, and that a pointer may take to cross to a tip or to the next one. */
const REST = 450;
const GRACE = 120;
const GAP = 6;

interface Shown {
  words: string;
  anchor: Element;
}

/** The element with something to say at `target`. Words that stand there already are said only where they are cut off. */
function anchorOf(target: EventTarget | null): Element | null {
  const anchor = target instanceof Element ? target.closest("[data-tip]") : null;
  if (!anchor || anchor.textContent !== anchor.getAttribute("data-tip")) return anchor;
  const cut = [anchor, ...anchor.querySelectorAll("*")].some((one) => one.scrollWidth > one.clientWidth);
  return cut ? anchor : null;
}

export function TipLayer() {
  const [shown, setShown] = useState<Shown | null>(null);
  const box = useRef<HTMLDivElement>(null);

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let byKeyboard = false;
    const show = (anchor: Element) => {
      const words = anchor.isConnected ? anchor.getAttribute("data-tip") : null;
      setShown(words ? { words, anchor } : null);
    };
    const hide = (event?: Event) => {
      if (event?.type === "keydown" || event?.type === "pointerdown") byKeyboard = event.type === "keydown";
      clearTimeout(timer);
      setShown(null);
    };
    const onPointer = ({ target, pointerType }: PointerEvent) => {
      if (pointerType === "touch") return;
      clearTimeout(timer);
      // A tip can be read with the pointer on it, and its neighbours follow at once.
      if (box.current?.contains(target as Node)) return;
      const anchor = anchorOf(target);
      timer = setTimeout(() => (anchor ? show(anchor) : hide()), anchor && !box.current ? REST : GRACE);
    };
    const onFocus = ({ target }: FocusEvent) => {
      const anchor = byKeyboard ? anchorOf(target) : null;
      if (!anchor) return;
      clearTimeout(timer);
      timer = setTimeout(() => show(anchor), REST);
    };
    document.addEventListener("pointerover", onPointer);
    document.addEventListener("focusin", onFocus);
    const away = ["focusout", "pointerdown", "keydown", "scroll", "blur"];
    for (const event of away) window.addEventListener(event, hide, true);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("pointerover", onPointer);
      document.removeEventListener("focusin", onFocus);
      for (const event of away) window.removeEventListener(event, hide, true);
    };
  }, []);

  useLayoutEffect(() => {
    const tip = box.current;
    if (!tip || !shown) return;
    // Above dialogs too, where the engine knows how.
    tip.showPopover?.();
    const at = shown.anchor.getBoundingClientRect();
    const { width, height } = tip.getBoundingClientRect();
    const above = at.top - height - GAP;
    const left = at.left + at.width / 2 - width / 2;
    tip.style.left = `${Math.max(GAP, Math.min(left, window.innerWidth - width - GAP))}px`;
    tip.style.top = `${above >= GAP ? above : at.bottom + GAP}px`;
  }, [shown]);

  if (!shown) return null;
  return (
    <div className={styles.tip} data-testid="tip" key={shown.words} popover="manual" ref={box} role="tooltip">
      {shown.words}
    </div>
  );
}
