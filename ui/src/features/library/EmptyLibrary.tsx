import { FilePlus, FolderPlus } from "lucide-react";
import { Button } from "../../components/Button";
import { Empty } from "../../components/Empty";
import { useRead } from "../../queries/hooks";
import { useAdd } from "../../queries/useAdd";
import { useText } from "../../text";

export function EmptyLibrary() {
  const text = useText();
  const { addFolder, addFiles } = useAdd();
  const libraries = useRead("library.list", {}).data?.libraries ?? [];
  const first = libraries.every((library) => library.documents === 0);
  return (
    <Empty
      body={first ? text.library.firstBody : text.library.emptyBody}
      icon={FolderPlus}
      testid="library-empty"
      title={first ? text.library.firstTitle : text.library.emptyTitle}
    >
      <Button kind="primary" onClick={addFolder}>
        {text.action.addFolder}
      </Button>
      <Button icon={FilePlus} onClick={addFiles}>
        {text.action.addFiles}
      </Button>
    </Empty>
  );
}
