/** Asking and chats of the stand-in host: a tree of turns, found by their words, pinned, narrowed and rated. */
import type { ChatDto, ChatView, RatedTurn, ScopeDocument, TurnDto } from "../../bindings/types";
import { CallError } from "../host";
import { answer } from "./answers";
import { type Context, type Handlers, sleep } from "./handlers";
import { problem } from "./problem";
import type { KeptChat, Store } from "./store";

const COVERED = 8;

export function find(store: Store, id: string): KeptChat {
  const found = store.chats.find((one) => one.chat.id === id);
  if (!found) throw new CallError(problem("not_found", `there is no chat named ${id}`, { name: id }));
  return found;
}

/** The turns from the first question to this one. */
function path({ turns }: KeptChat, to: number | null): TurnDto[] {
  const branch: TurnDto[] = [];
  for (let at = to; at !== null; ) {
    const turn = turns.find((one) => one.number === at);
    if (!turn) break;
    branch.unshift(turn);
    at = turn.parent;
  }
  return branch;
}

function siblings({ turns }: KeptChat, parent: number | null): number[] {
  return turns.filter((one) => one.parent === parent).map((one) => one.number);
}

function view(kept: KeptChat, leaf: number | null): ChatView {
  const turns = path(kept, leaf).map((turn) => ({ ...turn, siblings: siblings(kept, turn.parent) }));
  return { chat: kept.chat, turns };
}

/** The newest turn that goes on from this one. */
function endOf(kept: KeptChat, turn: number): number {
  const next = siblings(kept, turn).at(-1);
  return next === undefined ? turn : endOf(kept, next);
}

const markdown = (kept: KeptChat, turns: TurnDto[]) =>
  [`# ${kept.chat.title}`, ...turns.map(({ question, answer }) => `## ${question}\n\n${answer.answer}`)].join(
    "\n\n",
  );

export function chatHandlers({ store, tongue, pace, changed }: Context): Handlers {
  const change = (id: string, next: Partial<ChatDto>): ChatDto => {
    const kept = find(store, id);
    kept.chat = { ...kept.chat, ...next };
    changed(["chats"]);
    return kept.chat;
  };
  return {
    ask: async (params, { onEvent, signal }) => {
      const kept = params.chat && params.chat !== "new" ? find(store, params.chat) : null;
      const scope = kept?.chat.scope ?? params.scope ?? {};
      const whole = answer(store, params.question, scope);
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
      const time = new Date(store.now).toISOString();
      const chat: KeptChat = kept ?? {
        chat: {
          id: `chat-${store.chats.length + 1}`,
          title: params.question,
          created: time,
          updated: time,
          turns: 0,
          pinned: false,
          scope,
        },
        turns: [],
        leaf: null,
      };
      if (!kept) store.chats.unshift(chat);
      const number = chat.turns.length + 1;
      const instead = chat.turns.find((one) => one.number === params.instead);
      const answered = { ...final, chat: chat.chat.id, turn: number };
      chat.turns.push({
        number,
        parent: instead ? instead.parent : chat.leaf,
        siblings: [],
        question: params.question,
        answer: answered,
        created: time,
        rating: null,
        note: null,
      });
      chat.leaf = number;
      change(chat.chat.id, { turns: number });
      return answered;
    },
    "chats.list": ({ words }) => {
      const wanted = (words ?? "").toLowerCase().split(/\s+/).filter(Boolean);
      const found = store.chats.flatMap(({ chat, turns }) => {
        const texts = turns.map((turn) => `${turn.question} ${turn.answer.answer}`);
        const all = [chat.title, ...texts].join(" ").toLowerCase();
        if (!wanted.every((word) => all.includes(word))) return [];
        const excerpt = texts.find((text) => wanted.some((word) => text.toLowerCase().includes(word)));
        return [wanted.length > 0 && excerpt ? { ...chat, excerpt: excerpt.slice(0, 120) } : chat];
      });
      return { chats: [...found].sort((a, b) => Number(b.pinned) - Number(a.pinned)) };
    },
    "chats.show": ({ id, turn }) => {
      const kept = find(store, id);
      return view(kept, turn ? endOf(kept, turn) : kept.leaf);
    },
    "chats.branch": ({ id, turn }) => {
      const kept = find(store, id);
      kept.leaf = endOf(kept, turn);
      changed(["chats"]);
      return {};
    },
    "chats.export": ({ id, turn }) => {
      const kept = find(store, id);
      const turns = turn ? kept.turns.filter((one) => one.number === turn) : path(kept, kept.leaf);
      return { markdown: markdown(kept, turns) };
    },
    "chats.rename": ({ id, title }) => change(id, { title }),
    "chats.pin": ({ id, pinned }) => change(id, { pinned }),
    "chats.scope": ({ id, scope }) => change(id, { scope }),
    "chats.rate": ({ id, turn, rating = null, note = null }) => {
      const kept = find(store, id);
      kept.turns = kept.turns.map((one) => (one.number === turn ? { ...one, rating, note } : one));
      changed(["chats", "quality"]);
      const cited = kept.turns.find((one) => one.number === turn)?.answer.citations ?? [];
      const libraries = [...new Set(cited.map((citation) => citation.document.library))];
      return { libraries: rating === "good" ? libraries : [] };
    },
    "chats.rated": () => ({
      turns: store.chats.flatMap(({ chat, turns }): RatedTurn[] =>
        turns
          .filter((turn) => turn.rating === "bad")
          .map(({ number, question, note, created }) => ({
            chat: chat.id,
            turn: number,
            question,
            note,
            libraries: chat.scope.libraries ?? [],
            created,
          })),
      ),
    }),
    "chats.remove": ({ id }) => {
      store.chats = store.chats.filter((one) => one.chat.id !== id);
      changed(["chats"]);
      return {};
    },
    "scope.find": ({ libraries = [], words }) => {
      const wanted = (words ?? "").toLowerCase();
      const within = (name: string) =>
        !libraries || libraries.length === 0 || libraries.includes("*") || libraries.includes(name);
      const named = (name: string) => name.toLowerCase().includes(wanted);
      const documents: ScopeDocument[] = [];
      for (const [library, list] of store.documents) {
        if (!within(library)) continue;
        for (const { id, title, media_type } of list)
          if (documents.length < COVERED && named(title)) documents.push({ library, id, title, media_type });
      }
      const folders = store.sources.flatMap(({ library, path: place, documents: holds }) => {
        const name = place?.split("/").pop() ?? "";
        return place && within(library) && named(name)
          ? [{ library, path: place, name, documents: holds }]
          : [];
      });
      const tags = (tongue === "zh" ? ["租房", "报销"] : ["tax", "lease"]).filter(named);
      return { folders, tags: tags.map((name, at) => ({ name, documents: 12 - at * 5 })), documents };
    },
  };
}
