/** What can be done with a kept chat. */
import { useMemo } from "react";
import type { ChatDto } from "../bindings/types";
import { choose } from "../components/asking";
import { notify } from "../lib/notices";
import { EVERYTHING, useView } from "../lib/view";
import { useText } from "../text";
import { useHost } from "./hooks";
import { useDo } from "./useDo";

/** A title as the name of a file. */
export function fileName(title: string): string {
  const plain = title.replaceAll(/[\p{Cc}<>:"/\\|?*]+/gu, " ").replaceAll(/\s+/g, " ");
  return `${
    [...plain]
      .slice(0, 80)
      .join("")
      .trim()
      .replace(/[. ]+$/, "") || "chat"
  }.md`;
}

export function useChatActions() {
  const host = useHost();
  const run = useDo();
  const text = useText();
  return useMemo(
    () => ({
      rename: (chat: ChatDto, title: string) => run("chats.rename", { id: chat.id, title }),
      pin: (chat: ChatDto) => run("chats.pin", { id: chat.id, pinned: !chat.pinned }),
      remove: async (chat: ChatDto) => {
        const answer = await choose({
          title: text.ask.removeTitle,
          body: text.ask.removeBody(chat.title),
          choices: [{ id: "remove", label: text.action.remove, kind: "danger" }],
        });
        if (answer !== "remove") return;
        if (useView.getState().chat === chat.id) useView.getState().set({ chat: null, scope: EVERYTHING });
        await run("chats.remove", { id: chat.id });
      },
      copy: async (chat: ChatDto) => {
        const made = await run("chats.export", { id: chat.id });
        if (!made) return;
        await navigator.clipboard.writeText(made.markdown);
        notify({ kind: "done", message: text.action.copied });
      },
      save: async (chat: ChatDto) => {
        const chosen = await host.pickSave(text.chats.exportTitle, fileName(chat.title));
        if (chosen === null) return;
        const path = /\.md$/i.test(chosen) ? chosen : `${chosen}.md`;
        const made = await run("chats.export", { id: chat.id, path });
        if (!made) return;
        notify({
          kind: "done",
          message: text.chats.exported,
          action: { label: text.action.reveal, run: () => void host.reveal(path).catch(() => {}) },
        });
      },
    }),
    [host, run, text],
  );
}
