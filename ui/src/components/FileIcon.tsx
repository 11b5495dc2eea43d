import {
  FileCode,
  FileSpreadsheet,
  FileText,
  FileType,
  Globe,
  Image,
  type LucideIcon,
  StickyNote,
} from "lucide-react";
import styles from "./FileIcon.module.css";
import { Icon } from "./Icon";

const KINDS: [RegExp, LucideIcon, string][] = [
  [/pdf/, FileText, "pdf"],
  [/spreadsheet|csv|excel/, FileSpreadsheet, "sheet"],
  [/wordprocessing|msword|opendocument\.text|rtf/, FileType, "word"],
  [/html|uri/, Globe, "web"],
  [/markdown/, StickyNote, "note"],
  [/image\//, Image, "image"],
  [/x-|javascript|json|xml|source/, FileCode, "code"],
];

/** The kind of a document, by shape and a touch of colour. */
export function FileIcon({ type }: { type: string }) {
  const [, icon, kind] = KINDS.find(([pattern]) => pattern.test(type)) ?? [null, FileText, "text"];
  return <Icon className={styles[kind]} of={icon} />;
}
