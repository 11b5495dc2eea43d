/** Reading and writing through the command table. */
import { type UseQueryOptions, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { createContext, use } from "react";
import { TAGS } from "../bindings/commands";
import type { CommandName, Host, Request, Response } from "../host";
import { invalidate } from "./client";

export const HostContext = createContext<Host | null>(null);

export function useHost(): Host {
  const host = use(HostContext);
  if (!host) throw new Error("no host");
  return host;
}

export function readOptions<N extends CommandName>(host: Host, name: N, params: Request<N>) {
  return {
    queryKey: [name, params] as const,
    queryFn: ({ signal }: { signal: AbortSignal }) => host.call(name, params, { signal }),
  };
}

interface ReadOptions<N extends CommandName>
  extends Pick<UseQueryOptions<Response<N>>, "enabled" | "refetchInterval" | "gcTime"> {
  /** Show the last answer while the next one is on its way: always, or where it still fits. */
  keep?: boolean | ((last: Response<N>) => boolean);
}

/** What a read answers now, and whenever its tags change. */
export function useRead<N extends CommandName>(name: N, params: Request<N>, options: ReadOptions<N> = {}) {
  const host = useHost();
  const { keep, ...rest } = options;
  return useQuery<Response<N>>({
    ...readOptions(host, name, params),
    ...(keep
      ? {
          placeholderData: ((last: Response<N> | undefined) =>
            last !== undefined && (keep === true || keep(last)) ? last : undefined) as never,
        }
      : {}),
    ...rest,
  });
}

/** A write; afterwards everything that it changes is asked again. */
export function useWrite<N extends CommandName>(name: N) {
  const host = useHost();
  const client = useQueryClient();
  return useMutation({
    mutationFn: (params: Request<N>): Promise<Response<N>> => host.call(name, params),
    onSettled: () => void invalidate(client, [{ tags: [...TAGS[name].invalidates], library: null }]),
  });
}
