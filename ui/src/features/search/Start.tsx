import { FolderPlus, History, Search } from "lucide-react";
import { useState } from "react";
import { Button } from "../../components/Button";
import { Empty } from "../../components/Empty";
import { Icon } from "../../components/Icon";
import { useView } from "../../lib/view";
import { useRead } from "../../queries/hooks";
import { useAdd } from "../../queries/useAdd";
import { libraryName, useText } from "../../text";
import { forget, recent } from "./recent";
import styles from "./Start.module.css";

/** Search before anything was typed. */
export function Start() {
  const text = useText();
  const { library, everywhere, set } = useView();
  const { addFolder } = useAdd();
  const [searches, setSearches] = useState(recent);
  const libraries = useRead("library.list", {}).data?.libraries;
  if (!libraries) return null;
  const all = libraries.reduce((sum, one) => sum + one.documents, 0);
  const here = libraries.find((one) => one.name === library)?.documents ?? 0;
  if (all === 0 || (here === 0 && !everywhere)) {
    return (
      <Empty
        body={all === 0 ? text.library.firstBody : text.library.emptyBody}
        icon={FolderPlus}
        testid="search-first"
        title={all === 0 ? text.library.firstTitle : text.library.emptyTitle}
      >
        <Button kind="primary" onClick={addFolder}>
          {text.action.addFolder}
        </Button>
        {all > 0 && <Button onClick={() => set({ everywhere: true })}>{text.search.everywhereToo}</Button>}
      </Empty>
    );
  }
  if (searches.length === 0) {
    return (
      <Empty
        body={
          everywhere
            ? text.search.emptyEverywhere(all)
            : text.search.emptyBody(here, libraryName(text, library))
        }
        icon={Search}
        title={text.search.emptyTitle}
      />
    );
  }
  return (
    <section aria-label={text.search.recent} className={styles.recent}>
      <div className={styles.head}>
        <h2>{text.search.recent}</h2>
        <Button
          kind="quiet"
          onClick={() => {
            forget();
            setSearches([]);
          }}
          small
        >
          {text.search.forget}
        </Button>
      </div>
      <ul>
        {searches.map((query) => (
          <li key={query}>
            <button className={styles.query} onClick={() => set({ query })} type="button">
              <Icon of={History} />
              <span>{query}</span>
            </button>
          </li>
        ))}
      </ul>
      <p className={styles.about}>
        {everywhere
          ? text.search.emptyEverywhere(all)
          : text.search.emptyBody(here, libraryName(text, library))}
      </p>
    </section>
  );
}
