/** Chooses the host: the program's window, or, while the interface itself is being worked on, a deterministic stand-in. */
import type { Host } from "./host";
import { tauriHost } from "./tauri";

export * from "./host";

export async function openHost(): Promise<Host> {
  if ("__TAURI_INTERNALS__" in window) return tauriHost();
  if (import.meta.env.MODE !== "production") {
    const { fakeHostFromUrl } = await import("./fake/url");
    return fakeHostFromUrl(window.location.search);
  }
  throw new Error("This page belongs into Carrel's own window.");
}
