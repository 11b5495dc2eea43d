import { useQueryClient } from "@tanstack/react-query";
import { Languages, X } from "lucide-react";
import { useState } from "react";
import { Button, IconButton } from "../../components/Button";
import { Progress } from "../../components/Progress";
import { bytes } from "../../lib/format";
import { keep, kept } from "../../lib/kept";
import { useLanguage } from "../../lib/preferences";
import { download, useDownloads } from "../../queries/downloads";
import { useHost, useRead } from "../../queries/hooks";
import { useDo } from "../../queries/useDo";
import { useText } from "../../text";
import styles from "./Advice.module.css";
import { Bar } from "./Bar";

/** So much of a library in languages that its model does not know is worth a word. */
const MUCH = 0.3;

/** Proposes a model that knows many languages, where people or their files need one. */
export function Advice({ library }: { library: string }) {
  const text = useText();
  const host = useHost();
  const client = useQueryClient();
  const run = useDo();
  const english = useLanguage() === "en";
  const declined = `advice.${library}`;
  const [shown, setShown] = useState(kept(declined) === null);
  const advice = useRead("library.advice", { library }).data;
  const model = advice?.multilingual;
  const running = useDownloads((state) => (model ? state.running[model.id] : undefined));
  const foreign = (advice?.foreign_share ?? 0) >= MUCH;

  if (!shown || !model || (english && !foreign)) return null;
  const here = model.state === "installed";
  const accept = async () => {
    if (here || (await download(host, client, text, model.id)))
      await run("library.settings", { name: library, changes: { embedder: model.id } });
  };
  return (
    <Bar
      icon={Languages}
      kind="advice"
      testid="advice"
      words={
        <>
          <p>{foreign ? text.library.adviceForeign : text.library.adviceLanguage}</p>
          {running ? (
            <Progress done={running.done} label={model.name} total={running.total} />
          ) : (
            <p className={styles.facts}>
              {[model.name, model.bytes > 0 && bytes(text, model.bytes)].filter(Boolean).join(" · ")}
            </p>
          )}
        </>
      }
    >
      {!running && (
        <Button kind="primary" onClick={() => void accept()} small>
          {here ? text.library.adviceUse : text.library.adviceGet}
        </Button>
      )}
      <IconButton
        icon={X}
        label={text.action.close}
        onClick={() => {
          running?.cancel();
          keep(declined, "no");
          setShown(false);
        }}
        small
      />
    </Bar>
  );
}
