import { screen, waitFor, within } from "@testing-library/react";
import { problem } from "../host/fake/problem";
import { useView } from "../lib/view";
import { fileName } from "../queries/useChatActions";
import { open } from "./render";

const QUESTION = "When is the deposit returned?";
const OTHER = "How high is the rent?";

type User = ReturnType<typeof open>["user"];

async function ask(user: User, question: string, turns: number) {
  await user.type(await screen.findByTestId("ask-input"), question);
  await user.click(screen.getByTestId("ask-send"));
  await waitFor(() => expect(screen.getAllByTestId("answer")).toHaveLength(turns));
  await waitFor(() => expect(screen.getAllByTestId("answer").at(-1)).toHaveAttribute("data-state", "done"));
  await waitFor(() => expect(screen.getAllByTestId("question-edit")).toHaveLength(turns));
}

const questions = () =>
  screen.getAllByRole("article").map((turn) => within(turn).getByRole("heading", { level: 2 }).textContent);

describe("a chat", () => {
  it("answers again beside the first answer, and goes back to it", async () => {
    const { user, calls } = open({}, { view: "ask", chat: null });
    await ask(user, QUESTION, 1);
    await ask(user, OTHER, 2);
    await user.click(screen.getAllByTestId("again")[0] as HTMLElement);
    await waitFor(() =>
      expect(calls("ask").at(-1)?.params).toMatchObject({ question: QUESTION, instead: 1 }),
    );
    await waitFor(() => expect(screen.getByTestId("branch")).toHaveTextContent("2 of 2"));
    expect(screen.getAllByRole("article")).toHaveLength(1);
    await user.click(screen.getByRole("button", { name: "Branch before" }));
    await waitFor(() => expect(screen.getAllByRole("article")).toHaveLength(2));
    expect(screen.getByTestId("branch")).toHaveTextContent("1 of 2");
    expect(screen.getByRole("button", { name: "Branch before" })).toBeDisabled();
  });

  it("changes a question by keyboard, and leaves it as it was on Escape", async () => {
    const { user, calls } = open({}, { view: "ask", chat: null });
    await ask(user, QUESTION, 1);
    await user.click(screen.getByTestId("question-edit"));
    expect(screen.getByTestId("question-field")).toHaveFocus();
    await user.keyboard("{Escape}");
    expect(screen.queryByTestId("question-field")).toBeNull();
    await waitFor(() => expect(screen.getByTestId("question-edit")).toHaveFocus());
    await user.keyboard("{Enter}");
    await user.clear(screen.getByTestId("question-field"));
    await user.keyboard(`${OTHER}{Enter}`);
    await waitFor(() => expect(calls("ask").at(-1)?.params).toMatchObject({ question: OTHER, instead: 1 }));
    await waitFor(() => expect(screen.getByTestId("branch")).toHaveTextContent("2 of 2"));
    expect(questions()[0]).toContain(OTHER);
  });

  it("keeps what people think of an answer, and why", async () => {
    const { user, calls, host } = open({}, { view: "ask", chat: null });
    await ask(user, QUESTION, 1);
    await user.click(screen.getByTestId("rate-good"));
    expect(await screen.findByText("Added to the questions of My library")).toBeVisible();
    await waitFor(() => expect(screen.getByTestId("rate-good")).toHaveAttribute("aria-pressed", "true"));
    await user.click(screen.getByTestId("rate-bad"));
    await user.type(await screen.findByTestId("rate-note"), "It is the old lease{Enter}");
    await waitFor(() =>
      expect(calls("chats.rate").at(-1)?.params).toMatchObject({
        rating: "bad",
        note: "It is the old lease",
      }),
    );
    expect(await screen.findByText(/Not a good answer: It is the old lease/)).toBeVisible();
    expect(host.store.chats[0]?.turns[0]?.rating).toBe("bad");
    expect(screen.getByTestId("rate-good")).toHaveAttribute("aria-pressed", "false");
  });

  it("offers the question of an answer that was not good to Quality, until its passage is marked", async () => {
    const { user, calls } = open({}, { view: "ask", chat: null });
    await ask(user, QUESTION, 1);
    await user.click(screen.getByTestId("rate-bad"));
    await user.click(screen.getByTestId("nav-quality"));
    await user.click(await screen.findByRole("button", { name: "Questions" }));
    const offered = await screen.findByTestId("quality-not-good");
    expect(offered).toHaveTextContent(QUESTION);
    await user.click(within(offered).getByRole("button", { name: "Mark passage" }));
    expect(screen.getByTestId("quality-text")).toHaveValue(QUESTION);
    await user.click(
      within((await screen.findAllByTestId("quality-passage"))[0] as HTMLElement).getByRole("checkbox"),
    );
    await user.click(screen.getByTestId("quality-save"));
    await waitFor(() => expect(calls("quality.write").at(-1)?.params).toMatchObject({ text: QUESTION }));
    await waitFor(() => expect(screen.queryByTestId("quality-not-good")).toBeNull());
  });

  it("copies an answer with its sources", async () => {
    const { user, calls } = open({}, { view: "ask", chat: null });
    await ask(user, QUESTION, 1);
    await user.click(screen.getByTestId("copy-sources"));
    await waitFor(async () => expect(await navigator.clipboard.readText()).toContain(QUESTION));
    expect(calls("chats.export").at(-1)?.params).toEqual({ id: "chat-1", turn: 1 });
  });

  it("shows a failure that was kept, and tries it again in its place", async () => {
    const { user, host, calls } = open({}, { view: "ask", chat: null });
    await ask(user, QUESTION, 1);
    const [kept] = host.store.chats;
    const turn = kept?.turns[0];
    if (!kept || !turn) throw new Error("nothing was kept");
    const failure = problem("model_failed", "the model failed: out of memory", { detail: "out of memory" });
    kept.turns = [
      {
        ...turn,
        answer: { ...turn.answer, answer: "", citations: [], claims: [], reason: "failed", problem: failure },
      },
    ];
    host.notice({ tags: ["chats"], library: null });
    expect(await screen.findByText("The answer failed")).toBeVisible();
    expect(screen.getByText(/The model failed: out of memory/)).toBeVisible();
    expect(screen.queryByTestId("rate-good")).toBeNull();
    await user.click(screen.getByRole("button", { name: "Try again" }));
    await waitFor(() => expect(calls("ask").at(-1)?.params).toMatchObject({ instead: 1 }));
    await waitFor(() => expect(screen.getByTestId("branch")).toHaveTextContent("2 of 2"));
  });
});

