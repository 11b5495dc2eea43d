/**
 * Reader HTML as nodes that can do nothing. It comes sanitised from the program; this is the second lock: no scripts, no handlers,
 * no styles of its own, no address that anything could be fetched from. Links keep their target as text only.
 */
const FORBIDDEN =
  "script,style,link,meta,base,iframe,frame,object,embed,form,input,button,textarea,select,video,audio,source,track,portal,template,svg,math";
const ALLOWED = new Set([
  "id",
  "class",
  "lang",
  "dir",
  "alt",
  "colspan",
  "rowspan",
  "start",
  "scope",
  "data-start",
  "data-end",
  "data-page",
  "data-more-before",
  "data-more-after",
]);

export function inert(html: string): DocumentFragment {
  // A parsed document has no browsing context: nothing runs and nothing is fetched while it is cleaned.
  const parsed = new DOMParser().parseFromString(html, "text/html");
  for (const element of parsed.body.querySelectorAll(FORBIDDEN)) element.remove();
  for (const element of parsed.body.querySelectorAll("*")) {
    const href =
      element.tagName === "A" ? (element.getAttribute("data-href") ?? element.getAttribute("href")) : null;
    const src = element.tagName === "IMG" ? element.getAttribute("src") : null;
    for (const { name } of [...element.attributes]) {
      if (!ALLOWED.has(name)) element.removeAttribute(name);
    }
    if (href) {
      element.setAttribute("data-target", href);
      element.setAttribute("role", "link");
      element.setAttribute("tabindex", "0");
    }
    if (src !== null) {
      if (/^data:image\/(png|jpeg|gif|webp);/i.test(src)) element.setAttribute("src", src);
      else element.replaceWith(placeholder(parsed, element.getAttribute("alt")));
    }
  }
  const fragment = document.createDocumentFragment();
  for (const node of [...parsed.body.childNodes]) fragment.append(document.importNode(node, true));
  return fragment;
}

function placeholder(owner: Document, alt: string | null): HTMLElement {
  const element = owner.createElement("span");
  element.setAttribute("data-image", "");
  element.textContent = alt ?? "";
  return element;
}
