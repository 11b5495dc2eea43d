import { keySigns } from "../lib/keys";
import { useHost } from "../queries/hooks";
import styles from "./Kbd.module.css";

/** A chord as it stands on the keyboard. For the eye only; `aria-keyshortcuts` says it to screen readers. */
export function Kbd({ chord, quiet }: { chord: string; quiet?: boolean }) {
  const { mac } = useHost();
  const signs = keySigns(chord, mac);
  return (
    <kbd aria-hidden="true" className={quiet ? styles.quiet : styles.kbd}>
      {mac ? signs.join("") : signs.join(" ")}
    </kbd>
  );
}
