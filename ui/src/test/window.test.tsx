import { screen, waitFor, within } from "@testing-library/react";
import { useView } from "../lib/view";
import { open } from "./render";

describe("the window", () => {
  it("is reached by keys: views, palette, theme", async () => {
    const { user } = open();
    for (const [keys, view] of [
      ["{Control>}j{/Control}", "ask"],
      ["{Control>}l{/Control}", "library"],
      ["{Control>}e{/Control}", "quality"],
      ["{Control>}{Shift>}a{/Shift}{/Control}", "activity"],
      ["{Control>}{Shift>}m{/Shift}{/Control}", "models"],
      ["{Control>},{/Control}", "settings"],
      ["{Control>}f{/Control}", "search"],
    ] as const) {
      await user.keyboard(keys);
      expect(await screen.findByTestId(`view-${view}`)).toBeVisible();
    }
    await user.keyboard("{Control>}{Shift>}d{/Shift}{/Control}");
    await waitFor(() => expect(document.documentElement.dataset.theme).toBe("dark"));
  });

  it("finds commands, libraries and documents by name in the palette", async () => {
    const { user } = open();
    await user.keyboard("{Control>}k{/Control}");
    const palette = await screen.findByTestId("palette");
    await user.type(within(palette).getByRole("combobox"), "lease");
    const document = await within(palette).findByText("Lease agreement, Elm Street 14");
    await user.click(document);
    expect(screen.queryByTestId("palette")).toBeNull();
    expect(await screen.findByTestId("reader")).toHaveTextContent("§ 7 Deposit");

    await user.keyboard("{Control>}k{/Control}");
    await user.type(within(await screen.findByTestId("palette")).getByRole("combobox"), "research{Enter}");
    expect(useView.getState().library).toBe("Research");
  });

  it("changes its language at once and tells the program", async () => {
    const { user, calls } = open({}, { view: "settings" });
    await user.selectOptions(await screen.findByTestId("setting-language"), "zh");
    expect(await screen.findByRole("heading", { name: "设置" })).toBeVisible();
    expect(document.documentElement.lang).toBe("zh-CN");
    expect(calls("settings.set")[0]?.params).toEqual({ changes: { language: "zh" } });
  });

  it("shows work and stops it", async () => {
    const { user, calls } = open({ fixture: "busy" }, { view: "activity" });
    expect(await screen.findAllByTestId("activity-library")).toHaveLength(2);
    expect(screen.getByText(/^Reading .+ · 01:20 of 45:00$/)).toBeVisible();
    await user.click(screen.getByTestId("pause"));
    await waitFor(() => expect(screen.getByTestId("indexing-line")).toHaveTextContent("Paused at 12 of 40"));
    await user.click(screen.getByRole("button", { name: "Cancel Download multilingual-e5-small" }));
    await waitFor(() => expect(calls("jobs.cancel")).toHaveLength(1));
  });

  it("says what could not be read, and shows it", async () => {
    const { user } = open({}, { view: "activity" });
    const [failed] = await screen.findAllByRole("button", { name: /^\d+ failed$/ });
    await user.click(failed as HTMLElement);
    await waitFor(() => expect(screen.getByTestId("filter-failed")).toHaveAttribute("aria-pressed", "true"));
    expect(await screen.findAllByText("failed: the file is damaged")).not.toHaveLength(0);
  });

  it("gets, tests and chooses models", async () => {
    const { user, calls } = open({ pace: 1 }, { view: "models" });
    const gets = await screen.findAllByTestId("model-get");
    await user.click(gets[1] as HTMLElement);
    expect(await screen.findByRole("progressbar", { name: "Qwen2.5 1.5B Instruct" })).toBeVisible();
    const row = screen.getByText("Qwen2.5 1.5B Instruct").closest("li") as HTMLElement;
    await user.click(await within(row).findByRole("button", { name: "Use" }));
    await waitFor(() =>
      expect(calls("settings.set")[0]?.params).toEqual({
        changes: { language_model: "qwen2.5-1.5b-instruct" },
      }),
    );
    await user.click(within(row).getByRole("button", { name: "Test" }));
    expect(await within(row).findByTestId("model-test")).toHaveTextContent("Works, 23 ms");
  });

  it.each([
    ["en", "Text in images", "Speech in recordings", "Recordings are not read"],
    ["zh", "图像文字", "录音转文字", "录音暂不转写"],
  ] as const)(
    "lists what reads images and what hears recordings (%s)",
    async (tongue, ocr, hears, missing) => {
      open({ tongue }, { view: "models" });
      const images = await screen.findByRole("region", { name: ocr });
      expect(within(images).getByText("PP-OCRv6 small")).toBeVisible();
      expect(within(images).queryByRole("status")).toBeNull();
      const recordings = screen.getByRole("region", { name: hears });
      expect(within(recordings).getByText("Whisper base")).toBeVisible();
      expect(within(recordings).getByRole("status")).toHaveTextContent(missing);
      expect(within(recordings).getByTestId("model-get")).toBeVisible();
    },
  );

  it("keeps an endpoint that cannot be reached in its form, with the reason", async () => {
    const { user } = open({}, { view: "models" });
    await user.click(await screen.findByTestId("add-endpoint"));
    await user.type(screen.getByTestId("endpoint-url"), "http://localhost:9999/v1{Enter}");
    expect(await screen.findByRole("alert")).toHaveTextContent("Check that it is running");
    await user.clear(screen.getByTestId("endpoint-url"));
    await user.type(screen.getByTestId("endpoint-url"), "http://localhost:11434/v1{Enter}");
    expect(await screen.findByText("llama3.2")).toBeVisible();
  });

  it("shows what is read only beside views that lead to documents", async () => {
    const { user } = open({}, { view: "search", query: "deposit" });
    await screen.findAllByTestId("search-hit");
    await user.click(screen.getByTestId("search-input"));
    await user.keyboard("{Enter}");
    await screen.findByTestId("reader-mark");
    for (const view of ["activity", "models", "settings"]) {
      await user.click(screen.getByTestId(`nav-${view}`));
      await screen.findByTestId(`view-${view}`);
      expect(screen.queryByTestId("reader")).toBeNull();
    }
    await user.keyboard("{Escape}");
    await user.click(screen.getByTestId("nav-ask"));
    expect(await screen.findByTestId("reader-mark")).toBeVisible();

    await user.click(screen.getByTestId("nav-settings"));
    await user.keyboard("{Control>}k{/Control}");
    await user.type(within(await screen.findByTestId("palette")).getByRole("combobox"), "house rules");
    await user.click(await within(screen.getByTestId("palette")).findByText("House rules"));
    expect(await screen.findByTestId("reader")).toHaveTextContent("House rules");
    expect(screen.getByTestId("view-library")).toBeVisible();
  });

  it("tells by a tip of its own what a button does, by pointer and by keyboard", async () => {
    const { user } = open({}, { view: "library" });
    const button = await screen.findByRole("button", { name: "New chat" });
    await user.hover(button);
    expect(await screen.findByTestId("tip")).toHaveTextContent(/^New chat$/);
    await user.keyboard("{Escape}");
    expect(screen.queryByTestId("tip")).toBeNull();
    screen.getByTestId("nav-quality").focus();
    await user.tab();
    expect(screen.getByRole("button", { name: "New library" })).toHaveFocus();
    expect(await screen.findByTestId("tip")).toHaveTextContent(/^New library$/);
    await user.tab();
    expect(screen.queryByText("New library", { selector: "[data-testid=tip]" })).toBeNull();
  });

  it("leaves no tip to the platform", async () => {
    for (const view of ["search", "ask", "library", "quality", "activity", "models", "settings"] as const) {
      const { unmount, container } = open({ fixture: "busy" }, { view, query: "deposit" });
      await screen.findByTestId(`view-${view}`);
      await screen.findByTestId("indexing-line");
      expect(container.querySelector("[title]")).toBeNull();
      unmount();
    }
  });

  it("has a name for every button", async () => {
    for (const view of ["search", "ask", "library", "quality", "activity", "models", "settings"] as const) {
      const { unmount } = open({ fixture: "busy" }, { view, query: "deposit" });
      await screen.findByTestId(`view-${view}`);
      await screen.findByTestId("indexing-line");
      for (const button of screen.getAllByRole("button")) expect(button).toHaveAccessibleName();
      unmount();
    }
  });
});
