import { Fragment, useMemo } from "react";
import type { CitationDto, ClaimDto } from "../../bindings/types";
import { cx } from "../../components/cx";
import { answerBlocks, type Piece } from "../../lib/answerText";
import { useText } from "../../text";
import styles from "./AnswerText.module.css";
import { useOpenCitation } from "./openCitation";

interface AnswerTextProps {
  answer: string;
  citations: CitationDto[];
  claims: ClaimDto[];
}

/** An answer as read text, with its citations. Sentences that no source carries are underlined with dots. */
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
  return pieces.map((piece, index) => {
    const key = index;
    if (piece.kind === "cite") return <Cite citations={citations} key={key} number={piece.number} />;
    const verdict = piece.claim?.verdict;
    const doubtful = verdict === "unsupported" || verdict === "contradicted";
    const Tag = piece.kind === "code" ? "code" : piece.bold ? "strong" : Fragment;
    if (!doubtful) return <Tag key={key}>{piece.text}</Tag>;
    const why = verdict === "contradicted" ? text.ask.contradicted : text.ask.unsupported;
    const ends = pieces.slice(index + 1).every((next) => next.claim !== piece.claim);
    return (
      <span
        className={cx(styles.doubtful, verdict === "contradicted" && styles.contradicted)}
        data-verdict={verdict}
        key={key}
        title={why}
      >
        <Tag>{piece.text}</Tag>
        {ends && <span className="visually-hidden"> ({why})</span>}
      </span>
    );
  });
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
      title={`${citation.document.title}\n${citation.quote}`}
      type="button"
    >
      {number}
    </button>
  );
}
