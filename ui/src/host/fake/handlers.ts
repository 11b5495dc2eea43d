/** What the stand-in host answers: each command of the table over its store. */
import type { Commands } from "../../bindings/commands";
import type { ChangeNotice } from "../../bindings/types";
import type { CallOptions, CommandName, Request } from "../host";
import type { Fixture, Store, Tongue } from "./store";

type Answer<N extends CommandName> = Commands[N]["response"];

/** Commands by name. */
export type Handlers = {
  [N in CommandName]?: (params: Request<N>, options: CallOptions<N>) => Answer<N> | Promise<Answer<N>>;
};

/** What handlers work with. */
export interface Context {
  store: Store;
  fixture: Fixture;
  tongue: Tongue;
  pace: number;
  listeners: Set<(notice: ChangeNotice) => void>;
  changed: (tags: string[], library?: string | null) => void;
}

export const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
