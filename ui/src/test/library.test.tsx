import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { PAGE, pagesFor } from "../features/library/paging";
import { useView } from "../lib/view";
import { open } from "./render";

const offsets = (calls: { params: unknown }[]) =>
  calls
    .map((call) => call.params as { offset: number; limit: number })
    .filter((params) => params.limit === PAGE)
    .map((params) => params.offset);

describe("a long list", () => {
  it("asks only for the pages in sight", async () => {
    const { calls } = open({}, { view: "library", library: "Archive 100k" });
    const rows = await screen.findAllByTestId("library-row");
    expect(rows.length).toBeLessThan(80);
    expect(new Set(offsets(calls("documents.list")))).toEqual(new Set([0]));

    const list = screen.getByTestId("library-list");
    list.scrollTop = 32 * 50_000;
    await act(async () => void fireEvent.scroll(list));
    await waitFor(() => expect(screen.getByText(/ 50005$/)).toBeInTheDocument());
    expect(screen.getAllByTestId("library-row").length).toBeLessThan(80);
    const asked = new Set(offsets(calls("documents.list")));
    expect(asked.has(50_000)).toBe(true);
    expect(asked.size).toBeLessThan(5);
    expect(screen.getByText(/ 50005$/).closest("[role=option]")).toHaveAttribute("aria-setsize", "100000");
  });

  it("knows which pages a range of rows lies on", () => {
    expect(pagesFor(0, 40)).toEqual([0]);
    expect(pagesFor(90, 130)).toEqual([0, 1]);
    expect(pagesFor(4_950, 5_020)).toEqual([0, 49, 50]);
  });
});

