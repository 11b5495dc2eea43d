/** A long list by pages: only the pages in sight are asked for, and those just seen stay. */
import { keepPreviousData, useQueries } from "@tanstack/react-query";
import { useMemo } from "react";
import type { DocumentDto, DocumentPage, DocumentsRequest } from "../../bindings/types";
import { readOptions, useHost } from "../../queries/hooks";

export const PAGE = 100;

/** The numbers of the pages that rows `first` to `last` lie on; always the first one, which knows the total. */
export function pagesFor(first: number, last: number): number[] {
  const from = Math.floor(Math.max(0, first) / PAGE);
  const to = Math.floor(Math.max(0, last) / PAGE);
  const pages = Array.from({ length: to - from + 1 }, (_, index) => from + index);
  return pages[0] === 0 ? pages : [0, ...pages];
}

export interface Paged {
  total: number;
  at: (index: number) => DocumentDto | undefined;
  pending: boolean;
  error: unknown;
  retry: () => void;
}

export function usePaged(wanted: DocumentsRequest, first: number, last: number): Paged {
  const host = useHost();
  const pages = pagesFor(first, last);
  const results = useQueries({
    queries: pages.map((page) => ({
      ...readOptions(host, "documents.list", { ...wanted, offset: page * PAGE, limit: PAGE }),
      placeholderData: page === 0 ? (keepPreviousData as never) : undefined,
      gcTime: 30_000,
    })),
  });
  const head = results[0];
  const byPage = new Map<number, DocumentPage>();
  results.forEach((result, index) => {
    const page = pages[index];
    if (page !== undefined && result.data) byPage.set(page, result.data as DocumentPage);
  });
  const failed = results.find((result) => result.isError && !result.data);
  return {
    total: byPage.get(0)?.total ?? 0,
    at: (index) => byPage.get(Math.floor(index / PAGE))?.documents[index % PAGE],
    pending: head?.isPending ?? true,
    error: failed?.error ?? null,
    retry: () => {
      for (const result of results) if (result.isError) void result.refetch();
    },
  };
}

/** The request without its page, stable while nothing of it changes. */
export function useWanted(request: Omit<DocumentsRequest, "offset" | "limit">): DocumentsRequest {
  const key = JSON.stringify(request);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the key is the request
  return useMemo(() => request, [key]);
}
