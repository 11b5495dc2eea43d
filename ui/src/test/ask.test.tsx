import { screen, waitFor, within } from "@testing-library/react";
import { useView } from "../lib/view";
import { open } from "./render";

const QUESTION = "When is the deposit returned?";

async function ask(user: ReturnType<typeof open>["user"], question: string) {
  await user.type(screen.getByTestId("ask-input"), question);
  await user.click(screen.getByTestId("ask-send"));
}

const done = () => waitFor(() => expect(screen.getByTestId("answer")).toHaveAttribute("data-state", "done"));

describe("asking", () => {
  it("opens the Reader at the words that a citation rests on", async () => {
    const { user, calls, host } = open({}, { view: "ask" });
    await ask(user, QUESTION);
    await done();
    const [turn] = host.store.chats[0]?.turns ?? [];
    const citation = turn?.answer.citations[1];
    await user.click(screen.getAllByTestId("citation")[1] as HTMLElement);
    const mark = await screen.findByTestId("reader-mark");
    expect(mark).toHaveTextContent(citation?.quote ?? "?");
    expect(calls("reader.open").at(-1)?.params).toMatchObject({
      document: citation?.document.id,
      version: citation?.document.version,
      start: citation?.quote_start,
      end: citation?.quote_end,
    });
  });

  it("lists the sources with title, place and quote", async () => {
    const { user, host } = open({}, { view: "ask" });
    await ask(user, QUESTION);
    await done();
    const citations = host.store.chats[0]?.turns[0]?.answer.citations ?? [];
    const sources = screen.getAllByTestId("source");
    expect(sources).toHaveLength(citations.length);
    citations.forEach((citation, index) => {
      expect(sources[index]).toHaveTextContent(citation.document.title);
      expect(sources[index]).toHaveTextContent(citation.quote);
      if (citation.passage.location.page)
        expect(sources[index]).toHaveTextContent(`p. ${citation.passage.location.page}`);
    });
  });

  it("says of each source why it ranks where it does, and asks as thoroughly as the menu says", async () => {
    const { user, calls } = open({}, { view: "ask" });
    await user.click(screen.getByTestId("how-to-search"));
    await user.click(await screen.findByRole("menuitemcheckbox", { name: /^Other wordings/ }));
    await ask(user, QUESTION);
    await done();
    expect(calls("ask").at(-1)?.params).toMatchObject({ options: { mqe: "3" } });
    const whys = screen.getAllByTestId("why");
    expect(whys).toHaveLength(screen.getAllByTestId("source").length);
    expect(whys[0]).toHaveTextContent(/Why here.*rank by words 1 · rank by meaning 1/);
  });

  it("marks what no source says", async () => {
    const { user } = open({}, { view: "ask" });
    await ask(user, QUESTION);
    await done();
    const doubtful = screen.getByText("It is wise to keep every letter about it.");
    expect(doubtful).toHaveAttribute("data-verdict", "unsupported");
    expect(doubtful.nextElementSibling).toHaveTextContent(/^not supported$/);
    const note = screen.getByTestId("unsupported");
    expect(note).toHaveTextContent("1 sentence is not supported by your documents.");
    await user.click(within(note).getByRole("button", { name: "Show" }));
    expect(doubtful).toHaveFocus();
  });

  it("shows what contradicts each other side by side, the preferred one first, and opens each", async () => {
    const { user, calls } = open({}, { view: "ask" });
    await ask(user, "Do the rules of the deposit contradict each other?");
    await done();
    const shown = screen.getByTestId("conflicts");
    const sides = within(shown).getAllByTestId("conflict-side");
    expect(sides).toHaveLength(2);
    expect(sides[0]).toHaveTextContent(/dated 2026-01.*version \d+.*Preferred: dated later/);
    expect(sides[1]).toHaveTextContent("dated 2024-03");
    expect(sides[1]).not.toHaveTextContent("Preferred");
    expect(shown).toHaveTextContent("Likely reason: one is older than the other.");
    await user.click(sides[1] as HTMLElement);
    expect(await screen.findByTestId("reader-mark")).toBeVisible();
    expect(calls("reader.open")).not.toHaveLength(0);
  });

  it("says plainly when no document carries any of an answer, and shows what is nearest", async () => {
    const { user } = open({}, { view: "ask" });
    await ask(user, "Write a poem about the deposit");
    await done();
    expect(screen.getByText("Nothing in this answer is supported by your documents")).toBeVisible();
    expect(screen.queryByTestId("source")).toBeNull();
    await user.click(screen.getAllByTestId("nearest")[0] as HTMLElement);
    expect(await screen.findByTestId("reader-mark")).toBeVisible();
  });

  it("says that the model is left out, and tries it again when told to", async () => {
    const { user, host } = open({}, { view: "ask" });
    await screen.findByRole("list", { name: "Questions to begin with" });
    const answers = (model: { role: string }) => model.role === "language_model";
    host.store.models = host.store.models.map((one) => (answers(one) ? { ...one, state: "left_out" } : one));
    host.notice({ tags: ["models"], library: null });
    await ask(user, QUESTION);
    await done();
    expect(await screen.findByText("The model is left out")).toBeVisible();
    await user.click(screen.getByRole("button", { name: "Choose a model" }));
    await user.click((await screen.findAllByRole("button", { name: "Try again" }))[0] as HTMLElement);
    await waitFor(() => expect(host.store.models.find(answers)?.state).toBe("installed"));
  });

  it("says nothing of support where there was nothing to support", async () => {
    const { user } = open({}, { view: "ask" });
    await ask(user, "Hello");
    await done();
    expect(screen.queryByTestId("unsupported")).toBeNull();
  });

  it("leads by keyboard from a citation into the Reader and back", async () => {
    const { user } = open({}, { view: "ask" });
    await ask(user, QUESTION);
    await done();
    const [first, second] = screen.getAllByTestId("citation") as [HTMLElement, HTMLElement];
    first.focus();
    await user.keyboard("{Enter}");
    expect(await screen.findByTestId("reader")).toHaveFocus();
    await screen.findByTestId("reader-mark");
    await user.tab();
    expect(screen.getByTestId("reader")).toContainElement(document.activeElement as HTMLElement);
    await user.keyboard("{Escape}");
    await waitFor(() => expect(screen.queryByTestId("reader")).toBeNull());
    expect(first).toHaveFocus();
    await user.tab();
    expect(second).toHaveFocus();
  });

  it("suggests questions about documents that are read, not about code or sheets", async () => {
    open({}, { view: "ask" });
    const list = await screen.findByRole("list", { name: "Questions to begin with" });
    expect(within(list).getAllByRole("button")).toHaveLength(3);
    expect(list).toHaveTextContent("Meeting with the landlord");
    expect(list).not.toHaveTextContent(/parse\.rs|Costs 2025/);
  });

  it("says so when the library does not hold it, and shows what is nearest", async () => {
    const { user } = open({}, { view: "ask" });
    await ask(user, "Who won the zeppelin race?");
    await done();
    expect(screen.getByText("Not in your library")).toBeVisible();
    await user.click(screen.getAllByTestId("nearest")[0] as HTMLElement);
    expect(await screen.findByTestId("reader-mark")).toBeVisible();
  });

  it("stops and keeps what was written", async () => {
    const { user, calls } = open({ pace: 15 }, { view: "ask" });
    await ask(user, QUESTION);
    await waitFor(() => expect(screen.getByTestId("answer").textContent?.length).toBeGreaterThan(10));
    await user.click(screen.getByTestId("ask-stop"));
    expect(calls("ask")[0]?.signal?.aborted).toBe(true);
    await done();
    expect(screen.getByText("Stopped")).toBeVisible();
    expect(screen.getByTestId("answer").textContent?.length).toBeGreaterThan(10);
    expect(screen.getByTestId("ask-send")).toBeVisible();
  });

  it("keeps the chat, goes on in it, and does not show a turn twice", async () => {
    const { user, calls } = open({}, { view: "ask" });
    await ask(user, QUESTION);
    await done();
    await waitFor(() => expect(useView.getState().chat).toBe("chat-1"));
    expect(within(await screen.findByTestId("chat")).getByText(QUESTION)).toBeVisible();
    await ask(user, "How high is the rent?");
    await waitFor(() => expect(calls("ask").at(-1)?.params).toMatchObject({ chat: "chat-1" }));
    await waitFor(() => expect(screen.getAllByRole("article")).toHaveLength(2));
    await waitFor(() => expect(screen.getAllByTestId("answer")).toHaveLength(2));
    expect(screen.getAllByRole("heading", { level: 2, name: /How high is the rent/ })).toHaveLength(1);
  });

  it("goes on answering while people look elsewhere", async () => {
    const { user, host } = open({ pace: 5 }, { view: "ask" });
    await ask(user, QUESTION);
    await user.click(screen.getByTestId("nav-search"));
    await waitFor(() => expect(host.store.chats).toHaveLength(1));
    await user.click(screen.getByTestId("nav-ask"));
    await done();
  });

  it("shows a failure, and asks again without keeping it", async () => {
    const { user, host } = open({ fixture: "failing" }, { view: "ask" });
    await ask(user, QUESTION);
    expect(await screen.findByTestId("failed")).toHaveTextContent("The model failed: out of memory.");
    host.failures.delete("ask");
    await user.click(screen.getByRole("button", { name: "Try again" }));
    await done();
    expect(screen.getAllByRole("article")).toHaveLength(1);
  });

  it("says so when the model does not speak the language of the question, and shows what is nearest", async () => {
    const { user } = open({}, { view: "ask" });
    await ask(user, "deposit 是多少？");
    await done();
    expect(screen.getByText("The model does not speak this language")).toBeVisible();
    expect(screen.getByText(/SmolLM2 135M Instruct cannot read this question/)).toBeVisible();
    expect(screen.getAllByTestId("nearest").length).toBeGreaterThan(0);
  });

  it("leads to Models when there is no language model", async () => {
    const { user } = open({}, { view: "ask" }, ({ store }) => {
      store.models = store.models.map((model) => ({ ...model, chosen: false }));
    });
    await user.click(await screen.findByRole("button", { name: "Choose a model" }));
    expect(screen.getByTestId("view-models")).toBeVisible();
  });
});
