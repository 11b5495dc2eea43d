import { emit } from "@tauri-apps/api/event";
import { clearMocks, mockIPC, mockWindows } from "@tauri-apps/api/mocks";
import { tauriHost } from "../host/tauri";

interface Rpc {
  call: string;
  name: string;
  params: unknown;
  onEvent: { onmessage: (line: unknown) => void };
}

let sent: Rpc[] = [];
let answer: (rpc: Rpc) => Promise<unknown> = async () => ({});

beforeEach(() => {
  sent = [];
  answer = async () => ({});
  mockWindows("main");
  mockIPC(
    (command, rpc) => {
      expect(command).toBe("rpc");
      sent.push(rpc as never);
      return answer(rpc as never);
    },
    { shouldMockEvents: true },
  );
});

afterEach(clearMocks);

describe("the program's own window", () => {
  it("carries a call with an id of its own, and its lines", async () => {
    const host = tauriHost();
    const lines: unknown[] = [];
    answer = async ({ name, onEvent }) => {
      if (name === "ask") onEvent.onmessage({ event: "token", text: "a" });
      return { answer: "a" };
    };
    const made = await host.call("ask", { question: "q" }, { onEvent: (line) => lines.push(line) });
    expect(made).toEqual({ answer: "a" });
    expect(lines).toEqual([{ event: "token", text: "a" }]);
    await host.call("jobs.list", {});
    expect(sent[0]).toMatchObject({ name: "ask", params: { question: "q" } });
    expect(sent[0]?.call).not.toBe(sent[1]?.call);
  });

  it("cancels where the work is done, and leaves at once", async () => {
    const host = tauriHost();
    const end = new AbortController();
    answer = ({ name }) => (name === "search" ? new Promise(() => {}) : Promise.resolve({}));
    const search = host.call("search", { query: "q" }, { signal: end.signal });
    end.abort();
    await expect(search).rejects.toMatchObject({ name: "AbortError" });
    expect(sent[1]).toMatchObject({ name: "call.cancel", params: { call: sent[0]?.call } });
  });

  it("waits for what a stopped answer has to say", async () => {
    const host = tauriHost();
    const end = new AbortController();
    let finish: (value: unknown) => void = () => {};
    answer = ({ name }) =>
      name === "ask"
        ? new Promise((resolve) => {
            finish = resolve;
          })
        : Promise.resolve({});
    const asked = host.call("ask", { question: "q" }, { signal: end.signal, onAbort: "wait" });
    end.abort();
    finish({ answer: "part", mode: "stopped" });
    await expect(asked).resolves.toMatchObject({ mode: "stopped" });
  });

  it("hands on problems as they are", async () => {
    const problem = {
      code: "not_found",
      message: "there is no library named x",
      hint: null,
      details: { name: "x" },
      retryable: false,
    };
    answer = () => Promise.reject(problem);
    await expect(tauriHost().call("status", { library: "x" })).rejects.toMatchObject({ problem });
  });

  it("feeds drags and drops through one listener", async () => {
    const events: unknown[] = [];
    tauriHost().onDrop((event) => events.push(event));
    await new Promise((resolve) => setTimeout(resolve));
    const position = { x: 1, y: 1 };
    await emit("tauri://drag-enter", { paths: ["/a"], position });
    await emit("tauri://drag-over", { position });
    await emit("tauri://drag-drop", { paths: ["/a"], position });
    await emit("tauri://drag-leave", {});
    expect(events).toEqual([
      { kind: "enter", paths: ["/a"] },
      { kind: "drop", paths: ["/a"] },
      { kind: "leave" },
    ]);
  });
});
