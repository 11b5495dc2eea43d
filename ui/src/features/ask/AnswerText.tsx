import { Fragment, useMemo } from "react";
import type { CitationDto, ClaimDto } from "../../bindings/types";
import { cx } from "../../components/cx";
import { answerBlocks, type Piece } from "../../lib/answerText";
import { place } from "../../lib/format";
import { useText } from "../../text";
import styles from "./AnswerText.module.css";
import { useOpenCitation } from "./openCitation";

interface AnswerTextProps {
  answer: string;
  citations: CitationDto[];
  claims: ClaimDto[];
}

/** An answer as read text, with its citations. Sentences that no source carries are underlined with dots, and a word after them says so. */
export function AnswerText({ answer, citations, claims }: AnswerTextProps) {
  const blocks = useMemo(
    () => answerBlocks(answer, claims, new Set(citations.map((citation) => citation.number))),
    [answer, citations, claims],
  );
  const show = (pieces: Piece[]) => <Pieces citations={citations} pieces={pieces} />;
  return (
    <div className={styles.answer}>
      {blocks.map((block, index) => {
        const key = index;
        if (block.kind === "code") return <pre key={key}>{block.text}</pre>;
        if (block.kind === "heading") return <h3 key={key}>{show(block.pieces)}</h3>;
        if (block.kind === "paragraph") return <p key={key}>{show(block.pieces)}</p>;
        const items = block.items.map((item, at) => {
          const itemKey = at;
          return <li key={itemKey}>{show(item)}</li>;
        });
        return block.ordered ? <ol key={key}>{items}</ol> : <ul key={key}>{items}</ul>;
      })}
    </div>
  );
}

function Pieces({ pieces, citations }: { pieces: Piece[]; citations: CitationDto[] }) {
  const text = useText();
  return sentences(pieces).map(({ claim, pieces: parts }, index) => {
    const key = index;
    const words = parts.map((piece, at) => {
      const partKey = at;
      if (piece.kind === "cite") return <Cite citations={citations} key={partKey} number={piece.number} />;
      const Tag = piece.kind === "code" ? "code" : piece.bold ? "strong" : Fragment;
      return <Tag key={partKey}>{piece.text}</Tag>;
    });
    if (!claim || claim.verdict === "supported") return <Fragment key={key}>{words}</Fragment>;
    const contradicted = claim.verdict === "contradicted";
    return (
      <Fragment key={key}>
        <span
          className={cx(styles.doubtful, contradicted && styles.contradicted)}
          data-verdict={claim.verdict}
          tabIndex={-1}
        >
          {words}
        </span>
        <span className={styles.verdict}>{contradicted ? text.ask.contradicted : text.ask.unsupported}</span>
      </Fragment>
    );
  });
}

/** Pieces that stand together and belong to one sentence. */
function sentences(pieces: Piece[]): { claim: Piece["claim"]; pieces: Piece[] }[] {
  const groups: { claim: Piece["claim"]; pieces: Piece[] }[] = [];
  for (const piece of pieces) {
    const last = groups.at(-1);
    if (last && last.claim === piece.claim) last.pieces.push(piece);
    else groups.push({ claim: piece.claim, pieces: [piece] });
  }
  return groups;
}

function Cite({ number, citations }: { number: number; citations: CitationDto[] }) {
  const text = useText();
  const open = useOpenCitation();
  const citation = citations.find((one) => one.number === number);
  if (!citation) return null;
  return (
    <button
      aria-label={text.ask.citation(number, citation.document.title)}
      className={styles.cite}
      data-testid="citation"
      onClick={() => open(citation)}
      data-tip={[citation.document.title, place(text, citation.passage.location)].filter(Boolean).join(" · ")}
      type="button"
    >
      {number}
    </button>
  );
}
