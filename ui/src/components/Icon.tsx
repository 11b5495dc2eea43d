import type { LucideIcon } from "lucide-react";

/** One size and stroke for every icon. Decorative: what it stands on carries the name. */
export function Icon({ of: Of, className }: { of: LucideIcon; className?: string }) {
  return <Of aria-hidden="true" className={className} size={16} strokeWidth={1.5} />;
}
