import { act, screen, waitFor } from "@testing-library/react";
import { open } from "./render";

const files = Array.from({ length: 214 }, (_, index) => `/home/anna/scans/${index}.pdf`);

describe("dropping", () => {
  it("says what will happen, and nothing happens when it is called off", async () => {
    const { host, calls } = open({}, { library: "Research" });
    await screen.findAllByText("Research");
    act(() => host.drag({ kind: "enter", paths: files }));
    expect(screen.getByTestId("drop-overlay")).toHaveTextContent("Add 214 files to Research");
    act(() => host.drag({ kind: "leave" }));
    expect(screen.queryByTestId("drop-overlay")).toBeNull();
    expect(calls("add")).toHaveLength(0);
  });

  it("adds what was dropped to the current library and shows it", async () => {
    const { host, calls } = open({}, { library: "Research" });
    await screen.findAllByText("Research");
    act(() => host.drag({ kind: "enter", paths: ["/home/anna/Contracts"] }));
    expect(screen.getByTestId("drop-overlay")).toHaveTextContent("Add “Contracts” to Research");
    act(() => host.drag({ kind: "drop", paths: ["/home/anna/Contracts"] }));
    await waitFor(() =>
      expect(calls("add").map((call) => call.params)).toEqual([
        { what: [{ kind: "path", path: "/home/anna/Contracts" }], library: "Research", watch: true },
      ]),
    );
    expect(screen.queryByTestId("drop-overlay")).toBeNull();
    expect(await screen.findByTestId("view-library")).toBeVisible();
    expect(await screen.findByTestId("notice-done")).toHaveTextContent("1 document added to Research");
  });

  it("says a failure with what to do", async () => {
    const { host } = open();
    host.failures.set("add", {
      code: "disk_full",
      message: "the disk that holds /data is full: free some space; nothing already saved is lost",
      hint: "Free some space, and try again.",
      details: {},
      retryable: true,
    });
    act(() => host.drag({ kind: "drop", paths: ["/a.pdf"] }));
    const notice = await screen.findByTestId("notice-problem");
    expect(notice).toHaveTextContent("The disk is full. Nothing already saved is lost.");
    expect(notice).toHaveTextContent("Free some space, and try again.");
  });
});
