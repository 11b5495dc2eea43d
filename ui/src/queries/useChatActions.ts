/** What can be done with a kept chat. */
import { useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import type { ChatDto } from "../bindings/types";
import { choose, prompt } from "../components/asking";
import { notify } from "../lib/notices";
import { useView } from "../lib/view";
import { useText } from "../text";
import { invalidate } from "./client";
import { useHost } from "./hooks";
import { useDo } from "./useDo";

export function useChatActions() {
  const host = useHost();
  const client = useQueryClient();
  const run = useDo();
  const text = useText();
  return useMemo(
    () => ({
      rename: (chat: ChatDto) =>
        prompt({
          title: text.ask.renameTitle,
          label: text.ask.chatName,
          value: chat.title,
          action: text.action.rename,
          submit: async (title) => {
            await host.call("chats.rename", { id: chat.id, title });
            await invalidate(client, [{ tags: ["chats"], library: null }]);
          },
        }),
      remove: async (chat: ChatDto) => {
        const answer = await choose({
          title: text.ask.removeTitle,
          body: text.ask.removeBody(chat.title),
          choices: [{ id: "remove", label: text.action.remove, kind: "danger" }],
        });
        if (answer !== "remove") return;
        if (useView.getState().chat === chat.id) useView.getState().set({ chat: null });
        await run("chats.remove", { id: chat.id });
      },
      copy: async (chat: ChatDto) => {
        const made = await run("chats.export", { id: chat.id });
        if (!made) return;
        await navigator.clipboard.writeText(made.markdown);
        notify({ kind: "done", message: text.action.copied });
      },
    }),
    [host, client, run, text],
  );
}
