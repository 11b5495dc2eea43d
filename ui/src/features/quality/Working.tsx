import { X } from "lucide-react";
import type { JobDto } from "../../bindings/types";
import { IconButton } from "../../components/Button";
import { Progress } from "../../components/Progress";
import { useDo } from "../../queries/useDo";
import { useText } from "../../text";
import styles from "./QualityView.module.css";

/** A work that goes on, and how to stop it. */
export function Working({ job, label, count }: { job: JobDto; label: string; count: boolean }) {
  const text = useText();
  const run = useDo();
  const known = count && job.total !== null && job.total > 0;
  return (
    <div className={styles.working} data-testid="quality-working">
      <span>{label}</span>
      <Progress done={job.done ?? 0} label={label} total={known ? job.total : null} />
      {known && <span className={styles.number}>{text.quality.of(job.done ?? 0, job.total ?? 0)}</span>}
      <IconButton
        icon={X}
        label={text.activity.cancelJob(label)}
        onClick={() => void run("jobs.cancel", { id: job.id })}
        small
      />
    </div>
  );
}
