/** Small questions from anywhere: `choose` between buttons (none: there is only something to be read), `prompt` for a word. They render in one place, `Asking`. */
import { useState } from "react";
import { create } from "zustand";
import { toProblem } from "../host";
import { useText } from "../text";
import { problemSentence } from "../text/problems";
import { Button } from "./Button";
import { Dialog } from "./Dialog";
import { Field } from "./Field";

interface Choice {
  title: string;
  body?: string;
  choices: { id: string; label: string; kind?: "primary" | "plain" | "danger" }[];
}

interface Prompt {
  title: string;
  body?: string;
  label: string;
  value?: string;
  placeholder?: string;
  action: string;
  secret?: boolean;
  testid?: string;
  /** Carries it out; the dialog stays and shows the problem when it rejects. */
  submit: (value: string) => Promise<unknown>;
}

type Open = { choice: Choice; answer: (id: string | null) => void } | { prompt: Prompt } | null;

const useAsking = create<{ open: Open }>(() => ({ open: null }));

/** The id of the button that was chosen; `null` when it was called off. */
export function choose(choice: Choice): Promise<string | null> {
  return new Promise((answer) => useAsking.setState({ open: { choice, answer } }));
}

export function prompt(prompt: Prompt) {
  useAsking.setState({ open: { prompt } });
}

export function Asking() {
  const open = useAsking((state) => state.open);
  if (!open) return null;
  const close = () => useAsking.setState({ open: null });
  if ("prompt" in open) return <PromptDialog close={close} prompt={open.prompt} />;
  const answer = (id: string | null) => {
    close();
    open.answer(id);
  };
  const buttons = open.choice.choices.map(({ id, label, kind }) => (
    <Button data-testid={`choice-${id}`} key={id} kind={kind ?? "plain"} onClick={() => answer(id)}>
      {label}
    </Button>
  ));
  return (
    <Dialog
      actions={buttons.length > 0 && buttons}
      body={open.choice.body}
      close={() => answer(null)}
      title={open.choice.title}
    />
  );
}

function PromptDialog({ prompt, close }: { prompt: Prompt; close: () => void }) {
  const text = useText();
  const [value, setValue] = useState(prompt.value ?? "");
  const [error, setError] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const ready = value.trim() !== "" && !busy;
  const submit = async () => {
    if (!ready) return;
    setBusy(true);
    try {
      await prompt.submit(prompt.secret ? value : value.trim());
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
        <Button data-testid="prompt-submit" disabled={!ready} kind="primary" submit>
          {prompt.action}
        </Button>
      }
      body={prompt.body}
      close={close}
      submit={submit}
      title={prompt.title}
    >
      <Field
        autoFocus
        error={error}
        label={prompt.label}
        onChange={(event) => {
          setValue(event.target.value);
          setError(null);
        }}
        onFocus={(event) => event.target.select()}
        placeholder={prompt.placeholder}
        testid={prompt.testid ?? "prompt-input"}
        type={prompt.secret ? "password" : "text"}
        value={value}
      />
    </Dialog>
  );
}
