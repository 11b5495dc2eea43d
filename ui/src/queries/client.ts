/** Server state: reads are cached by command and parameters, and fall stale by the tags of the command table. */
import { QueryClient } from "@tanstack/react-query";
import { type Commands, TAGS, type Tag } from "../bindings/commands";
import type { ChangeNotice } from "../bindings/types";

/** Reads that are costly, or that people are looking at word by word: they follow changes at a walk. */
const SLOW: ReadonlySet<string> = new Set(["search", "reader.open", "document.show", "models.list"]);

export function makeClient(): QueryClient {
  return new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: Number.POSITIVE_INFINITY,
        gcTime: 5 * 60_000,
        retry: false,
        refetchOnWindowFocus: false,
        networkMode: "always",
      },
      mutations: { retry: false, networkMode: "always" },
    },
  });
}

/** The libraries that a read is about; none when it is about all of them. */
function librariesOf(params: unknown): string[] {
  if (typeof params !== "object" || params === null) return [];
  const { library, libraries } = params as { library?: string | null; libraries?: string[] };
  if (library) return [library];
  return libraries && !libraries.includes("*") ? libraries : [];
}

/** Whether a read shows something that a notice says has changed. */
export function concerns(notice: ChangeNotice, name: string, params: unknown): boolean {
  const tags = TAGS[name as keyof Commands]?.provides ?? [];
  if (!tags.some((tag: Tag) => notice.tags.includes(tag))) return false;
  const libraries = librariesOf(params);
  return notice.library === null || libraries.length === 0 || libraries.includes(notice.library);
}

/** Asks again for everything that the notices concern and that is on the screen; the rest is asked when it is next shown. */
export function invalidate(
  client: QueryClient,
  notices: ChangeNotice[],
  lane: "all" | "quick" | "slow" = "all",
) {
  return client.invalidateQueries({
    predicate: ({ queryKey: [name, params] }) =>
      typeof name === "string" &&
      (lane === "all" || SLOW.has(name) === (lane === "slow")) &&
      notices.some((notice) => concerns(notice, name, params)),
  });
}
