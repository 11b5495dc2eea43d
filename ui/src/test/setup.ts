/** What jsdom lacks of a browser, as far as the interface needs it. */
import "@testing-library/jest-dom/vitest";
import { cleanup, configure } from "@testing-library/react";
import { afterEach } from "vitest";
import { useAnswering } from "../features/ask/answering";
import { useNotices } from "../lib/notices";
import { usePreferences } from "../lib/preferences";
import { useRetrieval } from "../lib/retrieval";
import { useView } from "../lib/view";

configure({ asyncUtilTimeout: 20_000 });

window.matchMedia ??= (query: string) =>
  ({ matches: false, media: query, addEventListener() {}, removeEventListener() {} }) as never;

class NoObserver {
  observe() {}
  unobserve() {}
  disconnect() {}
}
window.ResizeObserver ??= NoObserver as never;

HTMLDialogElement.prototype.showModal ??= function showModal(this: HTMLDialogElement) {
  this.open = true;
};
HTMLDialogElement.prototype.close ??= function close(this: HTMLDialogElement) {
  this.open = false;
};
Element.prototype.scrollIntoView ??= () => {};
Element.prototype.scrollTo ??= function scrollTo(this: Element, options?: unknown) {
  if (typeof options === "object" && options && "top" in options) this.scrollTop = Number(options.top);
} as never;
if (typeof globalThis.CSS?.escape !== "function") {
  globalThis.CSS = {
    ...globalThis.CSS,
    escape: (value: string) => value.replaceAll(/[^\w-]/g, "\\$&"),
  } as never;
}

// A window's worth of room, so that long lists know what is in sight.
Object.defineProperty(HTMLElement.prototype, "offsetHeight", { configurable: true, value: 640 });
Object.defineProperty(HTMLElement.prototype, "offsetWidth", { configurable: true, value: 900 });
Object.defineProperty(HTMLElement.prototype, "clientHeight", { configurable: true, value: 640 });

const freshView = useView.getState();

afterEach(() => {
  cleanup();
  localStorage.clear();
  useView.setState(freshView, true);
  useAnswering.setState({ live: [] });
  useNotices.setState({ notices: [] });
  useRetrieval.setState({ preset: "balanced", extras: [], rerank: true });
  usePreferences.setState({ language: "en", theme: "light" });
});
