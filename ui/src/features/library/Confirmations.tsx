import { TriangleAlert } from "lucide-react";
import type { SourceDto } from "../../bindings/types";
import { Button } from "../../components/Button";
import { Icon } from "../../components/Icon";
import { baseName } from "../../lib/format";
import { useDo } from "../../queries/useDo";
import { useText } from "../../text";
import styles from "./Confirmations.module.css";

/** Many files of a folder are gone: nothing is removed before people say so. */
export function Confirmations({ sources }: { sources: SourceDto[] }) {
  const text = useText();
  const run = useDo();
  return sources
    .filter((source) => source.needs_confirmation)
    .map((source) => (
      <div className={styles.bar} data-testid="confirm-deletion" key={source.id} role="alert">
        <Icon of={TriangleAlert} />
        <p className={styles.words}>
          <strong>{text.library.confirmTitle(baseName(source.path ?? ""))}</strong> {text.library.confirmBody}
        </p>
        <Button
          onClick={() =>
            void run("source.confirm", { id: source.id, library: source.library, deleted: false })
          }
          small
        >
          {text.library.confirmKeep}
        </Button>
        <Button
          kind="danger"
          onClick={() =>
            void run("source.confirm", { id: source.id, library: source.library, deleted: true })
          }
          small
        >
          {text.library.confirmDeleted}
        </Button>
      </div>
    ));
}
