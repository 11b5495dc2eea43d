import { BookX } from "lucide-react";
import type { ReaderView } from "../../bindings/types";
import { Button } from "../../components/Button";
import { Empty } from "../../components/Empty";
import { type Place, useView } from "../../lib/view";
import { useText } from "../../text";
import styles from "./Kept.module.css";

/** Above a page: that it is a superseded version, or that the words cited do not stand in it. */
export function VersionNote({ view, place }: { view: ReaderView; place: Place }) {
  const text = useText();
  const read = useView((state) => state.read);
  const quote = place.quote ?? null;
  const active = view.document.version;
  const superseded = quote !== null && !view.active;
  if (!superseded && view.quoted) return null;
  const { start: _start, end: _end, version: _version, ...rest } = place;
  return (
    <div className={styles.note} data-testid="reader-superseded" role="note">
      {superseded && (
        <p>
          {active === null ? text.chats.noLonger(view.version) : text.chats.superseded(view.version, active)}
        </p>
      )}
      {!view.quoted && (
        <>
          <p>{text.chats.movedQuote}</p>
          <blockquote className={styles.quote}>{quote}</blockquote>
        </>
      )}
      {superseded && active !== null && (
        <Button onClick={() => read({ ...rest, quote: undefined, version: active })} small>
          {text.chats.showActive(active)}
        </Button>
      )}
    </div>
  );
}

/** In the place of a version that is not kept any more: the words that were cited from it. */
export function Gone({ quote }: { quote: string }) {
  const text = useText();
  return (
    <div className={styles.gone} data-testid="reader-gone">
      <Empty body={text.chats.goneBody} icon={BookX} inline title={text.chats.goneTitle} />
      <blockquote className={styles.quote}>{quote}</blockquote>
    </div>
  );
}
