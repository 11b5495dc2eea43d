import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { Button } from "../../components/Button";
import { Dialog } from "../../components/Dialog";
import { Field, Segmented } from "../../components/Field";
import { toProblem } from "../../host";
import { invalidate } from "../../queries/client";
import { useHost } from "../../queries/hooks";
import { useText } from "../../text";
import { problemSentence } from "../../text/problems";

const ROLES = ["language_model", "embedder", "reranker"] as const;

/** A model that runs elsewhere. */
export function EndpointDialog({ close }: { close: () => void }) {
  const text = useText();
  const host = useHost();
  const client = useQueryClient();
  const [role, setRole] = useState<(typeof ROLES)[number]>("language_model");
  const [url, setUrl] = useState("");
  const [model, setModel] = useState("");
  const [key, setKey] = useState("");
  const [error, setError] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const ready = url.trim() !== "" && !busy;
  const submit = async () => {
    if (!ready) return;
    setBusy(true);
    setError(null);
    try {
      await host.call("endpoint.add", {
        url: url.trim(),
        role,
        model: model.trim() || null,
        key_env: key.trim() || null,
      });
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
        <Button data-testid="endpoint-submit" disabled={!ready} kind="primary" submit>
          {text.action.add}
        </Button>
      }
      body={text.models.endpointBody}
      close={close}
      submit={submit}
      title={text.models.endpointTitle}
    >
      <Segmented
        change={setRole}
        label={text.models.endpointRole}
        options={ROLES.map((value) => ({ value, label: text.models.role[value] }))}
        value={role}
      />
      <Field
        autoFocus
        error={error}
        label={text.models.url}
        onChange={(event) => setUrl(event.target.value)}
        placeholder={text.models.urlHint}
        testid="endpoint-url"
        value={url}
      />
      <Field
        label={text.models.model}
        onChange={(event) => setModel(event.target.value)}
        placeholder={text.models.modelHint}
        testid="endpoint-model"
        value={model}
      />
      <Field
        label={text.models.key}
        onChange={(event) => setKey(event.target.value)}
        placeholder={text.models.keyHint}
        testid="endpoint-key"
        value={key}
      />
    </Dialog>
  );
}
