/** What can be done with a document. */
import { Copy, FolderOpen, KeyRound, MessageSquare, RotateCw, TextSearch, Trash2 } from "lucide-react";
import { useMemo } from "react";
import type { DocumentDto } from "../../bindings/types";
import { choose, prompt } from "../../components/asking";
import type { MenuItems } from "../../components/Menu";
import { stateInFull } from "../../components/StateMark";
import { pathOfUri } from "../../lib/format";
import { notify } from "../../lib/notices";
import { useView } from "../../lib/view";
import { useHost } from "../../queries/hooks";
import { useDo } from "../../queries/useDo";
import { useText } from "../../text";

export interface DocumentActions {
  open: (document: DocumentDto) => void;
  remove: (document: DocumentDto) => Promise<void>;
  menu: (document: DocumentDto) => MenuItems;
}

/** Whether a password opens it, or a part of it. */
function isLocked({ state, code }: DocumentDto): boolean {
  return state === "needs_password" || code === "locked_part";
}

export function useDocumentActions(): DocumentActions {
  const text = useText();
  const host = useHost();
  const run = useDo();
  return useMemo(() => {
    const unlock = ({ id, library, title }: DocumentDto) =>
      prompt({
        title: text.library.passwordTitle(title),
        body: text.library.passwordBody,
        label: text.library.password,
        action: text.library.unlock,
        secret: true,
        testid: "password",
        submit: (password) => host.call("document.unlock", { document: id, library, password }),
      });
    const retry = ({ id, library }: DocumentDto) => void run("document.retry", { document: id, library });
    const read = ({ id, library, title }: DocumentDto) =>
      useView.getState().read({ document: id, library, title });
    const explain = async (document: DocumentDto) => {
      const answer = await choose({
        title: document.title,
        body: stateInFull(text, document),
        choices: document.retryable ? [{ id: "retry", label: text.action.retry, kind: "primary" }] : [],
      });
      if (answer === "retry") retry(document);
    };
    const remove = async ({ id, library, title }: DocumentDto) => {
      const answer = await choose({
        title: text.library.removeTitle(title),
        body: text.library.removeBody,
        choices: [{ id: "remove", label: text.action.remove, kind: "danger" }],
      });
      if (answer !== "remove") return;
      const { reader, closeReader } = useView.getState();
      if (reader?.document === id) closeReader();
      await run("document.remove", { document: id, library });
    };
    return {
      open: (document) => {
        if (document.state === "needs_password") unlock(document);
        else if (document.version !== null) read(document);
        else void explain(document);
      },
      remove,
      menu: (document) => {
        const path = pathOfUri(document.uri);
        const readable = document.version !== null;
        return [
          readable && { label: text.action.open, icon: TextSearch, run: () => read(document) },
          readable && {
            label: text.library.askAbout,
            icon: MessageSquare,
            run: () => useView.getState().askAbout(document),
          },
          isLocked(document) && {
            label: text.library.unlock,
            icon: KeyRound,
            run: () => unlock(document),
          },
          document.retryable && { label: text.action.retry, icon: RotateCw, run: () => retry(document) },
          path !== null && {
            label: text.action.reveal,
            icon: FolderOpen,
            run: () => void host.reveal(path).catch(() => {}),
          },
          {
            label: text.action.copyPath,
            icon: Copy,
            run: () => {
              void navigator.clipboard.writeText(path ?? document.uri);
              notify({ kind: "done", message: text.action.copied });
            },
          },
          "-",
          {
            label: text.action.remove,
            icon: Trash2,
            danger: true,
            chord: "delete",
            run: () => void remove(document),
          },
        ];
      },
    };
  }, [text, host, run]);
}
