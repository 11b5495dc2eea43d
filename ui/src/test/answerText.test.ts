import type { ClaimDto } from "../bindings/types";
import { answerBlocks, type Piece } from "../lib/answerText";

const claim = (text: string, citations: number[], verdict = "supported"): ClaimDto => ({
  text,
  start: 0,
  end: 0,
  citations,
  verdict,
});
const written = (pieces: Piece[]) =>
  pieces.map((piece) => (piece.kind === "cite" ? `[${piece.number}]` : piece.text)).join("");

describe("an answer's text", () => {
  it("turns marks of known sources into citations and drops invented ones", () => {
    const [block] = answerBlocks("The rent is 5 [1][7]. It rises [1, 2].", [], new Set([1, 2]));
    expect(block?.kind === "paragraph" && written(block.pieces)).toBe("The rent is 5[1]. It rises[1][2].");
  });

  it("finds sentences by their words, whatever bytes they lie at", () => {
    const text = "押金为三个月租金。[1] 建议保留凭证。";
    const [block] = answerBlocks(
      text,
      [claim("押金为三个月租金。", [1]), claim("建议保留凭证。", [], "unsupported")],
      new Set([1]),
    );
    if (block?.kind !== "paragraph") throw new Error("no paragraph");
    const doubtful = block.pieces.filter((piece) => piece.claim?.verdict === "unsupported");
    expect(written(doubtful)).toBe("建议保留凭证。");
  });

  it("shows citations of finished sentences before the text has their marks", () => {
    const [block] = answerBlocks("One. Two.", [claim("One.", [1])], new Set([1]));
    expect(block?.kind === "paragraph" && written(block.pieces)).toBe("One.[1] Two.");
  });

  it("does not show them twice once it has", () => {
    const [block] = answerBlocks("One. [1] Two.", [claim("One.", [1])], new Set([1]));
    expect(block?.kind === "paragraph" && written(block.pieces)).toBe("One.[1] Two.");
  });

  it("understands the little Markdown that models write", () => {
    const blocks = answerBlocks(
      "Intro\n\n- **a** `x`\n- b\n\n1. c\n\n```\ncode [1]\n```\nEnd",
      [],
      new Set([1]),
    );
    expect(blocks.map((block) => block.kind)).toEqual(["paragraph", "list", "list", "code", "paragraph"]);
    expect(blocks[3]).toEqual({ kind: "code", text: "code [1]" });
    expect(blocks[1]?.kind === "list" && blocks[1].items[0]?.[0]).toMatchObject({ text: "a", bold: true });
  });
});
