import { CircleCheck, Pause, Play, X } from "lucide-react";
import type { JobDto, ProgressDto } from "../../bindings/types";
import { Button, IconButton } from "../../components/Button";
import { cx } from "../../components/cx";
import { Failed } from "../../components/Empty";
import { Header } from "../../components/Header";
import { Column, Pane } from "../../components/Pane";
import { Progress } from "../../components/Progress";
import { Skeleton } from "../../components/Skeleton";
import { Mark } from "../../components/StateMark";
import { ago, baseName, moment, part, percent } from "../../lib/format";
import { UNREAD } from "../../lib/states";
import { useView } from "../../lib/view";
import { useRead } from "../../queries/hooks";
import { useDo } from "../../queries/useDo";
import { libraryName, useText } from "../../text";
import styles from "./ActivityView.module.css";

export function ActivityView() {
  const text = useText();
  const run = useDo();
  const { data, isError, error, refetch, isPending } = useRead("activity", {});
  const libraries = useRead("library.list", {}).data?.libraries ?? [];
  const progress = data?.progress ?? [];
  const jobs = data?.jobs ?? [];
  const running = jobs.filter((job) => job.state === "running");
  const earlier = jobs.filter((job) => job.state !== "running");
  const paused = progress.some((one) => one.paused);
  const idle = progress.length === 0 && running.length === 0;

  return (
    <Pane
      head={
        <Header column title={text.nav.activity}>
          {progress.length > 0 && (
            <Button
              data-testid="pause"
              icon={paused ? Play : Pause}
              onClick={() => void run("ingest.pause", { paused: !paused })}
            >
              {paused ? text.activity.resumeAll : text.activity.pauseAll}
            </Button>
          )}
        </Header>
      }
    >
      {isError && !data && <Failed error={error} retry={refetch} />}
      {isPending && (
        <Column>
          <Skeleton label={text.library.loading} lines={5} />
        </Column>
      )}
      {data && (
        <Column>
          <section aria-label={text.activity.now}>
            <h2 className={styles.title}>{text.activity.now}</h2>
            {idle ? (
              <p className={styles.quiet}>
                <CircleCheck aria-hidden="true" size={16} strokeWidth={1.5} />
                <span>
                  {text.activity.idle}
                  <span className={styles.note}>{text.activity.idleBody}</span>
                </span>
              </p>
            ) : (
              <ul className={styles.list}>
                {progress.map((one) => (
                  <LibraryWork key={one.library} work={one} />
                ))}
                {running.map((job) => (
                  <Job
                    job={job}
                    key={job.id}
                    shownAbove={progress.some((one) => one.library === job.library)}
                  />
                ))}
              </ul>
            )}
          </section>
          <ul aria-label={text.activity.unread} className={styles.list}>
            {libraries.map(({ name }) => (
              <Unread key={name} library={name} />
            ))}
          </ul>
          <ul aria-label={text.activity.kept} className={styles.list}>
            {libraries.map(({ name }) => (
              <Kept key={name} library={name} />
            ))}
          </ul>
          {earlier.length > 0 && (
            <section aria-label={text.activity.earlier}>
              <h2 className={styles.title}>{text.activity.earlier}</h2>
              <ul className={styles.list}>
                {earlier.slice(0, 100).map((job) => (
                  <Job job={job} key={job.id} />
                ))}
              </ul>
            </section>
          )}
        </Column>
      )}
    </Pane>
  );
}

/** What of a library could not be read, or not wholly; nothing where there is no such thing. */
function Unread({ library }: { library: string }) {
  const text = useText();
  const documents = useRead("status", { library }).data?.documents ?? {};
  const states = UNREAD.filter((state) => (documents[state] ?? 0) > 0);
  if (states.length === 0) return null;
  return (
    <li className={styles.unread} data-testid="activity-unread">
      <span className={styles.name}>{libraryName(text, library)}</span>
      {states.map((state) => (
        <button
          className={styles.part}
          key={state}
          onClick={() => useView.getState().showStates(library, [state])}
          type="button"
        >
          <Mark state={state} />
          {text.library.filter[state](documents[state] ?? 0)}
        </button>
      ))}
    </li>
  );
}

