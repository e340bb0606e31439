import type { ContentBlock } from "../../protocol/model/content.ts";
import type { CallToolResult } from "../../protocol/model/tool.ts";
import { describeBlock } from "./result-text.ts";

export interface ResultOptions {
  /** Characters of text that a model gets of one result; the rest is cut off, with a note for the model. Default 100,000. */
  readonly maxChars?: number | undefined;
}

/** A part of a result: text, or data with the text that stands for it where a provider does not take it. */
export type ResultPart =
  | { readonly kind: "text"; readonly text: string }
  | {
      readonly kind: "data";
      readonly mimeType: string;
      readonly data: string;
      readonly text: string;
      /** The URI of an embedded resource. */
      readonly uri?: string;
    };

const defaultMaxChars = 100_000;

/** The parts of a result, in order. One without content has its structured content, or an empty text. */
export function toParts(
  result: CallToolResult,
  { maxChars = defaultMaxChars }: ResultOptions = {},
): ResultPart[] {
  const { content, structuredContent } = result;
  const parts = content.map(toPart);
  if (parts.length === 0) {
    const text = structuredContent === undefined ? "" : JSON.stringify(structuredContent);
    parts.push({ kind: "text", text });
  }
  return cutTexts(parts, maxChars);
}

function toPart(block: ContentBlock): ResultPart {
  const text = describeBlock(block);
  if (block.type === "image" || block.type === "audio")
    return { kind: "data", mimeType: block.mimeType.toLowerCase(), data: block.data, text };
  if (block.type === "resource" && "blob" in block.resource && typeof block.resource.blob === "string") {
    const { uri, blob, mimeType = "application/octet-stream" } = block.resource;
    return { kind: "data", mimeType: mimeType.toLowerCase(), data: blob, text, uri };
  }
  return { kind: "text", text };
}

function cutTexts(parts: readonly ResultPart[], maxChars: number): ResultPart[] {
  let left = maxChars;
  const kept: ResultPart[] = [];
  for (const part of parts) {
    if (part.kind === "text" && part.text.length > left) {
      kept.push({ kind: "text", text: `${part.text.slice(0, left)}\n[cut off: the result has more text]` });
      left = 0;
      break;
    }
    if (part.kind === "text") left -= part.text.length;
    kept.push(part);
  }
  return kept;
}