describe("where a chat looks", () => {
  it("is chosen before the first question, kept, and changed later", async () => {
    const { user, calls } = open({}, { view: "ask", chat: null });
    await user.click(await screen.findByTestId("scope-narrow"));
    await user.type(await screen.findByTestId("scope-words"), "landlord");
    const document = await screen.findByRole("checkbox", { name: /Meeting with the landlord/ });
    await waitFor(() => expect(screen.queryByRole("checkbox", { name: /Documents/ })).toBeNull());
    await user.click(document);
    await user.click(screen.getByRole("button", { name: "Done" }));
    expect(screen.getByTestId("scope-chip")).toHaveTextContent("Meeting with the landlord");
    await ask(user, QUESTION, 1);
    expect(calls("ask").at(-1)?.params).toMatchObject({
      scope: { libraries: ["default"], documents: [{ title: "Meeting with the landlord" }] },
    });
    await user.click(screen.getByRole("button", { name: "Take out Meeting with the landlord" }));
    await waitFor(() =>
      expect(calls("chats.scope").at(-1)?.params).toMatchObject({ scope: { documents: [] } }),
    );
    await waitFor(() => expect(screen.queryByTestId("scope-chip")).toBeNull());
    await ask(user, OTHER, 2);
    expect(calls("ask").at(-1)?.params).not.toHaveProperty("scope");
  });

  it("is several libraries or all of them", async () => {
    const { user } = open({}, { view: "ask", chat: null });
    await user.click(await screen.findByTestId("scope-library"));
    await user.click(await screen.findByRole("menuitemcheckbox", { name: "Research" }));
    expect(screen.getByTestId("scope-library")).toHaveTextContent("In 2 libraries");
    await user.click(screen.getByTestId("scope-library"));
    await user.click(await screen.findByRole("menuitemcheckbox", { name: "All libraries" }));
    expect(screen.getByTestId("scope-library")).toHaveTextContent("All libraries");
  });

  it("is a folder of the library's tree", async () => {
    const { user } = open({}, { view: "library", chat: null });
    const row = await screen.findByRole("button", { name: /^Documents, \d/ });
    row.focus();
    await user.keyboard("{Shift>}{F10}{/Shift}");
    await user.click(await screen.findByRole("menuitem", { name: "Ask about this folder" }));
    expect(await screen.findByTestId("scope-chip")).toHaveTextContent("Documents");
    expect(useView.getState().scope.folders).toMatchObject([{ path: "/home/anna/Documents" }]);
  });
});

