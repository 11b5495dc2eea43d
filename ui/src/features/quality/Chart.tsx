import type { EvaluationRun } from "../../bindings/types";
import { day, percent } from "../../lib/format";
import { useText } from "../../text";
import styles from "./Chart.module.css";
import { runWords } from "./Results";

/** Units of the drawing; it is scaled to the width that there is. */
const WIDTH = 800;
const HEIGHT = 180;
const LEFT = 44;
const BELOW = 24;
const LINES = [
  ["recall@10", "first"],
  ["ndcg@10", "second"],
] as const;

interface ChartProps {
  runs: EvaluationRun[];
  shown: string;
  choose: (run: string) => void;
}

/** The runs over time. What it shows stands in the list above it too, which is how it is reached by keyboard. */
export function Chart({ runs, shown, choose }: ChartProps) {
  const text = useText();
  const last = runs.slice(-24);
  const right = WIDTH - 12;
  const x = (at: number) =>
    last.length < 2 ? LEFT : LEFT + 12 + (at * (right - LEFT - 12)) / (last.length - 1);
  const y = (value: number) => 10 + (1 - value) * (HEIGHT - BELOW - 10);
  const of = (run: EvaluationRun, name: string) => run.metrics[name] ?? 0;
  return (
    <section aria-label={text.quality.history} className={styles.chart}>
      <h2 className={styles.title}>{text.quality.history}</h2>
      <svg
        aria-label={text.quality.historyOf(last.length)}
        className={styles.drawing}
        data-testid="quality-chart"
        role="img"
        viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      >
        {[0, 0.5, 1].map((value) => (
          <g key={value}>
            <line className={styles.grid} x1={LEFT} x2={right} y1={y(value)} y2={y(value)} />
            <text className={styles.label} textAnchor="end" x={LEFT - 8} y={y(value) + 4}>
              {percent(text, value)}
            </text>
          </g>
        ))}
        {LINES.map(([name, look]) => (
          <polyline
            className={`${styles.line} ${styles[look]}`}
            key={name}
            points={last.map((run, at) => `${x(at)},${y(of(run, name))}`).join(" ")}
          />
        ))}
        {last.map((run, at) => (
          // biome-ignore lint/a11y/noStaticElementInteractions: the list of runs above does the same by keyboard
          <g
            className={styles.run}
            data-tip={`${runWords(text, run)}\n${text.quality.metric["recall@10"]}${text.colon}${percent(text, of(run, "recall@10"))}`}
            key={run.id}
            onClick={() => choose(run.id)}
          >
            <rect className={styles.reach} height={HEIGHT} width={28} x={x(at) - 14} y={0} />
            {run.id === shown && <line className={styles.shown} x1={x(at)} x2={x(at)} y1={y(1)} y2={y(0)} />}
            {LINES.map(([name, look]) => (
              <circle
                className={`${styles.point} ${styles[look]}`}
                cx={x(at)}
                cy={y(of(run, name))}
                key={name}
                r={run.id === shown ? 4.5 : 3.5}
              />
            ))}
          </g>
        ))}
        <text className={styles.label} x={LEFT} y={HEIGHT - 4}>
          {day(text, last[0]?.created ?? "")}
        </text>
        <text className={styles.label} textAnchor="end" x={right} y={HEIGHT - 4}>
          {day(text, last.at(-1)?.created ?? "")}
        </text>
      </svg>
      <p className={styles.legend}>
        {LINES.map(([name, look]) => (
          <span key={name}>
            <svg aria-hidden="true" className={styles.key} viewBox="0 0 12 12">
              <circle className={`${styles.point} ${styles[look]}`} cx="6" cy="6" r="3.5" />
            </svg>
            {text.quality.metric[name]}
          </span>
        ))}
      </p>
    </section>
  );
}
