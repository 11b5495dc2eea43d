import { screen, waitFor, within } from "@testing-library/react";
import { useView } from "../lib/view";
import { open } from "./render";

describe("Quality", () => {
  it("says in plain words how many questions found their passage, and where the others were lost", async () => {
    const { user } = open({}, { view: "quality" });
    expect(await screen.findByText(/^\d+ of 20 questions found the passage/)).toBeVisible();
    const table = screen.getByRole("table");
    expect(within(table).getByText("Found among the first ten")).toHaveAttribute(
      "data-tip",
      expect.stringContaining("Recall@10"),
    );
    const failures = await screen.findByRole("region", { name: "Not found" });
    expect(within(failures).getByText("Lost where words and meaning are joined")).toBeVisible();
    expect(within(failures).getAllByText(/rank by words 4, by meaning 38/)[0]).toBeVisible();
    const lost = within(failures).getAllByRole("button")[0] as HTMLElement;
    await user.click(lost);
    expect(await screen.findByTestId("reader")).toBeVisible();
    expect(useView.getState().view).toBe("quality");
    expect(useView.getState().reader?.start).not.toBeNull();
  });

  it("compares a run with an earlier one and says whether the difference is real", async () => {
    const { user, calls } = open({}, { view: "quality" });
    expect(await screen.findByTestId("quality-verdict")).toHaveTextContent("No real difference");
    await user.selectOptions(screen.getByTestId("quality-against"), "run-1");
    await waitFor(() =>
      expect(screen.getByTestId("quality-verdict")).toHaveTextContent("This run is really better"),
    );
    expect(calls("quality.compare").at(-1)?.params).toMatchObject({ first: "run-1", second: "run-5" });
    await user.selectOptions(screen.getByTestId("quality-against"), "none");
    await waitFor(() => expect(screen.queryByTestId("quality-verdict")).toBeNull());
    expect(screen.getByTestId("quality-chart")).toHaveAccessibleName("Results of the last 5 runs");
  });

  it("asks all questions, shows how far it is, and stops", async () => {
    const { user, calls } = open({ pace: 40 }, { view: "quality" });
    await user.click(await screen.findByTestId("quality-run"));
    const working = await screen.findByTestId("quality-working");
    expect(within(working).getByRole("progressbar", { name: "Asking" })).toBeVisible();
    await user.click(within(working).getByRole("button", { name: "Cancel Asking" }));
    await waitFor(() => expect(calls("jobs.cancel")).toHaveLength(1));
    expect(calls("quality.run")[0]?.params).toEqual({ library: "default" });
  });

  it("shows each question with its passage, and opens that", async () => {
    const { user } = open({}, { view: "quality" });
    await user.click(await screen.findByRole("button", { name: "Questions" }));
    const rows = await screen.findAllByTestId("quality-question");
    expect(rows).toHaveLength(20);
    expect(screen.getAllByText(/no longer there/)[0]).toBeVisible();
    await user.click(within(rows[0] as HTMLElement).getAllByRole("button")[0] as HTMLElement);
    expect(await screen.findByTestId("reader")).toBeVisible();
  });

  it("takes a question by hand with the passages that were marked", async () => {
    const { user, calls } = open({}, { view: "quality" });
    await user.click(await screen.findByRole("button", { name: "Questions" }));
    await user.click(await screen.findByTestId("quality-write"));
    const save = screen.getByTestId("quality-save");
    await user.type(screen.getByTestId("quality-text"), "How much is the deposit?");
    expect(save).toBeDisabled();
    const [first] = await screen.findAllByTestId("quality-passage");
    await user.click(within(first as HTMLElement).getByRole("checkbox"));
    // What was marked stays, whatever is looked for next.
    await user.type(screen.getByTestId("quality-look"), "zzzz");
    await waitFor(() => expect(screen.getAllByTestId("quality-passage")).toHaveLength(1));
    await user.click(save);
    await waitFor(() => expect(calls("quality.write")).toHaveLength(1));
    expect(calls("quality.write")[0]?.params).toEqual({
      library: "default",
      text: "How much is the deposit?",
      right: [{ document: expect.any(String), start: expect.any(Number), end: expect.any(Number) }],
    });
    await waitFor(() => expect(screen.queryByTestId("quality-save")).toBeNull());
  });

  it("makes questions, and removes one after asking", async () => {
    const { user, calls } = open({}, { view: "quality" });
    await user.click(await screen.findByRole("button", { name: "Questions" }));
    await user.click(await screen.findByTestId("quality-generate"));
    expect(await screen.findByText("12 questions made")).toBeVisible();
    const [row] = await screen.findAllByTestId("quality-question");
    await user.click(within(row as HTMLElement).getByRole("button", { name: /^Remove “/ }));
    await user.click(await screen.findByTestId("choice-remove"));
    await waitFor(() => expect(screen.getAllByTestId("quality-question")).toHaveLength(11));
    expect(calls("quality.remove")).toHaveLength(1);
  });

  it("says what trying settings costs before it begins, and applies what won when it is told to", async () => {
    const { user, calls } = open({}, { view: "quality" });
    await user.click(await screen.findByRole("button", { name: "Better settings" }));
    expect(
      await screen.findByText("Really better than now: By structure, 256 tokens · automatic"),
    ).toBeVisible();
    expect(screen.getByText("in use")).toBeVisible();
    expect(
      screen.getByRole("button", { name: "Apply By kind of document · automatic · word by word" }),
    ).toBeVisible();
    await user.click(screen.getByTestId("tune-begin"));
    expect(await screen.findByText(/20 questions each\. It takes about 4 min and 48 MB/)).toBeVisible();
    expect(calls("quality.tune")).toHaveLength(0);
    await user.click(screen.getByTestId("choice-begin"));
    await waitFor(() => expect(calls("quality.tune")).toHaveLength(1));
    expect(calls("quality.tune")[0]?.params).toEqual({ library: "default", rerankers: ["all"] });
    await user.click(await screen.findByTestId("tune-apply"));
    await waitFor(() =>
      expect(calls("library.settings").map(({ params }) => params)).toContainEqual({
        name: "default",
        changes: { chunking: "256/25", fusion: "auto", rerank: "auto" },
      }),
    );
    expect(await screen.findByText("Applied")).toBeVisible();
  });

  it("begins with what to do where there is nothing, and says what failed", async () => {
    const { user, unmount } = open({ fixture: "empty" }, { view: "quality" });
    await user.click(
      within(await screen.findByTestId("quality-empty")).getByRole("button", { name: "Go to questions" }),
    );
    expect(await screen.findByTestId("quality-none")).toBeVisible();
    await user.click(screen.getByRole("button", { name: "Better settings" }));
    expect(await screen.findByTestId("tune-few")).toHaveTextContent("at least 10 questions");
    unmount();
    open({ fixture: "failing" }, { view: "quality" });
    expect(await screen.findByTestId("failed")).toBeVisible();
  });
});
