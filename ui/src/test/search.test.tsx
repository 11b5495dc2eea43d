import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { useView } from "../lib/view";
import { open } from "./render";

const field = () => screen.getByTestId<HTMLInputElement>("search-input");
const queries = (calls: { params: unknown }[]) =>
  calls.map((call) => (call.params as { query: string }).query);

describe("searching while typing", () => {
  it("asks once for a word typed at speed", async () => {
    const { user, calls } = open();
    await user.type(field(), "deposit");
    expect(await screen.findAllByTestId("search-hit")).not.toHaveLength(0);
    expect(queries(calls("search"))).toEqual(["deposit"]);
  });

  it("cancels a search that a later one supersedes, and keeps the old results until then", async () => {
    const { user, calls, host } = open();
    await user.type(field(), "deposit");
    const before = (await screen.findAllByTestId("search-hit")).length;

    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { call } = host;
    host.call = (async (name: never, params: never, options: { signal?: AbortSignal } = {}) => {
      const answer = call(name, params, options as never);
      if (name === "search") {
        const left = new Promise((_, reject) =>
          options.signal?.addEventListener("abort", () => reject(new DOMException("", "AbortError"))),
        );
        await Promise.race([held, left]);
      }
      return answer;
    }) as never;
    await user.type(field(), " rent");
    await waitFor(() => expect(calls("search")).toHaveLength(2));
    expect(screen.getAllByTestId("search-hit")).toHaveLength(before);

    await user.type(field(), " lease");
    await waitFor(() => expect(calls("search")).toHaveLength(3));
    expect(calls("search")[1]?.signal?.aborted).toBe(true);
    expect(calls("search")[2]?.signal?.aborted).toBe(false);
    expect(screen.getAllByTestId("search-hit")).toHaveLength(before);
    release();
    await waitFor(() => expect(screen.getAllByTestId("search-hit").length).toBeGreaterThan(before));
  });

  it("says of an unfinished last word that it is unfinished", async () => {
    const { user, calls } = open();
    await user.type(field(), "depo");
    await waitFor(() => expect(calls("search")).toHaveLength(1));
    expect(calls("search")[0]?.params).toMatchObject({
      prefix: true,
      snippets: true,
      libraries: ["default"],
    });
    await user.type(field(), "sit ");
    await waitFor(() =>
      expect(calls("search").at(-1)?.params).toMatchObject({ query: "deposit", prefix: false }),
    );
  });

  it("moves with the arrows, opens at the passage with Enter, and explains on demand", async () => {
    const { user } = open();
    await user.type(field(), "deposit rent");
    const hits = await screen.findAllByTestId("search-hit");
    await user.keyboard("{ArrowDown}");
    expect(hits[1]).toHaveAttribute("aria-selected", "true");
    await user.keyboard("{Control>}i{/Control}");
    expect(hits[1]).toHaveTextContent(/rank by words \d/);
    await user.keyboard("{Enter}");
    const mark = await screen.findByTestId("reader-mark");
    expect(hits[1]).toHaveTextContent(mark.textContent?.slice(0, 30) ?? "?");
    await user.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByTestId("reader")).toBeNull());
    expect(field()).toHaveValue("deposit rent");
  });

  it("lets models read only for a question that was finished, after a fast search", async () => {
    const { user, calls } = open();
    await user.click(screen.getByTestId("how-to-search"));
    await user.click(await screen.findByRole("menuitemcheckbox", { name: /^Thorough/ }));
    await user.type(field(), "deposit");
    expect(await screen.findByRole("button", { name: /search in full/ })).toBeVisible();
    await user.keyboard("{Enter}");
    await waitFor(() =>
      expect(calls("search").at(-1)?.params).toMatchObject({
        query: "deposit",
        prefix: false,
        options: { preset: "thorough" },
      }),
    );
    expect(screen.queryByTestId("reader")).toBeNull();
    expect(calls("search").slice(0, -1)).not.toHaveLength(0);
    for (const { params } of calls("search").slice(0, -1)) {
      expect(params).toMatchObject({ options: { preset: "fast" } });
    }
    await screen.findAllByTestId("search-hit");
    await user.keyboard("{Enter}");
    expect(await screen.findByTestId("reader")).toBeVisible();
    await user.click(screen.getByRole("button", { name: "How to search: Thorough" }));
    await user.click(await screen.findByRole("menuitemcheckbox", { name: /^Balanced/ }));
    await waitFor(() => expect(calls("search").at(-1)?.params).toMatchObject({ options: {} }));
  });

  it("tells files of one name apart by their place", async () => {
    const { user } = open();
    await user.type(field(), "quoted");
    const groups = await screen.findAllByRole("region", { name: "parse.rs" });
    expect(
      groups.map((group) => within(group).getByText(/parse\.rs$/, { selector: "bdi" }).textContent),
    ).toEqual(["Code / import / src / parse.rs", "Code / export / src / parse.rs"]);
  });

  it("looks into all libraries when asked to", async () => {
    const { user, calls } = open();
    await user.click(await screen.findByRole("button", { name: "All libraries" }));
    await user.type(field(), "fusion");
    await waitFor(() => expect(calls("search").at(-1)?.params).toMatchObject({ libraries: ["*"] }));
  });

  it("says what failed and tries again", async () => {
    const { user, host } = open({ fixture: "failing" });
    await user.type(field(), "deposit");
    const failed = await screen.findByTestId("failed");
    expect(failed).toHaveTextContent("The connection to the program was lost.");
    host.failures.clear();
    await user.click(screen.getByRole("button", { name: "Try again" }));
    expect(await screen.findAllByTestId("search-hit")).not.toHaveLength(0);
  });
});

describe("input methods", () => {
  it("does not search for what is still being composed", async () => {
    const { calls } = open({ tongue: "zh" });
    fireEvent.compositionStart(field());
    for (const text of ["y", "ya", "yaj", "yajin"]) {
      fireEvent.input(field(), { target: { value: text }, isComposing: true });
    }
    await act(() => new Promise((resolve) => setTimeout(resolve, 150)));
    expect(field()).toHaveValue("yajin");
    expect(calls("search")).toHaveLength(0);
    fireEvent.input(field(), { target: { value: "押金" }, isComposing: true });
    fireEvent.compositionEnd(field());
    expect(await screen.findAllByTestId("search-hit")).not.toHaveLength(0);
    expect(queries(calls("search"))).toEqual(["押金"]);
  });

  it("leaves Enter to the composition, also the late one of WebKit", async () => {
    const { user } = open({ tongue: "zh" });
    await user.type(field(), "押金");
    await screen.findAllByTestId("search-hit");
    fireEvent.keyDown(field(), { key: "Enter", isComposing: true });
    fireEvent.keyDown(field(), { key: "Enter", keyCode: 229 });
    expect(useView.getState().reader).toBeNull();
    fireEvent.keyDown(field(), { key: "Enter", keyCode: 13 });
    expect(useView.getState().reader).not.toBeNull();
  });

  it("does not send a question that is still being composed", async () => {
    const { user, calls } = open({ tongue: "zh" }, { view: "ask" });
    const input = screen.getByTestId("ask-input");
    await user.type(input, "押金什么时候退还");
    fireEvent.keyDown(input, { key: "Enter", isComposing: true });
    expect(calls("ask")).toHaveLength(0);
    fireEvent.keyDown(input, { key: "Enter", keyCode: 13 });
    await waitFor(() => expect(calls("ask")).toHaveLength(1));
  });
});
