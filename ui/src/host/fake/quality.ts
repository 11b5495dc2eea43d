/** Questions of the stand-in host, runs over them, and settings tried: enough to show each state. */
import type { EvaluationRun, QuestionDto, QuestionResultDto, TuneDto } from "../../bindings/types";
import { CallError } from "../host";
import { type Context, type Handlers, sleep } from "./handlers";
import { problem } from "./problem";
import type { Store } from "./store";

const DAY = 86_400_000;

/** What the stand-in knows of quality. */
interface Known {
  questions: QuestionDto[];
  runs: EvaluationRun[];
  tuned: TuneDto | null;
}

function questionsOf(store: Store, most: number): QuestionDto[] {
  const zh = store.tongue === "zh";
  const kinds = ["generated", "generated", "made", "written"];
  const made: QuestionDto[] = [];
  for (const [id, { writing, paragraphs }] of store.writings) {
    for (const paragraph of paragraphs.filter((one) => one.text.length > 40).slice(0, 3)) {
      const n = made.length;
      if (n >= most) return made;
      const about = paragraph.heading || writing.title;
      made.push({
        id: `question-${n + 1}`,
        text: zh
          ? `《${writing.title}》中关于“${about}”是怎么说的？`
          : `What does “${writing.title}” say about ${about}?`,
        kind: kinds[n % kinds.length] ?? "made",
        answer: null,
        right: [
          {
            document: id,
            title: writing.title,
            start: n % 11 === 7 ? null : paragraph.start,
            end: n % 11 === 7 ? null : paragraph.end,
            quote: paragraph.text,
            state: n % 11 === 7 ? "gone" : "here",
          },
        ],
        created: new Date(store.now - (most - n) * 60_000).toISOString(),
      });
    }
  }
  return made;
}

function runOf(
  questions: QuestionDto[],
  now: number,
  n: number,
  settings: { [key: string]: string },
): EvaluationRun {
  const outcome = (at: number) => {
    if (at % 11 === 7) return "gone";
    if (at % 13 === 5) return "lost_in_fusion";
    if (at % 17 === 9) return "not_retrieved";
    return at === 3 && n > 2 ? "gated" : "found";
  };
  const results: QuestionResultDto[] = questions.map((question, at) => {
    const found = outcome(at) === "found" || outcome(at) === "gated";
    return {
      id: question.id,
      text: question.text,
      outcome: outcome(at),
      rank: found ? 1 + ((at + n) % 3) : null,
      lexical: outcome(at) === "lost_in_fusion" ? 4 : found ? 2 : null,
      dense: outcome(at) === "lost_in_fusion" ? 38 : found ? 1 : null,
      metrics: {},
      ms: 12,
      right: question.right.map(({ document, title, start, end }) => ({ document, title, start, end })),
    };
  });
  const outcomes: { [name: string]: number } = {};
  for (const { outcome: name } of results) outcomes[name] = (outcomes[name] ?? 0) + 1;
  const base = 0.78 + 0.02 * n;
  return {
    id: `run-${n}`,
    library: "default",
    created: new Date(now - (6 - n) * 3 * DAY).toISOString(),
    settings: { legs: "lexical,dense", embedder: "all-minilm-l6-v2", ...settings },
    documents: 40,
    passages: 812 - 20 * n,
    questions: questions.length,
    metrics: {
      "ndcg@10": base - 0.06,
      "recall@5": base - 0.01,
      "recall@10": base + 0.04,
      "mrr@10": base - 0.08,
      "hit@5": base - 0.01,
      "precision@5": base / 5,
      context_precision: base - 0.05,
      context_recall: base + 0.02,
    },
    outcomes,
    query_ms: 12,
    results,
  };
}

function tunedOf(now: number, questions: number): TuneDto {
  const candidate = (
    chunking: string,
    fusion: string,
    passages: number,
    ndcg: number,
    verdict: string | null,
    rerank = "auto",
  ) => ({
    settings: { chunking, fusion, rerank },
    passages,
    metrics: { "ndcg@10": ndcg, "recall@10": ndcg + 0.08 },
    query_ms: 12,
    difference: verdict
      ? {
          metric: "ndcg@10",
          first: 0.82,
          second: ndcg,
          difference: ndcg - 0.82,
          low: ndcg - 0.86,
          high: ndcg - 0.78,
          p: verdict === "better" ? 0.008 : 0.4,
          verdict,
        }
      : null,
  });
  return {
    created: new Date(now - DAY).toISOString(),
    questions,
    candidates: [
      candidate("auto", "auto", 812, 0.82, null),
      candidate("256/25", "auto", 604, 0.884, "better"),
      candidate("parent-child:150/1500", "auto", 1120, 0.841, "chance"),
      candidate("semantic:512", "auto", 655, 0.83, "chance"),
      candidate("auto", "auto", 812, 0.818, "chance", "late-interaction"),
      candidate("auto", "rrf", 812, 0.812, "chance"),
      candidate("sliding:256/32", "auto", 590, 0.806, "chance"),
      candidate("pages", "auto", 401, 0.741, "worse"),
    ],
    winner: 1,
    verdict: "",
  };
}