describe("the list of chats", () => {
  it("renames in place by F2, pins, and asks before it removes", async () => {
    const { user, host } = open({}, { view: "ask", chat: null });
    await ask(user, QUESTION, 1);
    const row = await screen.findByTestId("chat");
    row.focus();
    await user.keyboard("{F2}");
    const field = await screen.findByTestId("chat-title");
    expect(field).toHaveFocus();
    await user.clear(field);
    await user.keyboard("Our lease{Enter}");
    expect(await screen.findByTestId("chat")).toHaveTextContent("Our lease");
    await waitFor(() => expect(screen.getByTestId("chat")).toHaveFocus());

    await user.dblClick(screen.getByTestId("chat"));
    await user.type(await screen.findByTestId("chat-title"), "not this{Escape}");
    expect(host.store.chats[0]?.chat.title).toBe("Our lease");

    await user.click(screen.getByRole("button", { name: "More for Our lease" }));
    await user.click(await screen.findByRole("menuitem", { name: "Pin" }));
    expect(await screen.findByText("Pinned")).toBeInTheDocument();

    screen.getByTestId("chat").focus();
    await user.keyboard("{Delete}");
    await user.click(await screen.findByTestId("choice-remove"));
    await waitFor(() => expect(screen.queryByTestId("chat")).toBeNull());
    expect(host.store.chats).toHaveLength(0);
    expect(useView.getState().chat).toBeNull();
  });

  it("finds chats by words of their answers", async () => {
    const { user } = open({}, { view: "ask", chat: null });
    await ask(user, QUESTION, 1);
    useView.getState().openChat(null);
    await ask(user, OTHER, 1);
    await waitFor(() => expect(screen.getAllByTestId("chat")).toHaveLength(2));
    await user.click(screen.getByTestId("chats-find"));
    await user.type(screen.getByTestId("chats-words"), "deposit returned");
    await waitFor(() => expect(screen.getAllByTestId("chat")).toHaveLength(1));
    expect(screen.getByTestId("chat")).toHaveTextContent(QUESTION);
    await user.type(screen.getByTestId("chats-words"), " zeppelin");
    expect(await screen.findByText("No chat has these words.")).toBeVisible();
    await user.keyboard("{Escape}");
    await waitFor(() => expect(screen.getAllByTestId("chat")).toHaveLength(2));
  });

  it("exports to a file that people choose", async () => {
    const { user, host, calls } = open({}, { view: "ask", chat: null });
    await ask(user, QUESTION, 1);
    host.picks = ["/home/anna/kept"];
    await user.click(screen.getByRole("button", { name: `More for ${QUESTION}` }));
    await user.click(await screen.findByRole("menuitem", { name: "Export" }));
    expect(await screen.findByText("Chat exported")).toBeVisible();
    expect(calls("chats.export").at(-1)?.params).toEqual({ id: "chat-1", path: "/home/anna/kept.md" });
    expect(fileName('a/b: "c"?')).toBe("a b c.md");
    expect(fileName("…")).toBe("….md");
    expect(fileName("///")).toBe("chat.md");
  });
});

describe("an old citation", () => {
  it("opens the version that it was made from, says that it is superseded, and leads to the active one", async () => {
    const { user, host, calls } = open({}, { view: "ask", chat: null });
    await ask(user, QUESTION, 1);
    const cited = host.store.chats[0]?.turns[0]?.answer.citations[0]?.document;
    for (const list of host.store.documents.values())
      for (const document of list) if (document.id === cited?.id) Object.assign(document, { version: 7 });
    await user.click(screen.getAllByTestId("citation")[0] as HTMLElement);
    const note = await screen.findByTestId("reader-superseded");
    expect(note).toHaveTextContent(`made from version ${cited?.version}; version 7 counts now`);
    expect(calls("reader.open").at(-1)?.params).toMatchObject({ version: cited?.version });
    await user.click(within(note).getByRole("button", { name: "Show version 7" }));
    await waitFor(() => expect(calls("reader.open").at(-1)?.params).toMatchObject({ version: 7 }));
    await waitFor(() => expect(screen.queryByTestId("reader-superseded")).toBeNull());
  });

  it("shows the kept words where the version is gone", async () => {
    const { user, host } = open({}, { view: "ask", chat: null });
    await ask(user, QUESTION, 1);
    const quote = host.store.chats[0]?.turns[0]?.answer.citations[0]?.quote;
    host.failures.set("reader.open", problem("not_found", "there is no document named x", { name: "x" }));
    await user.click(screen.getAllByTestId("citation")[0] as HTMLElement);
    const gone = await screen.findByTestId("reader-gone");
    expect(gone).toHaveTextContent("The version is gone");
    expect(gone).toHaveTextContent(quote ?? "?");
    expect(screen.queryByTestId("failed")).toBeNull();
  });
});
