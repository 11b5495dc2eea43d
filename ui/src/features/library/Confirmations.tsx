import { TriangleAlert } from "lucide-react";
import type { SourceDto } from "../../bindings/types";
import { Button } from "../../components/Button";
import { baseName } from "../../lib/format";
import { useDo } from "../../queries/useDo";
import { useText } from "../../text";
import { Bar } from "./Bar";

/** Many files of a folder are gone: nothing is removed before people say so. */
export function Confirmations({ sources }: { sources: SourceDto[] }) {
  const text = useText();
  const run = useDo();
  return sources
    .filter((source) => source.needs_confirmation)
    .map((source) => (
      <Bar
        icon={TriangleAlert}
        key={source.id}
        kind="warning"
        testid="confirm-deletion"
        words={
          <p>
            <strong>{text.library.confirmTitle(baseName(source.path ?? ""))}</strong>{" "}
            {text.library.confirmBody}
          </p>
        }
      >
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
      </Bar>
    ));
}
