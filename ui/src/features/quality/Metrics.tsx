import type { ComparisonDto, DifferenceDto, EvaluationRun } from "../../bindings/types";
import { cx } from "../../components/cx";
import { percent } from "../../lib/format";
import { type Text, useText } from "../../text";
import styles from "./Metrics.module.css";

/** The chief one first. */
const NAMES = [
  "recall@10",
  "recall@5",
  "mrr@10",
  "ndcg@10",
  "hit@5",
  "precision@5",
  "context_precision",
  "context_recall",
] as const;

/** The verdict over all, by the order of the first ten. */
export function verdict(text: Text, comparison: ComparisonDto): string {
  const chief = comparison.metrics.find((one) => one.metric === "ndcg@10");
  if (!chief) return text.quality.verdict.too_few;
  return words(text, chief);
}

function words(text: Text, difference: DifferenceDto): string {
  const known = text.quality.verdict as { [name: string]: string };
  return known[difference.verdict] ?? difference.verdict;
}

/** Points of a hundred with their sign. */
export function points(text: Text, value: number): string {
  const rounded = Math.round(value * 1000) / 10;
  const shown = new Intl.NumberFormat(text.locale, { maximumFractionDigits: 1, signDisplay: "exceptZero" });
  return shown.format(rounded);
}

/** Metrics of a run in plain words, each with a bar; with a comparison, what changed and whether that is real. */
export function Metrics({ run, comparison }: { run: EvaluationRun; comparison: ComparisonDto | undefined }) {
  const text = useText();
  const of = (name: string) => comparison?.metrics.find((one) => one.metric === name);
  return (
    <section aria-label={text.quality.results}>
      {comparison && (
        <p className={styles.verdict} data-testid="quality-verdict" role="status">
          {verdict(text, comparison)}
        </p>
      )}
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">{text.quality.measure}</th>
            <th aria-hidden="true" />
            <th className={styles.number} scope="col">
              {text.quality.value}
            </th>
            {comparison && (
              <th className={styles.number} data-tip={text.quality.changeTip} scope="col">
                {text.quality.change}
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {NAMES.filter((name) => run.metrics[name] !== undefined).map((name) => {
            const value = run.metrics[name] ?? 0;
            const difference = of(name);
            const real = difference?.verdict === "better" || difference?.verdict === "worse";
            return (
              <tr key={name}>
                <th scope="row">
                  {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the tip is read by keyboard too */}
                  <span className={styles.name} data-tip={text.quality.metricTip[name]} tabIndex={0}>
                    {text.quality.metric[name]}
                  </span>
                </th>
                <td aria-hidden="true" className={styles.bar}>
                  <span style={{ inlineSize: `${value * 100}%` }} />
                </td>
                <td className={styles.number}>{percent(text, value)}</td>
                {comparison && (
                  <td
                    className={cx(styles.number, styles.change, real && styles[difference.verdict])}
                    data-tip={
                      difference &&
                      text.quality.changeIn(
                        points(text, difference.low),
                        points(text, difference.high),
                        words(text, difference),
                      )
                    }
                  >
                    {difference ? points(text, difference.difference) : ""}
                  </td>
                )}
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}
