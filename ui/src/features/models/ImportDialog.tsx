import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../components/Button";
import { Dialog } from "../../components/Dialog";
import { Field } from "../../components/Field";
import { toProblem } from "../../host";
import { invalidate } from "../../queries/client";
import { useHost } from "../../queries/hooks";
import { useText } from "../../text";
import { problemSentence } from "../../text/problems";
import styles from "./ModelsView.module.css";

/** A model that is already on this computer. */
export function ImportDialog({ close }: { close: () => void }) {
  const text = useText();
  const host = useHost();
  const client = useQueryClient();
  const [path, setPath] = useState("");
  const [error, setError] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const ready = path.trim() !== "" && !busy;
  const pick = async (choose: (title: string) => Promise<string[]>) => {
    const [first] = await choose(text.models.importTitle);
    if (first) setPath(first);
  };
  const submit = async () => {
    if (!ready) return;
    setBusy(true);
    setError(null);
    try {
      await host.call("models.import", { path: path.trim() });
      void invalidate(client, [{ tags: ["models"], library: null }]);
      close();
    } catch (failure) {
      const { message, hint } = problemSentence(text, toProblem(failure));
      setError([message, hint].filter(Boolean).join(" "));
      setBusy(false);
    }
  };
  return (
    <Dialog
      actions={
        <Button data-testid="import-submit" disabled={!ready} kind="primary" submit>
          {text.models.import}
        </Button>
      }
      body={text.models.importBody}
      close={close}
      submit={submit}
      title={text.models.importTitle}
    >
      <Field
        autoFocus
        error={error}
        label={text.models.importPath}
        onChange={(event) => setPath(event.target.value)}
        placeholder={text.models.importHint}
        testid="import-path"
        value={path}
      />
      <div className={styles.pathRow}>
        <Button onClick={() => void pick(host.pickFiles)} small>
          {text.models.chooseFile}
        </Button>
        <Button onClick={() => void pick(host.pickFolders)} small>
          {text.models.chooseFolder}
        </Button>
      </div>
    </Dialog>
  );
}
