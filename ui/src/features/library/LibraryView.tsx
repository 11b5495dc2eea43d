import { FilePlus, FolderPlus, Link, RefreshCw, Search, TextQuote, X } from "lucide-react";
import { useEffect, useState } from "react";
import type { FolderRef } from "../../bindings/types";
import { Button, IconButton } from "../../components/Button";
import { Failed } from "../../components/Empty";
import { Header } from "../../components/Header";
import { Icon } from "../../components/Icon";
import { MenuButton } from "../../components/Menu";
import { CHORDS } from "../../lib/chords";
import { useRested } from "../../lib/hooks";
import { useView } from "../../lib/view";
import { useRead } from "../../queries/hooks";
import { useAdd } from "../../queries/useAdd";
import { useLibraryActions } from "../../queries/useLibraryActions";
import { libraryName, useText } from "../../text";
import { Advice } from "./Advice";
import { Confirmations } from "./Confirmations";
import { ContextDialog } from "./ContextDialog";
import { DocumentList, type Order } from "./DocumentList";
import { EmptyLibrary } from "./EmptyLibrary";
import { Filters } from "./Filters";
import { FolderTree } from "./FolderTree";
import styles from "./LibraryView.module.css";

export function LibraryView() {
  const text = useText();
  const library = useView((view) => view.library);
  const { addFolder, addFiles } = useAdd();
  const { sync } = useLibraryActions();
  const [folder, setFolder] = useState<FolderRef | null>(null);
  const states = useView((view) => view.states);
  const setStates = (states: string[]) => useView.getState().set({ states });
  const [name, setName] = useState("");
  const [order, setOrder] = useState<Order>("path");
  const [context, setContext] = useState(false);
  const status = useRead("status", { library });
  const rested = useRested(name.trim(), 80);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another library begins anew
  useEffect(() => {
    setFolder(null);
    setName("");
    setContext(false);
  }, [library]);

  const total = status.data?.total ?? 0;
  const sources = status.data?.sources ?? [];
  const empty = status.isSuccess && total === 0 && !sources.some((source) => source.kind === "folder");

  return (
    <div className={styles.view}>
      <Header title={libraryName(text, library)}>
        {!empty && (
          <label className={styles.find}>
            <Icon of={Search} />
            <input
              aria-label={text.library.find}
              autoComplete="off"
              onChange={(event) => setName(event.target.value)}
              onKeyDown={(event) => {
                if (event.key === "Escape" && name !== "") {
                  event.preventDefault();
                  setName("");
                }
              }}
              placeholder={text.library.find}
              spellCheck={false}
              value={name}
            />
            {name !== "" && (
              <IconButton icon={X} label={text.action.clear} onClick={() => setName("")} small />
            )}
          </label>
        )}
        <MenuButton
          items={[
            {
              label: text.action.addFiles,
              icon: FilePlus,
              chord: CHORDS.addFiles,
              run: () => void addFiles(),
            },
            {
              label: text.action.addPath,
              icon: Link,
              chord: CHORDS.addPath,
              run: () => useView.getState().set({ dialog: "add-path" }),
            },
            "-",
            {
              label: text.library.syncNow,
              icon: RefreshCw,
              chord: CHORDS.sync,
              run: () => void sync(library),
            },
            {
              label: text.library.context,
              icon: TextQuote,
              run: () => setContext(true),
            },
          ]}
          label={text.action.menu}
          testid="library-more"
        />
        <Button
          data-testid="add-path"
          icon={Link}
          onClick={() => useView.getState().set({ dialog: "add-path" })}
        >
          {text.action.addPath}
        </Button>
        <Button data-testid="add-folder" icon={FolderPlus} kind="primary" onClick={addFolder}>
          {text.action.addFolder}
        </Button>
      </Header>
      {context && <ContextDialog close={() => setContext(false)} library={library} />}
      {status.isSuccess && <Advice key={library} library={library} />}
      {status.isError && !status.data ? (
        <Failed error={status.error} retry={status.refetch} />
      ) : empty ? (
        <EmptyLibrary />
      ) : (
        <>
          <Filters change={setStates} library={library} states={states} status={status.data} />
          <Confirmations sources={sources} />
          <div className={styles.columns}>
            <FolderTree
              folder={folder}
              library={library}
              select={setFolder}
              sources={sources}
              total={total}
            />
            <DocumentList
              folder={folder}
              key={library}
              library={library}
              name={rested}
              order={order}
              reset={() => {
                setStates([]);
                setName("");
                setFolder(null);
              }}
              setOrder={setOrder}
              states={states}
            />
          </div>
        </>
      )}
    </div>
  );
}