/** How often searches in a library were answered from what was found before; nothing where none was asked. */
function Kept({ library }: { library: string }) {
  const text = useText();
  const { results, vectors } = useRead("status", { library }).data?.caches ?? {};
  if (!results?.asked && !vectors?.asked) return null;
  const words = [
    results?.asked ? text.activity.foundAgain(results.found, results.asked) : "",
    vectors?.asked ? text.activity.vectorsAgain(vectors.found, vectors.asked) : "",
  ];
  return (
    <li className={styles.unread} data-testid="activity-kept">
      <span className={styles.name}>{libraryName(text, library)}</span>
      <span>{words.filter(Boolean).join(" · ")}</span>
    </li>
  );
}

function LibraryWork({ work }: { work: ProgressDto }) {
  const text = useText();
  const name = libraryName(text, work.library);
  const parts = [
    work.scanning && text.activity.scanning,
    work.converting > 0 && text.activity.converting(work.converting),
    work.embedding > 0 && text.activity.toEmbed(work.embedding),
    work.enriching > 0 && text.activity.toEnrich(work.enriching),
  ].filter(Boolean);
  return (
    <li className={styles.work} data-testid="activity-library">
      <div className={styles.head}>
        <span className={styles.name}>{name}</span>
        <span className={styles.number}>
          {work.paused
            ? text.activity.pausedLine(work.done, work.total)
            : work.total > 0 && text.activity.documents(work.done, work.total)}
        </span>
      </div>
      <Progress
        done={work.done}
        label={`${name}${text.colon}${text.activity.progress}`}
        total={work.total || null}
      />
      <p className={styles.about}>{parts.join(" · ")}</p>
      {work.current && (
        <p className={cx(styles.about, styles.current)} data-tip={work.current}>
          {text.activity.current(baseName(work.current))}
          {work.part && ` · ${part(text, work.part)}`}
        </p>
      )}
    </li>
  );
}

function Job({ job, shownAbove }: { job: JobDto; shownAbove?: boolean }) {
  const text = useText();
  const run = useDo();
  const kind = text.activity.kind[job.kind as keyof typeof text.activity.kind] ?? job.kind;
  const state = text.activity.state[job.state as keyof typeof text.activity.state] ?? job.state;
  const running = job.state === "running";
  const time = job.ended ?? job.started;
  const known = !shownAbove && job.done !== null && job.total !== null && job.total > 0;
  return (
    <li className={styles.job} data-state={job.state} data-testid="job">
      <div className={styles.jobBody}>
        <p className={styles.line}>
          <span className={styles.kind}>{kind}</span>
          <span className={styles.subject} data-tip={job.subject}>
            {baseName(job.subject)}
          </span>
        </p>
        {running && !shownAbove && (
          <Progress done={job.done ?? 0} label={`${kind} ${job.subject}`} total={known ? job.total : null} />
        )}
        {job.message && <p className={styles.message}>{job.message}</p>}
      </div>
      {job.library && <span className={styles.library}>{libraryName(text, job.library)}</span>}
      <span className={styles.state}>
        {running && known ? percent(text, (job.done ?? 0) / (job.total ?? 1)) : state}
      </span>
      <span className={styles.when} data-tip={moment(text, time)}>
        {running ? "" : ago(text, time)}
      </span>
      <span className={styles.action}>
        {running && (
          <IconButton
            icon={X}
            label={text.activity.cancelJob(`${kind} ${baseName(job.subject)}`)}
            onClick={() => void run("jobs.cancel", { id: job.id })}
            small
          />
        )}
      </span>
    </li>
  );
}
