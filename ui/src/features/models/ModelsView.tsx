import { Boxes, Plus, Upload } from "lucide-react";
import { useState } from "react";
import type { ModelDto } from "../../bindings/types";
import { Button } from "../../components/Button";
import { Empty, Failed } from "../../components/Empty";
import { Header } from "../../components/Header";
import { Column, Pane } from "../../components/Pane";
import { Skeleton } from "../../components/Skeleton";
import { useRead } from "../../queries/hooks";
import { useText } from "../../text";
import { EndpointDialog } from "./EndpointDialog";
import { ImportDialog } from "./ImportDialog";
import { ModelRow } from "./ModelRow";
import styles from "./ModelsView.module.css";

const ROLES = ["embedder", "reranker", "language_model", "ocr", "transcriber"] as const;

export function ModelsView() {
  const text = useText();
  const models = useRead("models.list", {});
  const [dialog, setDialog] = useState<"endpoint" | "import" | null>(null);
  const list = models.data?.models ?? [];
  const usable = (role: string) => list.some((model) => model.role === role && isUsable(model));
  const missing: Partial<Record<keyof typeof text.models.role, string>> = {
    embedder: text.models.missingEmbedder,
    language_model: text.models.missingLanguageModel,
    ocr: text.models.missingOcr,
    transcriber: text.models.missingTranscriber,
  };
  const roles = [...new Set<string>([...ROLES, ...list.map((model) => model.role)])];

  return (
    <Pane
      head={
        <Header column title={text.nav.models}>
          <Button data-testid="import-model" icon={Upload} onClick={() => setDialog("import")}>
            {text.models.import}
          </Button>
          <Button data-testid="add-endpoint" icon={Plus} onClick={() => setDialog("endpoint")}>
            {text.models.addEndpoint}
          </Button>
        </Header>
      }
    >
      {models.isError && !models.data && <Failed error={models.error} retry={models.refetch} />}
      {models.isPending && (
        <Column above="flush">
          <Skeleton label={text.library.loading} lines={6} />
        </Column>
      )}
      {models.data && list.length === 0 && (
        <Empty body={text.models.noneBody} icon={Boxes} title={text.models.none}>
          <Button kind="primary" onClick={() => setDialog("import")}>
            {text.models.import}
          </Button>
        </Empty>
      )}
      {list.length > 0 && (
        <Column above="flush">
          <p className={styles.intro}>{text.models.intro}</p>
          {roles.map((role) => {
            const known = role as keyof typeof text.models.role;
            const mine = list.filter((model) => model.role === role);
            if (mine.length === 0) return null;
            return (
              <section aria-label={text.models.role[known] ?? role} className={styles.role} key={role}>
                <h2 className={styles.title}>{text.models.role[known] ?? role}</h2>
                <p className={styles.hint}>{text.models.roleHint[known]}</p>
                {!usable(role) && missing[known] && (
                  <p className={styles.missing} role="status">
                    {missing[known]}
                  </p>
                )}
                <ul className={styles.list}>
                  {mine.map((model) => (
                    <ModelRow key={model.id} model={model} />
                  ))}
                </ul>
              </section>
            );
          })}
        </Column>
      )}
      {dialog === "endpoint" && <EndpointDialog close={() => setDialog(null)} />}
      {dialog === "import" && <ImportDialog close={() => setDialog(null)} />}
    </Pane>
  );
}

export function isUsable(model: ModelDto): boolean {
  return model.state === "installed" || model.state === "remote";
}
