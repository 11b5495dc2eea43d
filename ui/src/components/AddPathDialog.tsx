import { useState } from "react";
import { useView } from "../lib/view";
import { useAdd } from "../queries/useAdd";
import { libraryName, useText } from "../text";
import { Button } from "./Button";
import { Dialog } from "./Dialog";
import { Field, Switch } from "./Field";

/** Adding by typing or pasting where it lies. */
export function AddPathDialog({ close }: { close: () => void }) {
  const text = useText();
  const { add } = useAdd();
  const library = useView((view) => view.library);
  const [path, setPath] = useState("");
  const [watch, setWatch] = useState(true);
  const ready = path.trim() !== "";
  const submit = () => {
    if (!ready) return;
    close();
    void add([path.trim()], { watch });
  };
  return (
    <Dialog
      actions={
        <Button data-testid="add-path-submit" disabled={!ready} kind="primary" submit>
          {text.action.add}
        </Button>
      }
      body={text.adding.pathBody(libraryName(text, library))}
      close={close}
      submit={submit}
      title={text.adding.pathTitle}
    >
      <Field
        autoFocus
        label={text.adding.path}
        onChange={(event) => setPath(event.target.value)}
        placeholder={text.adding.pathHint}
        testid="add-path-input"
        value={path}
      />
      <Switch
        change={setWatch}
        hint={text.adding.watchHint}
        label={text.adding.watch}
        on={watch}
        testid="add-path-watch"
      />
    </Dialog>
  );
}
