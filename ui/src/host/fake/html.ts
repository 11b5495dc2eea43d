/** Reader pages of the stand-in host. */

interface Part {
  heading: string;
  text: string[];
}

export function htmlOf(
  title: string,
  parts: Part[],
  paragraphs: { text: string; start: number; end: number }[],
  marks: readonly [number, number] | null,
): string {
  let html = `<h1>${title}</h1>`;
  let at = 0;
  parts.forEach((part, index) => {
    html += `<h2 data-start="${index}">${part.heading}</h2>`;
    const rows = part.text.every((line) => line.includes(" | "));
    const lines = part.text.map(() => {
      const paragraph = paragraphs[at];
      at += 1;
      return paragraph ? withMark(paragraph, marks) : "";
    });
    html += rows
      ? `<table>${lines.map((line) => `<tr><td>${line.split(" | ").join("</td><td>")}</td></tr>`).join("")}</table>`
      : lines.map((line) => `<p>${line}</p>`).join("");
  });
  return html;
}

function withMark(
  paragraph: { text: string; start: number; end: number },
  marks: readonly [number, number] | null,
): string {
  const { text, start } = paragraph;
  if (!marks || marks[1] <= start || marks[0] >= paragraph.end) return text;
  const encoder = new TextEncoder();
  const decoder = new TextDecoder();
  const bytes = encoder.encode(text);
  const from = Math.max(0, marks[0] - start);
  const to = Math.min(bytes.length, marks[1] - start);
  const part = (a: number, b: number) => decoder.decode(bytes.slice(a, b));
  return `${part(0, from)}<mark id="passage">${part(from, to)}</mark>${part(to, bytes.length)}`;
}
