import { useView } from "../lib/view";
import { useRead } from "../queries/hooks";
import { libraryName, useText } from "../text";
import { Segmented } from "./Field";

/** Where Search and Ask look: this library or all. Only where there is a choice. */
export function Scope() {
  const text = useText();
  const { library, everywhere, set } = useView();
  const libraries = useRead("library.list", {}).data?.libraries ?? [];
  if (libraries.length < 2) return null;
  return (
    <Segmented
      change={(value) => set({ everywhere: value === "all" })}
      label={text.scope.label}
      options={[
        { value: "one", label: libraryName(text, library) },
        { value: "all", label: text.scope.everywhere },
      ]}
      value={everywhere ? "all" : "one"}
    />
  );
}
