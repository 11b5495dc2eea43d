/** Search, answers, chats, jobs, models, settings, health. */
import { aborted, CallError } from "../host";
import { answer, search, trace } from "./answers";
import { type Context, type Handlers, sleep } from "./handlers";
import { keepTurn } from "./lists";
import { problem } from "./problem";

export function programHandlers({ store, fixture, tongue, pace, changed }: Context): Handlers {
  return {
    search: (params) => ({ query: params.query, hits: search(store, params), trace }),
    ask: async (params, { onEvent, signal }) => {
      const whole = answer(store, params.question, params.libraries?.length ? params.libraries : ["default"]);
      onEvent?.({ event: "stage", name: "search", passages: 0, documents: 0 });
      await sleep(pace * 4);
      const documents = new Set(whole.citations.map((citation) => citation.document.id)).size;
      if (whole.citations.length > 0)
        onEvent?.({ event: "stage", name: "read", passages: whole.citations.length, documents });
      await sleep(pace * 4);
      for (const citation of whole.citations) onEvent?.({ event: "citation", citation });
      let said = "";
      for (const [index, claim] of whole.claims.entries()) {
        if (index === 0) onEvent?.({ event: "stage", name: "generate", passages: 0, documents: 0 });
        for (const word of `${index > 0 && tongue === "en" ? " " : ""}${claim.text}`.split(/(?<=[ ，。])/)) {
          if (signal?.aborted) break;
          said += word;
          onEvent?.({ event: "token", text: word });
          if (pace > 0) await sleep(pace);
        }
        if (signal?.aborted) break;
        onEvent?.({ event: "claim", claim });
      }
      const final = signal?.aborted ? { ...whole, mode: "stopped", answer: said } : whole;
      return { ...final, chat: keepTurn(store, params.chat ?? null, params.question, final, changed) };
    },
    "chats.list": () => ({ chats: store.chats.map(({ chat }) => chat) }),
    "chats.show": ({ id }) => {
      const chat = store.chats.find((one) => one.chat.id === id);
      if (!chat) throw new CallError(problem("not_found", `there is no chat named ${id}`, { name: id }));
      return { chat: chat.chat, turns: [...chat.turns] };
    },
    "chats.export": ({ id }) => ({
      markdown: `# ${store.chats.find((one) => one.chat.id === id)?.chat.title}`,
    }),
    "chats.rename": ({ id, title }) => {
      for (const one of store.chats) if (one.chat.id === id) one.chat = { ...one.chat, title };
      changed(["chats"]);
      return {};
    },
    "chats.remove": ({ id }) => {
      store.chats = store.chats.filter((one) => one.chat.id !== id);
      changed(["chats"]);
      return {};
    },
    "jobs.list": () => ({ jobs: store.jobs }),
    "jobs.cancel": ({ id }) => {
      store.jobs = store.jobs.map((job) =>
        job.id === id ? { ...job, state: "cancelled", ended: new Date(store.now).toISOString() } : job,
      );
      changed(["jobs"]);
      return {};
    },
    activity: () => ({ progress: store.progress, jobs: store.jobs }),
    "ingest.pause": ({ paused }) => {
      store.progress = store.progress.map((one) => ({ ...one, paused }));
      changed(["jobs"]);
      return {};
    },
    "models.list": () => ({ models: store.models }),
    "models.get": async ({ id }, { onEvent, signal }) => {
      const model = store.models.find((one) => one.id === id);
      if (!model) throw new CallError(problem("model_unknown", `there is no model named ${id}`, { id }));
      for (let step = 1; step <= 20; step += 1) {
        await sleep(pace * 2);
        if (signal?.aborted) throw aborted();
        onEvent?.({
          event: "progress",
          file: "model.safetensors",
          done: (model.bytes * step) / 20,
          total: model.bytes,
        });
      }
      const chosen = !store.models.some((one) => one.role === model.role && one.chosen);
      store.models = store.models.map((one) =>
        one.id === id ? { ...one, state: "installed", chosen: one.chosen || chosen } : one,
      );
      changed(["models"]);
      return { ...model, state: "installed" };
    },
    "models.remove": ({ id }) => {
      store.models = store.models.map((one) =>
        one.id === id ? { ...one, state: "absent", chosen: false } : one,
      );
      changed(["models"]);
      return {};
    },
    "models.test": ({ id }) => {
      store.models = store.models.map((one) =>
        one.id === id && one.state === "left_out" ? { ...one, state: "installed" } : one,
      );
      changed(["models"]);
      return { ok: true, message: tongue === "zh" ? "嵌入了一句话" : "embedded one sentence", ms: 23 };
    },
    "models.import": ({ path }) => {
      throw new CallError(problem("unsupported_format", `${path} is no model that can be used`, { path }));
    },
    "endpoint.add": ({ url, role, model = null, key_env = null }) => {
      if (url.includes("9999")) {
        throw new CallError(
          problem(
            "endpoint_unreachable",
            `${url} did not answer`,
            { endpoint: url },
            "Check that it is running and that its address is right.",
          ),
        );
      }
      const made = { id: `endpoint-${store.endpoints.length + 1}`, url, role, model, key_env };
      store.endpoints.push(made);
      store.models.push({
        id: made.id,
        name: model ?? "llama3.2",
        role,
        state: "remote",
        bytes: 0,
        memory: 0,
        licence: "",
        languages: [],
        description: "",
        chosen: false,
      });
      changed(["models"]);
      return made;
    },
    "endpoint.list": () => ({ endpoints: store.endpoints }),
    "endpoint.remove": ({ id }) => {
      store.endpoints = store.endpoints.filter((one) => one.id !== id);
      store.models = store.models.filter((one) => one.id !== id);
      changed(["models"]);
      return {};
    },
    "settings.get": () => ({ settings: { ...store.settings } }),
    "settings.set": ({ changes }) => {
      for (const [key, value] of Object.entries(changes)) {
        if (value === null) delete store.settings[key];
        else store.settings[key] = value;
        if (key === "language_model" || key === "embedder") {
          store.models = store.models.map((one) =>
            one.role === key ? { ...one, chosen: one.id === value } : one,
          );
        }
      }
      changed(["settings", "models"]);
      return { settings: { ...store.settings } };
    },
    doctor: () => ({
      healthy: fixture !== "failing",
      checks: [
        { name: "default/ledger", ok: true, message: "integrity holds", mended: false },
        { name: "default/lexical index", ok: true, message: "current", mended: false },
        {
          name: "default/dense index",
          ok: fixture !== "failing",
          message: fixture === "failing" ? "one byte short" : "current",
          mended: fixture === "failing",
        },
        { name: "disk", ok: true, message: "212 GB free", mended: false },
      ],
    }),
  };
}