describe("the library", () => {
  it("marks a library that cannot be opened, and leads to what mends it", async () => {
    const { user } = open({ fixture: "failing" }, { view: "library" });
    const damaged = await screen.findByRole("button", { name: /^Archive 100k, .*database failed/ });
    await user.click(damaged);
    expect(await screen.findByText(/The library's database failed/)).toBeVisible();
    expect(screen.getByText("Run the check in Settings.")).toBeVisible();
    await user.click(screen.getByRole("button", { name: /^My library/ }));
    await waitFor(() => expect(screen.queryByText(/database failed/)).toBeNull());
  });

  it("proposes a model for many languages where the files need one, gets it and uses it", async () => {
    const { user, calls } = open({ pace: 1 }, { view: "library", library: "default" }, ({ store }) => {
      store.foreignShare = 0.6;
    });
    expect(await screen.findByTestId("advice")).toHaveTextContent(/does not know.*multilingual-e5-small/);
    await user.click(screen.getByRole("button", { name: "Get it and use it" }));
    await waitFor(() => expect(calls("models.get")[0]?.params).toEqual({ id: "multilingual-e5-small" }));
    await waitFor(() =>
      expect(calls("library.settings")[0]?.params).toEqual({
        name: "default",
        changes: { embedder: "multilingual-e5-small" },
      }),
    );
    await waitFor(() => expect(screen.queryByTestId("advice")).toBeNull());
  });

  it("shows what lines of context cost and how they read before they are begun, and how far they are", async () => {
    const { user, calls } = open({}, { view: "library", library: "default" });
    await user.click(await screen.findByTestId("library-more"));
    await user.click(await screen.findByRole("menuitem", { name: /^Lines of context/ }));
    await user.click(await screen.findByTestId("context-try"));
    expect(await screen.findByTestId("context-estimate")).toHaveTextContent(
      /lines by SmolLM2-135M-Instruct: about .* on this computer/,
    );
    expect(screen.getByText("Nothing of use was written for this one.")).toBeVisible();
    expect(calls("library.settings")).toHaveLength(0);
    await user.click(screen.getByTestId("context-on"));
    await waitFor(() =>
      expect(calls("library.settings")[0]?.params).toEqual({
        name: "default",
        changes: { enrichment: "on" },
      }),
    );
    await waitFor(() => expect(screen.queryByTestId("context-on")).toBeNull());
    await user.click(screen.getByTestId("library-more"));
    await user.click(await screen.findByRole("menuitem", { name: /^Lines of context/ }));
    expect(await screen.findByTestId("context-state")).toHaveTextContent(/passages have a line, .* wait/);
    expect(screen.getByTestId("context-off")).toBeVisible();
  });

  it("says how much is searchable, and filters by each part", async () => {
    const { user, calls } = open({}, { view: "library", library: "Research" });
    const failed = await screen.findByTestId("filter-failed");
    expect(screen.getByTestId("filter-searchable")).toHaveTextContent(/^1,162 of 1,202 searchable$/);
    await user.click(failed);
    await waitFor(() => {
      const states = screen.getAllByTestId("library-row").map((row) => row.dataset.state);
      expect(new Set(states)).toEqual(new Set(["failed"]));
    });
    expect(screen.getAllByText("failed: the file is damaged").length).toBeGreaterThan(0);
    await user.click(screen.getByRole("button", { name: "Try all again" }));
    await waitFor(() => expect(calls("document.retry")[0]?.params).toMatchObject({ library: "Research" }));
  });

  it("counts what is missing nowhere but in its own filter", async () => {
    const { user } = open({}, { view: "library", library: "Research" });
    expect(await screen.findByTestId("filter-missing")).toHaveTextContent("2 missing");
    for (const name of ["All documents, 1,202 documents", "Research, 1,202 documents"])
      expect(screen.getByRole("button", { name })).toBeVisible();
    const setSize = () => screen.getAllByTestId("library-row")[0]?.getAttribute("aria-setsize");
    await waitFor(() => expect(setSize()).toBe("1202"));
    await user.click(screen.getByTestId("filter-missing"));
    await waitFor(() => expect(setSize()).toBe("2"));
  });

  it("gives the whole reason of a document that cannot be opened, and tries it again", async () => {
    const { user, calls } = open({}, { view: "library" });
    await user.click(await screen.findByTestId("filter-failed"));
    const row = () => screen.getAllByTestId("library-row")[0] as HTMLElement;
    await waitFor(() => expect(row()).toHaveAccessibleName(/, failed: the file is damaged$/));
    screen.getByTestId("library-list").focus();
    await user.keyboard("{Enter}");
    const dialog = await screen.findByRole("dialog");
    expect(dialog).toHaveTextContent("failed: the file is damaged: the cross-reference table is missing");
    await user.click(within(dialog).getByRole("button", { name: "Try again" }));
    await waitFor(() => expect(calls("document.retry")).toHaveLength(1));
  });

  it("gives the reason of a state in Chinese too", async () => {
    const { user } = open({ tongue: "zh" }, { view: "library" });
    await user.click(await screen.findByTestId("filter-failed"));
    expect((await screen.findAllByText("失败：文件已损坏")).length).toBeGreaterThan(0);
  });

  it("adds a typed path, watched or not", async () => {
    const { user, calls } = open({}, { view: "library" });
    await user.click(await screen.findByTestId("add-path"));
    await user.click(screen.getByTestId("add-path-watch"));
    await user.type(screen.getByTestId("add-path-input"), "/home/anna/Contracts{Enter}");
    await waitFor(() =>
      expect(calls("add")[0]?.params).toMatchObject({
        what: [{ kind: "path", path: "/home/anna/Contracts" }],
        library: "default",
        watch: false,
      }),
    );
    expect(await screen.findByTestId("notice-done")).toHaveTextContent("1 document added to My library");
  });

  it("is worked by keyboard: move, open, remove", async () => {
    const { user, host } = open({}, { view: "library" });
    await screen.findAllByTestId("library-row");
    screen.getByTestId("library-list").focus();
    await user.keyboard("{ArrowDown}{Enter}");
    expect(useView.getState().reader?.title).toBe("House rules");
    await user.keyboard("{Delete}");
    await user.click(await screen.findByTestId("choice-remove"));
    await waitFor(() => expect(screen.queryByText("House rules")).toBeNull());
    expect(host.store.documents.get("default")?.some((one) => one.title === "House rules")).toBe(false);
  });

  it("unlocks a document, and stays when the password is wrong", async () => {
    const { user, calls } = open({}, { view: "library" });
    await user.click(await screen.findByTestId("filter-needs_password"));
    await waitFor(() =>
      expect(screen.getAllByTestId("library-row")[0]).toHaveAttribute("data-state", "needs_password"),
    );
    await user.click(screen.getAllByTestId("library-row")[0] as HTMLElement);
    await user.type(await screen.findByTestId("password"), "guess{Enter}");
    expect(await screen.findByRole("alert")).toHaveTextContent("The password does not open the file.");
    await user.clear(screen.getByTestId("password"));
    await user.type(screen.getByTestId("password"), "secret{Enter}");
    await waitFor(() => expect(screen.queryByTestId("password")).toBeNull());
    expect(calls("document.unlock")).toHaveLength(2);
  });

  it("asks before a mass deletion is believed", async () => {
    const { user, calls, host } = open({ fixture: "failing" }, { view: "library" });
    host.failures.clear();
    const bar = await screen.findByTestId("confirm-deletion");
    await user.click(within(bar).getByRole("button", { name: "Keep them" }));
    await waitFor(() => expect(screen.queryByTestId("confirm-deletion")).toBeNull());
    expect(calls("source.confirm")[0]?.params).toMatchObject({ deleted: false });
  });

  it("switches watching off and on", async () => {
    const { user, calls } = open({}, { view: "library" });
    await user.click(await screen.findByRole("button", { name: "More for Documents" }));
    await user.click(await screen.findByRole("menuitemcheckbox", { name: "Watch for changes" }));
    await waitFor(() => expect(calls("source.watch")[0]?.params).toMatchObject({ id: "s1", watched: false }));
  });

  it("shows what to do first when there is nothing", async () => {
    const { user, host, calls } = open({ fixture: "empty" }, { view: "library" });
    const first = await screen.findByTestId("library-empty");
    host.picks = ["/home/anna/Documents"];
    await user.click(within(first).getByRole("button", { name: "Add folder" }));
    await waitFor(() => expect(calls("add")[0]?.params).toMatchObject({ watch: true }));
    expect(await screen.findAllByTestId("library-row")).toHaveLength(1);
  });
});

describe("libraries", () => {
  it("are made, renamed and removed; a taken name is said", async () => {
    const { user, host } = open({}, { view: "library" });
    await user.click(await screen.findByRole("button", { name: "New library" }));
    await user.type(await screen.findByTestId("library-name"), "Research{Enter}");
    expect(await screen.findByRole("alert")).toHaveTextContent("Research is taken. Choose another name.");
    await user.clear(screen.getByTestId("library-name"));
    await user.type(screen.getByTestId("library-name"), "Garden{Enter}");
    await waitFor(() => expect(useView.getState().library).toBe("Garden"));

    await user.click(screen.getByRole("button", { name: "More for Garden" }));
    await user.click(await screen.findByRole("menuitem", { name: "Rename" }));
    await user.clear(await screen.findByTestId("library-name"));
    await user.type(screen.getByTestId("library-name"), "Orchard{Enter}");
    await waitFor(() => expect(useView.getState().library).toBe("Orchard"));

    await user.click(await screen.findByRole("button", { name: "More for Orchard" }));
    await user.click(await screen.findByRole("menuitem", { name: "Remove" }));
    await user.click(await screen.findByTestId("choice-remove"));
    await waitFor(() => expect(host.store.libraries).not.toContain("Orchard"));
    expect(useView.getState().library).toBe("default");
  });
});
