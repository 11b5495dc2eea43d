/** What can be done with a library as a whole: from the sidebar, the Library view and the palette. */
import { useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import type { LibraryDto } from "../bindings/types";
import { choose, prompt } from "../components/asking";
import { DEFAULT_LIBRARY } from "../lib/library";
import { notify } from "../lib/notices";
import { useView } from "../lib/view";
import { libraryName, useText } from "../text";
import { invalidate } from "./client";
import { useHost } from "./hooks";
import { useDo } from "./useDo";

export function useLibraryActions() {
  const host = useHost();
  const client = useQueryClient();
  const run = useDo();
  const text = useText();

  return useMemo(() => {
    const changed = () =>
      invalidate(client, [{ tags: ["libraries", "documents", "sources"], library: null }]);
    return {
      create: () =>
        prompt({
          title: text.library.createTitle,
          body: text.library.createBody,
          label: text.library.name,
          placeholder: text.library.nameHint,
          action: text.action.create,
          testid: "library-name",
          submit: async (name) => {
            const made = await host.call("library.create", { name });
            await changed();
            const { enter, show } = useView.getState();
            enter(made.name);
            show("library");
          },
        }),
      rename: (name: string) =>
        prompt({
          title: text.library.renameTitle,
          label: text.library.name,
          value: libraryName(text, name),
          action: text.action.rename,
          testid: "library-name",
          submit: async (next) => {
            const renamed = await host.call("library.rename", { old: name, new: next });
            const { library, enter } = useView.getState();
            if (library === name) enter(renamed.name);
            await changed();
          },
        }),
      remove: async (library: LibraryDto) => {
        const name = libraryName(text, library.name);
        const answer = await choose({
          title: text.library.removeLibraryTitle(name),
          body: text.library.removeLibraryBody(library.documents),
          choices: [{ id: "remove", label: text.library.removeLibrary, kind: "danger" }],
        });
        if (answer !== "remove") return;
        const { library: shown, enter, reader, closeReader } = useView.getState();
        if (shown === library.name) enter(DEFAULT_LIBRARY);
        if (reader?.library === library.name) closeReader();
        await run("library.remove", { name: library.name });
      },
      sync: async (library: string) => {
        const report = await run("sync", { library });
        if (!report) return;
        const came = report.added + report.updated + report.moved;
        notify({
          kind: "done",
          message: came > 0 ? text.adding.added(came, libraryName(text, library)) : text.library.synced,
          hint: text.adding.some(report.failed.length, report.skipped.length) || null,
        });
      },
    };
  }, [host, client, run, text]);
}
