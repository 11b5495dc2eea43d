/** Where the chat in sight looks, and how to change it. */
import { useCallback } from "react";
import type { ChatScope } from "../../bindings/types";
import { EVERYTHING, useScope, useView } from "../../lib/view";
import { useRead } from "../../queries/hooks";
import { useDo } from "../../queries/useDo";

/** A scope in which nothing is left out. */
export type Where = { [K in keyof ChatScope]-?: NonNullable<ChatScope[K]> };

function whole(scope: ChatScope | undefined): Where {
  const { libraries, folders, tags, documents, filters } = { ...EVERYTHING, ...scope };
  return {
    libraries: libraries ?? [],
    folders: folders ?? [],
    tags: tags ?? [],
    documents: documents ?? [],
    filters: filters ?? [],
  };
}

/** Of a kept chat what it keeps; of a new one what it will begin with. */
export function useWhere(): { where: Where; change: (next: Partial<Where>) => void } {
  const { chat, scope, set } = useView();
  const libraries = useScope();
  const run = useDo();
  const kept = useRead("chats.list", {}).data?.chats.find((one) => one.id === chat)?.scope;
  const where = whole(chat === null ? scope : kept);
  // Where no library is named, the program looks into the one that always exists, or where folders and documents lie.
  if (chat === null && where.libraries.length === 0) where.libraries = libraries;
  const now = JSON.stringify(where);
  const change = useCallback(
    (next: Partial<Where>) => {
      const scope: Where = { ...(JSON.parse(now) as Where), ...next };
      if (chat === null) set({ scope });
      else void run("chats.scope", { id: chat, scope });
    },
    [chat, now, run, set],
  );
  return { where, change };
}

/** Whether a chat looks at less than whole libraries. */
export function isNarrow({ folders, tags, documents, filters }: Where): boolean {
  return folders.length + tags.length + documents.length + filters.length > 0;
}
