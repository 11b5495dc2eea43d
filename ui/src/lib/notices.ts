/** Short messages at the lower edge. They leave by themselves; problems stay until dismissed. */
import { create } from "zustand";

export interface Notice {
  id: number;
  kind: "done" | "problem";
  message: string;
  hint?: string | null;
  action?: { label: string; run: () => void };
}

interface Notices {
  notices: Notice[];
  dismiss: (id: number) => void;
}

export const useNotices = create<Notices>((set) => ({
  notices: [],
  dismiss: (id) => set((state) => ({ notices: state.notices.filter((notice) => notice.id !== id) })),
}));

let last = 0;

export function notify(notice: Omit<Notice, "id">) {
  last += 1;
  const id = last;
  const others = useNotices.getState().notices.filter((other) => other.message !== notice.message);
  useNotices.setState({ notices: [...others.slice(-2), { ...notice, id }] });
  if (notice.kind === "done") setTimeout(() => useNotices.getState().dismiss(id), 5000);
}
