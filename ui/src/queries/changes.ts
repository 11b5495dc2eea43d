/** Follows the program's change notices, so that the window never has to ask whether something is new. */
import type { QueryClient } from "@tanstack/react-query";
import type { ChangeNotice } from "../bindings/types";
import type { Host } from "../host";
import { invalidate } from "./client";

/** Milliseconds between two rounds of asking again. */
export const PACE = { quick: 250, slow: 1500, reconnect: 1000 };

/** Collects notices and hands them over, the first at once, then at most once per `pace` and never before the last round is done. */
export function paced(pace: number, hand: (notices: ChangeNotice[]) => Promise<unknown>) {
  let waiting: ChangeNotice[] = [];
  let busy = false;
  let stopped = false;
  const flush = async () => {
    busy = true;
    while (waiting.length > 0 && !stopped) {
      const batch = waiting;
      waiting = [];
      const rest = new Promise((resolve) => setTimeout(resolve, pace));
      await Promise.all([hand(batch).catch(() => {}), rest]);
    }
    busy = false;
  };
  return {
    add(notice: ChangeNotice) {
      waiting.push(notice);
      if (!busy) void flush();
    },
    stop() {
      stopped = true;
    },
  };
}

/** Subscribes for as long as the window lives; after an interruption everything is asked again. Returns how to stop. */
export function followChanges(host: Host, client: QueryClient): () => void {
  const quick = paced(PACE.quick, (notices) => invalidate(client, notices, "quick"));
  const slow = paced(PACE.slow, (notices) => invalidate(client, notices, "slow"));
  const end = new AbortController();

  const subscribe = async () => {
    for (let first = true; !end.signal.aborted; first = false) {
      if (!first) {
        await new Promise((resolve) => setTimeout(resolve, PACE.reconnect));
        if (end.signal.aborted) return;
        void client.invalidateQueries();
      }
      await host
        .call(
          "events.subscribe",
          {},
          {
            signal: end.signal,
            onEvent: (notice) => {
              quick.add(notice);
              slow.add(notice);
            },
          },
        )
        .catch(() => {});
    }
  };
  void subscribe();
  return () => {
    end.abort();
    quick.stop();
    slow.stop();
  };
}
