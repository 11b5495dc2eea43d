/**
 * The window inside the program: one command, `rpc`, carries the whole command table. Refuses nothing and decides nothing.
 */
import { Channel, invoke } from "@tauri-apps/api/core";
import { getCurrentWebview } from "@tauri-apps/api/webview";
import { open, save } from "@tauri-apps/plugin-dialog";
import { revealItemInDir } from "@tauri-apps/plugin-opener";
import { aborted, CallError, type CallOptions, type CommandName, type Host, toProblem } from "./host";

let calls = 0;

function rpc<T>(call: string, name: string, params: unknown, onEvent: (line: unknown) => void): Promise<T> {
  return invoke<T>("rpc", { call, name, params, onEvent: new Channel<unknown>(onEvent) });
}

function nextCall(): string {
  calls += 1;
  return `${Date.now().toString(36)}-${calls}`;
}

function call<N extends CommandName>(name: N, params: unknown, options: CallOptions<N> = {}) {
  const { onEvent, signal, onAbort = "leave" } = options;
  type Answer = Awaited<ReturnType<Host["call"]>>;
  return new Promise<Answer>((resolve, reject) => {
    if (signal?.aborted) return reject(aborted());
    const id = nextCall();
    let over = false;
    const cancel = () => {
      rpc(nextCall(), "call.cancel", { call: id }, () => {}).catch(() => {});
      if (onAbort === "leave") {
        over = true;
        reject(aborted());
      }
    };
    signal?.addEventListener("abort", cancel, { once: true });
    rpc<Answer>(id, name, params, (line) => {
      if (!over) onEvent?.(line as never);
    })
      .then(resolve, (error: unknown) => {
        const problem = toProblem(error);
        reject(problem.code === "cancelled" && signal?.aborted ? aborted() : new CallError(problem));
      })
      .finally(() => {
        over = true;
        signal?.removeEventListener("abort", cancel);
      });
  });
}

async function pick(title: string, directory: boolean): Promise<string[]> {
  const chosen: string | string[] | null = await open({ title, directory, multiple: true });
  if (chosen === null) return [];
  return Array.isArray(chosen) ? chosen : [chosen];
}

export function tauriHost(): Host {
  return {
    call: call as Host["call"],
    pickFolders: (title) => pick(title, true),
    pickFiles: (title) => pick(title, false),
    pickSave: (title, name) =>
      save({ title, defaultPath: name, filters: [{ name: "Markdown", extensions: ["md"] }] }),
    onDrop: (listener) => {
      const stop = getCurrentWebview().onDragDropEvent(({ payload }) => {
        if (payload.type === "enter") listener({ kind: "enter", paths: payload.paths });
        if (payload.type === "drop") listener({ kind: "drop", paths: payload.paths });
        if (payload.type === "leave") listener({ kind: "leave" });
      });
      return () => {
        stop.then((unlisten) => unlisten());
      };
    },
    reveal: (path) => revealItemInDir(path),
    mac: navigator.userAgent.includes("Mac OS"),
  };
}
