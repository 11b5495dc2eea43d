import { ChevronRight } from "lucide-react";
import type { TraceDto } from "../bindings/types";
import { count } from "../lib/format";
import { useText } from "../text";
import styles from "./Trace.module.css";

/** What every stage of a search or an answer did. Technical words may stand here. */
export function Trace({ trace, summary }: { trace: TraceDto; summary: string }) {
  const text = useText();
  if (trace.stages.length === 0) return null;
  return (
    <details className={styles.trace}>
      <summary className={styles.summary}>
        <ChevronRight aria-hidden="true" className={styles.chevron} size={12} strokeWidth={1.5} />
        {summary}
      </summary>
      <table className={styles.table}>
        <thead className="visually-hidden">
          <tr>
            <th scope="col">{text.trace.stage}</th>
            <th scope="col">{text.trace.candidates}</th>
            <th scope="col">{text.trace.time}</th>
            <th scope="col">{text.trace.tokens}</th>
            <th scope="col">{text.trace.note}</th>
          </tr>
        </thead>
        <tbody>
          {trace.stages.map((stage, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a stage can run twice, and the list does not change
            <tr key={index}>
              <th scope="row">{stage.name}</th>
              <td className={styles.number}>
                {stage.candidates === undefined ? "" : count(text, stage.candidates)}
              </td>
              <td className={styles.number}>{stage.ms.toFixed(stage.ms < 10 ? 1 : 0)} ms</td>
              <td className={styles.number}>{stage.tokens ? text.trace.tokensSpent(stage.tokens) : ""}</td>
              <td className={styles.note}>{[stage.model, stage.note].filter(Boolean).join(" · ")}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}
