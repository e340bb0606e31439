/** Markup that needs no escaping. */
export interface Html {
  readonly markup: string;
}

const entities: { readonly [character: string]: string } = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** A template tag that escapes every value, unless it is `Html` itself. */
export function html(
  parts: TemplateStringsArray,
  ...values: readonly (string | Html | readonly Html[])[]
): Html {
  const markup = parts.reduce((text, part, index) => text + toMarkup(values[index - 1] ?? "") + part);
  return { markup };
}

function toMarkup(value: string | Html | readonly Html[]): string {
  if (typeof value === "string") return value.replace(/[&<>"']/g, (character) => entities[character] ?? "");
  return "markup" in value ? value.markup : value.map(({ markup }) => markup).join("");
}

const style =
  "body{font:16px/1.5 system-ui,sans-serif;max-width:34rem;margin:3rem auto;padding:0 1rem;color:#222;background:#fff}" +
  "code{overflow-wrap:anywhere}button{font:inherit;padding:.4rem 1.2rem;margin-right:.6rem}" +
  ".warning{border-left:4px solid #c60;padding-left:.8rem}";

export function toHtmlPage(title: string, body: Html): string {
  const { markup } = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title}</title><style>${{ markup: style }}</style></head>
<body><h1>${title}</h1>${body}</body></html>`;
  return markup;
}
