/** Lists of the stand-in host: pages of documents, folders. */
import type { DocumentDto, DocumentsRequest, FolderDto } from "../../bindings/types";
import { documentsOf, type Store } from "./store";

export function page(store: Store, params: DocumentsRequest) {
  const { library, states = [], folder, name, order = "path", offset = 0, limit } = params;
  const prefix = folder?.path ? `${folder.path}/` : "";
  const wanted = name?.toLowerCase() ?? "";
  const plain = states.length === 0 && !folder && wanted === "";
  const all = documentsOf(store, library ?? "default");
  const listed = (state: string) => (states.length === 0 ? state !== "missing" : states.includes(state));
  const matching = all.filter(
    (document) =>
      listed(document.state) &&
      (!folder || (document.id.startsWith(`${folder.source}-`) && document.path.startsWith(prefix))) &&
      (wanted === "" || document.title.toLowerCase().includes(wanted)),
  );
  const sorted =
    plain && order === "path" ? matching : [...matching].sort((a, b) => compare(a, b, order ?? "path"));
  return { documents: sorted.slice(offset, limit ? offset + limit : undefined), total: matching.length };
}

function compare(a: DocumentDto, b: DocumentDto, order: string): number {
  if (order === "modified") return (b.date ?? "").localeCompare(a.date ?? "");
  if (order === "size") return b.bytes - a.bytes;
  if (order === "state") return a.state.localeCompare(b.state);
  return order === "title" ? a.title.localeCompare(b.title) : a.path.localeCompare(b.path);
}

export function folders(
  store: Store,
  library: string,
  parent: { source: string; path: string } | null,
): FolderDto[] {
  const documents = documentsOf(store, library);
  if (!parent) {
    return store.sources
      .filter((source) => source.library === library)
      .map((source) => ({
        folder: { source: source.id, path: "" },
        name: source.path?.split("/").pop() ?? source.id,
        documents: source.documents,
        has_folders: true,
      }));
  }
  const prefix = parent.path === "" ? "" : `${parent.path}/`;
  const found = new Map<string, FolderDto>();
  for (const document of documents) {
    if (!document.id.startsWith(`${parent.source}-`) || !document.path.startsWith(prefix)) continue;
    const [name, ...rest] = document.path.slice(prefix.length).split("/");
    if (!name || rest.length === 0) continue;
    const entry = found.get(name);
    if (entry) {
      entry.documents += 1;
      entry.has_folders ||= rest.length > 1;
    } else {
      found.set(name, {
        folder: { source: parent.source, path: `${prefix}${name}` },
        name,
        documents: 1,
        has_folders: rest.length > 1,
      });
    }
  }
  return [...found.values()].sort((a, b) => a.name.localeCompare(b.name));
}
