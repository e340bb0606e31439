import { cutText, toWellFormed } from "../../lib/text/well-formed.ts";
import type { ContentBlock } from "../../protocol/model/content.ts";
import type { CallToolResult } from "../../protocol/model/tool.ts";
import { describeBlock } from "./result-text.ts";

export interface ResultOptions {
  /** Characters of text that a model gets of one result; the rest is cut off, with a note for the model. Default 100,000. */
  readonly maxChars?: number | undefined;
}

/** A part of a result: text, or data with the text that stands for it where a provider does not take it. */
export type ResultPart = { readonly kind: "text"; readonly text: string } | DataPart;

export interface DataPart {
  readonly kind: "data";
  readonly mimeType: string;
  readonly data: string;
  readonly text: string;
}

export const defaultMaxChars = 100_000;

/** The types of images that almost every model takes. */
export const imageTypes: readonly string[] = ["image/jpeg", "image/png", "image/gif", "image/webp"];

/**
 * The parts of a result, in order, for a provider that takes data of these types: it refuses the whole conversation
 * for other data, for texts without a letter, and for halves of characters. There is always one part.
 */
export function toParts(
  result: CallToolResult,
  taken: readonly string[],
  { maxChars = defaultMaxChars }: ResultOptions = {},
): ResultPart[] {
  const { content, structuredContent, isError } = result;
  const parts = content.map((block) => toPart(block, taken)).filter(({ text }) => text.trim() !== "");
  if (parts.length > 0) return cutTexts(parts, maxChars);
  const nothing = isError ? "The tool gave no reason." : "The tool returned nothing.";
  const text = structuredContent === undefined ? nothing : JSON.stringify(structuredContent);
  return cutTexts([{ kind: "text", text: toWellFormed(text) }], maxChars);
}

function toPart(block: ContentBlock, taken: readonly string[]): ResultPart {
  const text = toWellFormed(describeBlock(block));
  const found = dataOf(block);
  const isTaken = found !== undefined && found.data !== "" && taken.includes(found.mimeType);
  return isTaken ? { kind: "data", text, ...found } : { kind: "text", text };
}

function dataOf(block: ContentBlock): Pick<DataPart, "mimeType" | "data"> | undefined {
  if (block.type === "image" || block.type === "audio")
    return { mimeType: toMediaType(block.mimeType), data: block.data };
  if (block.type !== "resource" || !("blob" in block.resource) || typeof block.resource.blob !== "string")
    return undefined;
  const { blob, mimeType = "" } = block.resource;
  return { mimeType: toMediaType(mimeType), data: blob };
}

/** Other names of media types that servers use. */
const aliases: ReadonlyMap<string, string> = new Map([
  ["image/jpg", "image/jpeg"],
  ["audio/x-wav", "audio/wav"],
  ["audio/mp3", "audio/mpeg"],
]);

/** A media type in lower case, without parameters, by its usual name. */
function toMediaType(mimeType: string): string {
  const [type = ""] = mimeType.toLowerCase().split(";");
  return aliases.get(type.trim()) ?? type.trim();
}

function cutTexts(parts: readonly ResultPart[], maxChars: number): ResultPart[] {
  let left = maxChars;
  const kept: ResultPart[] = [];
  for (const part of parts) {
    if (part.kind === "text" && part.text.length > left) {
      kept.push({ kind: "text", text: `${cutText(part.text, left)}\n[cut off: the result has more text]` });
      break;
    }
    if (part.kind === "text") left -= part.text.length;
    kept.push(part);
  }
  return kept;
}
