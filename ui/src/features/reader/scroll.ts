/** Where the Reader stands. */

/** Brings an element to a height of the page: a third down for a passage, near the top for a heading. */
export function scrollTo(element: Element | null, height: number) {
  const scroller = element?.closest("[data-reader]");
  if (!element || !scroller) return;
  const above = element.getBoundingClientRect().top - scroller.getBoundingClientRect().top;
  scroller.scrollTop += above - scroller.clientHeight * height;
}

/** Where the Reader should stand: at the passage, or else at the first block from `start` on. */
export function goal(page: Element, start: number): { element: Element | null; height: number } {
  const mark = page.querySelector("mark");
  if (mark) return { element: mark, height: 0.26 };
  const blocks = [...page.querySelectorAll<HTMLElement>("[data-start]")];
  return { element: blocks.find((block) => Number(block.dataset.start) >= start) ?? null, height: 0.04 };
}
