/** Names that contain every word of what was typed: those that begin with it first, otherwise in their own order. */
export function rankByName<T extends { label: string }>(entries: T[], typed: string): T[] {
  const words = typed.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return entries;
  const scored = entries.flatMap((entry) => {
    const label = entry.label.toLowerCase();
    if (!words.every((word) => label.includes(word))) return [];
    const first = words[0] ?? "";
    const starts = label.startsWith(first) ? 0 : new RegExp(`(^|\\s)${literal(first)}`).test(label) ? 1 : 2;
    return [{ entry, starts }];
  });
  return scored.sort((a, b) => a.starts - b.starts).map(({ entry }) => entry);
}

function literal(word: string): string {
  return word.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