export function qualityHandlers({ store, fixture, pace, changed }: Context): Handlers {
  const full = fixture === "full" || fixture === "busy";
  const questions = full ? questionsOf(store, 20) : [];
  const known: Known = {
    questions,
    runs: full
      ? [1, 2, 3, 4, 5].map((n) =>
          runOf(questions, store.now, n, {
            chunking: n < 3 ? "512/64" : "auto",
            fusion: n < 4 ? "rrf" : "auto",
          }),
        )
      : [],
    tuned: full ? tunedOf(store.now, questions.length) : null,
  };
  const find = (id: string) => {
    const run = known.runs.find((one) => one.id === id);
    if (!run) throw new CallError(problem("not_found", `there is no run named ${id}`, { name: id }));
    return run;
  };
  const work = async (kind: string, library: string, steps: number) => {
    const id = `job-${kind}`;
    const row = (done: number) => ({
      id,
      kind,
      subject: library,
      library,
      state: "running",
      message: null,
      started: new Date(store.now).toISOString(),
      ended: null,
      done,
      total: steps,
    });
    for (let step = 0; step < steps; step += 1) {
      store.jobs = [row(step), ...store.jobs.filter((job) => job.id !== id)];
      changed(["jobs"]);
      await sleep(pace);
    }
    store.jobs = store.jobs.filter((job) => job.id !== id);
    changed(["jobs", "quality"]);
  };
  return {
    "quality.questions": ({ library }) => ({
      questions: (library ?? "default") === "default" ? known.questions : [],
    }),
    "quality.write": ({ text, right }) => {
      const [first] = right;
      const title = store.writings.get(first?.document ?? "")?.writing.title ?? "";
      const question: QuestionDto = {
        id: `question-${known.questions.length + 1}`,
        text,
        kind: "written",
        answer: null,
        right: right.map(({ document, start = null, end = null }) => ({
          document,
          title,
          start,
          end,
          quote: "",
          state: "here",
        })),
        created: new Date(store.now).toISOString(),
      };
      known.questions = [...known.questions, question];
      changed(["quality"]);
      return question;
    },
    "quality.remove": ({ ids }) => {
      known.questions = known.questions.filter((one) => !ids.includes(one.id));
      changed(["quality"]);
      return {};
    },
    "quality.generate": async ({ library }) => {
      await work("questions", library ?? "default", 6);
      const made = questionsOf(store, 12);
      known.questions = made;
      changed(["quality"]);
      return { questions: made, tried: 31, refused: { copied: 4 }, model: "smollm2-135m-instruct" };
    },
    "quality.run": async ({ library }) => {
      await work("evaluation", library ?? "default", 4);
      const run = runOf(known.questions, store.now, known.runs.length + 1, {
        chunking: "auto",
        fusion: "auto",
      });
      known.runs = [...known.runs, run];
      changed(["quality"]);
      return run;
    },
    "quality.runs": ({ library }) => ({
      runs: (library ?? "default") === "default" ? known.runs.map((run) => ({ ...run, results: [] })) : [],
    }),
    "quality.show": ({ id }) => find(id),
    "quality.forget": ({ id }) => {
      known.runs = known.runs.filter((one) => one.id !== id);
      changed(["quality"]);
      return {};
    },
    "quality.compare": ({ first, second }) => {
      const [a, b] = [find(first), find(second)];
      const metrics = Object.keys(a.metrics).map((metric) => {
        const [before, after] = [a.metrics[metric] ?? 0, b.metrics[metric] ?? 0];
        const difference = after - before;
        const verdict = Math.abs(difference) < 0.03 ? "chance" : difference > 0 ? "better" : "worse";
        return {
          metric,
          first: before,
          second: after,
          difference,
          low: difference - 0.02,
          high: difference + 0.02,
          p: verdict === "chance" ? 0.3 : 0.01,
          verdict,
        };
      });
      return { first: a, second: b, questions: a.questions, metrics, changed: [], verdict: "" };
    },
    "quality.estimate": () => ({
      questions: known.questions.length,
      candidates: 13,
      documents: 40,
      tokens: 310_000,
      seconds: 260,
      bytes: 48_000_000,
    }),
    "quality.tune": async ({ library }) => {
      await work("tuning", library ?? "default", 6);
      const tuned = tunedOf(store.now, known.questions.length);
      known.tuned = tuned;
      changed(["quality"]);
      return tuned;
    },
    "quality.tuned": () => ({ last: known.tuned }),
  };
}
