/** Adding: dropping, choosing and typing a path all end in `add`. */
import { useCallback } from "react";
import type { AddWhat } from "../bindings/types";
import { notify } from "../lib/notices";
import { useView } from "../lib/view";
import { libraryName, useText } from "../text";
import { useHost } from "./hooks";
import { useDo } from "./useDo";

function what(path: string): AddWhat {
  return /^https?:\/\//i.test(path) ? { kind: "url", url: path } : { kind: "path", path };
}

export function useAdd() {
  const host = useHost();
  const run = useDo();
  const text = useText();
  const current = useView((view) => view.library);

  const add = useCallback(
    async (paths: string[], options: { watch?: boolean; library?: string } = {}): Promise<boolean> => {
      if (paths.length === 0) return false;
      const library = options.library ?? current;
      const { view, show } = useView.getState();
      // Whoever adds wants to see what becomes of it; a question being asked is not interrupted.
      if (view !== "ask") show("library");
      const report = await run("add", { what: paths.map(what), library, watch: options.watch ?? true });
      if (!report) return false;
      const extra = text.adding.some(report.failed.length, report.skipped.length);
      const came = report.added + report.updated + report.moved;
      const name = libraryName(text, library);
      notify({
        kind: "done",
        message: came > 0 || extra ? text.adding.added(came, name) : text.adding.unchanged,
        hint: extra || null,
      });
      return true;
    },
    [run, text, current],
  );

  const addFolder = useCallback(
    async () => add(await host.pickFolders(text.adding.chooseFolders)),
    [add, host, text],
  );
  const addFiles = useCallback(
    async () => add(await host.pickFiles(text.adding.chooseFiles), { watch: false }),
    [add, host, text],
  );
  return { add, addFolder, addFiles };
}
