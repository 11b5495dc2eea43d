import { Copy, FolderOpen, List, MessageSquare } from "lucide-react";
import type { ReaderView } from "../../bindings/types";
import { IconButton } from "../../components/Button";
import { MenuButton, openMenuUnder } from "../../components/Menu";
import { pathOfUri } from "../../lib/format";
import { notify } from "../../lib/notices";
import type { Place } from "../../lib/view";
import { useView } from "../../lib/view";
import { useHost } from "../../queries/hooks";
import { useText } from "../../text";
import { scrollTo } from "./scroll";

/** What can be done with the document that is read. */
export function More({ view }: { view: ReaderView }) {
  const text = useText();
  const host = useHost();
  const { askAbout } = useView();
  const path = pathOfUri(view.document.uri);
  return (
    <MenuButton
      items={[
        { label: text.library.askAbout, icon: MessageSquare, run: () => askAbout(view.document) },
        path !== null && {
          label: text.action.reveal,
          icon: FolderOpen,
          run: () => void host.reveal(path).catch(() => {}),
        },
        {
          label: text.action.copyPath,
          icon: Copy,
          run: () => {
            void navigator.clipboard.writeText(path ?? view.document.uri);
            notify({ kind: "done", message: text.action.copied });
          },
        },
      ]}
      label={text.nav.more(view.document.title)}
      small
    />
  );
}

/** Its headings. */
export function Outline({ view, place }: { view: ReaderView; place: Place }) {
  const text = useText();
  const { read } = useView();
  if (view.outline.length === 0) return null;
  return (
    <IconButton
      aria-haspopup="menu"
      icon={List}
      label={text.reader.outline}
      onClick={(event) =>
        openMenuUnder(
          event.currentTarget,
          text.reader.outline,
          view.outline.map(({ level, text: heading, start }) => ({
            label: heading,
            indent: level - 1,
            run: () => {
              // Of a long document only the part around a place is here; a heading elsewhere is a place of its own.
              const element = document.querySelector(`[data-reader] [data-start="${start}"]`);
              if (element) scrollTo(element, 0.04);
              else read({ ...place, start, end: start });
            },
          })),
        )
      }
      small
    />
  );
}
