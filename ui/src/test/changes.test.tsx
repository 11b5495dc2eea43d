import { screen, waitFor } from "@testing-library/react";
import { TAGS } from "../bindings/commands";
import { paced } from "../queries/changes";
import { concerns } from "../queries/client";
import { open } from "./render";

describe("change notices", () => {
  it("concern exactly the reads that show their tags, in their library", () => {
    const notice = { tags: ["documents"], library: "Research" };
    expect(concerns(notice, "documents.list", { library: "Research" })).toBe(true);
    expect(concerns(notice, "documents.list", { library: "default" })).toBe(false);
    expect(concerns(notice, "search", { query: "x", libraries: ["*"] })).toBe(true);
    expect(concerns(notice, "search", { query: "x", libraries: ["default"] })).toBe(false);
    expect(concerns(notice, "library.list", {})).toBe(true);
    expect(concerns(notice, "chats.list", {})).toBe(false);
    expect(concerns({ tags: ["chats"], library: null }, "chats.show", { id: "1" })).toBe(true);
  });

  it("make the window ask again for what is in sight", async () => {
    const { host, calls } = open({}, { view: "library" });
    await screen.findAllByTestId("library-row");
    const before = { documents: calls("documents.list").length, chats: calls("chats.list").length };
    const [first, ...rest] = host.store.documents.get("default") ?? [];
    if (first) host.store.documents.set("default", [{ ...first, title: "A new title" }, ...rest]);
    host.notice({ tags: ["documents"], library: "default" });
    expect(await screen.findByText("A new title")).toBeVisible();
    expect(calls("documents.list").length).toBeGreaterThan(before.documents);
    expect(calls("chats.list")).toHaveLength(before.chats);
  });

  it("show progress in the line at the bottom left", async () => {
    const { host } = open();
    expect(await screen.findByTestId("indexing-line")).toHaveTextContent("Everything is up to date");
    host.store.progress = [
      {
        library: "default",
        converting: 28,
        embedding: 0,
        enriching: 0,
        done: 12,
        total: 40,
        current: null,
        part: null,
        scanning: false,
        paused: false,
      },
    ];
    host.notice({ tags: ["jobs"], library: "default" });
    await waitFor(() => expect(screen.getByTestId("indexing-line")).toHaveTextContent("Indexing 12 of 40"));
  });

  it("come in rounds: the first at once, the rest together", async () => {
    const rounds: number[] = [];
    const { add, stop } = paced(30, async (notices) => void rounds.push(notices.length));
    for (let count = 0; count < 10; count += 1) add({ tags: ["documents"], library: null });
    await waitFor(() => expect(rounds).toEqual([1, 9]));
    stop();
  });

  it("know every tag that a write invalidates", () => {
    const provided = new Set(Object.values(TAGS).flatMap((tags) => tags.provides));
    for (const { invalidates } of Object.values(TAGS)) {
      for (const tag of invalidates) expect(provided).toContain(tag);
    }
  });
});
