import { useQueryClient } from "@tanstack/react-query";
import { ArrowDown, History, Plus } from "lucide-react";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import type { AnswerDto, TurnDto } from "../../bindings/types";
import { IconButton } from "../../components/Button";
import { Failed } from "../../components/Empty";
import { openMenuUnder } from "../../components/Menu";
import { Skeleton } from "../../components/Skeleton";
import { CHORDS } from "../../lib/chords";
import { useNarrow } from "../../lib/hooks";
import { optionsOf, useRetrieval } from "../../lib/retrieval";
import { useView } from "../../lib/view";
import { useHost, useRead } from "../../queries/hooks";
import { useText } from "../../text";
import styles from "./AskView.module.css";
import { ask, dismiss, type Live, running, useAnswering } from "./answering";
import { Composer } from "./Composer";
import { ScopeChips } from "./ScopeChips";
import { Start } from "./Start";
import { useWhere } from "./scope";
import { Turn } from "./Turn";

/** A turn to show: kept by the program, or of this session. */
interface Shown {
  question: string;
  answer: AnswerDto | null;
  live: Live | null;
  kept: TurnDto | null;
}

export function AskView() {
  const text = useText();
  const host = useHost();
  const client = useQueryClient();
  const { chat, set } = useView();
  const { where } = useWhere();
  const allLive = useAnswering((state) => state.live);
  const kept = useRead("chats.show", { id: chat ?? "" }, { enabled: chat !== null });
  const title = useRead("chats.list", {}).data?.chats.find((one) => one.id === chat)?.title;

  // A new chat shows only what was asked since it was begun.
  const [newSince, setNewSince] = useState(() => allLive.at(-1)?.id ?? 0);
  const [shownChat, setShownChat] = useState(chat);
  if (shownChat !== chat) {
    setShownChat(chat);
    if (chat === null) setNewSince(allLive.at(-1)?.id ?? 0);
  }

  const turns = chat === null ? [] : (kept.data?.turns ?? []);
  const live = allLive.filter((one) =>
    chat === null
      ? one.id > newSince && one.params.chat == null && (one.chat === null || running(one))
      : one.chat === chat,
  );
  // Once the program has kept a turn, its own copy is shown in the same place.
  const known = kept.data?.chat.turns ?? 0;
  const making = live.filter((one) => one.answer?.turn === undefined || one.answer.turn > known);
  // What is asked instead of a turn stands in its place.
  const at = turns.findIndex((turn) => making.some((one) => one.params.instead === turn.number));
  const shown: Shown[] = [
    ...(at < 0 ? turns : turns.slice(0, at)).map((turn) => ({
      question: turn.question,
      answer: turn.answer,
      live: null,
      kept: turn,
    })),
    ...making.map((one) => ({ question: one.question, answer: one.answer, live: one, kept: null })),
  ];
  const busy = live.some(running);

  const onAsk = (question: string, instead: number | null = null) => {
    if (busy) return;
    if (instead === null) set({ draft: "" });
    // A question that failed before it could be kept makes room for the next.
    for (const one of making) if (one.error) dismiss(one.id);
    const options = optionsOf(useRetrieval.getState());
    const of = chat === null ? { scope: where } : {};
    void ask(host, client, { question, chat, instead, options, ...of });
  };

  const scroller = useRef<HTMLDivElement>(null);
  const [follow, setFollow] = useState(true);
  const last = shown.at(-1);
  const growth = last?.live ? last.live.text.length + last.live.claims.length : 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: it follows what grows
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element && follow) element.scrollTop = element.scrollHeight;
  }, [shown.length, growth, follow, busy, kept.data]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another chat begins at its end
  useEffect(() => setFollow(true), [chat]);

  // The first question says it already, unless people have named the chat.
  const named = title !== undefined && shown.length > 0 && title !== shown[0]?.question;
  const empty = shown.length === 0 && (chat === null || kept.isSuccess);
  return (
    <div className={styles.view}>
      <header className={styles.head}>
        <h1 className={styles.title}>
          {named ? title : <span className="visually-hidden">{title ?? text.nav.newChat}</span>}
        </h1>
        <ChatsButton />
        <ScopeChips />
      </header>
      <div
        className={styles.scroll}
        onScroll={({ currentTarget: element }) => {
          const atEnd = element.scrollHeight - element.scrollTop - element.clientHeight < 48;
          if (atEnd !== follow) setFollow(atEnd);
        }}
        ref={scroller}
      >
        {empty && <Start onAsk={(question) => onAsk(question)} />}
        {chat !== null && kept.isPending && shown.length === 0 && (
          <div className={styles.column}>
            <Skeleton label={text.library.loading} lines={6} />
          </div>
        )}
        {chat !== null && kept.isError && shown.length === 0 && (
          <Failed error={kept.error} retry={kept.refetch} />
        )}
        {shown.length > 0 && (
          <div className={styles.column}>
            {shown.map((turn, index) => (
              <Turn
                answer={turn.answer}
                busy={busy}
                kept={turn.kept}
                // biome-ignore lint/suspicious/noArrayIndexKey: what is kept takes the place of what was being written
                key={index}
                live={turn.live}
                onAsk={onAsk}
                question={turn.question}
              />
            ))}
          </div>
        )}
      </div>
      <div className={styles.foot}>
        {!follow && busy && (
          <IconButton
            className={styles.toEnd}
            icon={ArrowDown}
            label={text.ask.answer}
            onClick={() => setFollow(true)}
            small
          />
        )}
        <Composer busy={busy} more={shown.length > 0} onAsk={(question) => onAsk(question)} />
      </div>
    </div>
  );
}

/** With a folded sidebar the chats are in a menu. */
function ChatsButton() {
  const text = useText();
  const narrow = useNarrow();
  const { folded, chat, openChat } = useView();
  const chats = useRead("chats.list", {}).data?.chats ?? [];
  if (!narrow && !folded) return null;
  return (
    <IconButton
      aria-haspopup="menu"
      icon={History}
      label={text.ask.chats}
      onClick={(event) =>
        openMenuUnder(event.currentTarget, text.ask.chats, [
          { label: text.nav.newChat, icon: Plus, chord: CHORDS.newChat, run: () => openChat(null) },
          chats.length > 0 && "-",
          ...chats
            .slice(0, 30)
            .map((one) => ({ label: one.title, checked: one.id === chat, run: () => openChat(one.id) })),
        ])
      }
    />
  );
}
