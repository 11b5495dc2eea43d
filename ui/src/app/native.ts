/** What a page does and a program does not: its own context menu, and opening whatever is dropped on it. */
import { useEffect } from "react";

function editable(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest("input, textarea, [contenteditable]") !== null;
}

export function useNativeFeel() {
  useEffect(() => {
    // Copying from the menu stays possible where there is text to copy.
    const onContextMenu = (event: MouseEvent) => {
      if (!editable(event.target) && (getSelection()?.toString() ?? "") === "") event.preventDefault();
    };
    const onDrag = (event: DragEvent) => event.preventDefault();
    window.addEventListener("contextmenu", onContextMenu);
    window.addEventListener("dragover", onDrag);
    window.addEventListener("drop", onDrag);
    return () => {
      window.removeEventListener("contextmenu", onContextMenu);
      window.removeEventListener("dragover", onDrag);
      window.removeEventListener("drop", onDrag);
    };
  }, []);
}
