import type { ContentBlock, EmbeddedResource, ResourceLink } from "../model/content.ts";
import { type WireRules, without } from "./wire-rules.ts";

/** A list of content as a revision writes it: a kind that it does not have becomes text. */
export function encodeContents(rules: WireRules, blocks: readonly ContentBlock[]): readonly ContentBlock[] {
  let changed = false;
  const encoded = blocks.map((block) => {
    const next = encodeContent(rules, block);
    if (next !== block) changed = true;
    return next;
  });
  return changed ? encoded : blocks;
}

export function encodeContent(rules: WireRules, block: ContentBlock): ContentBlock {
  if (isNewerKind(rules, block.type)) return { type: "text", text: describe(block) };
  let next: ContentBlock = without(block, rules.omit.content);
  if (next.type === "resource_link") next = without(next, rules.omit.resource);
  if (next.type === "resource") next = encodeEmbedded(rules, next);
  if (next.annotations === undefined) return next;
  const annotations = without(next.annotations, rules.omit.annotations);
  return annotations === next.annotations ? next : { ...next, annotations };
}

const everyKind: ReadonlySet<string> = new Set(["text", "image", "audio", "resource_link", "resource"]);

/** False for kinds that no revision has, which are left unchanged: they are between the two programs. */
function isNewerKind(rules: WireRules, kind: string): boolean {
  return !rules.contentKinds.has(kind) && everyKind.has(kind);
}

function encodeEmbedded(rules: WireRules, block: EmbeddedResource): EmbeddedResource {
  const resource = without(block.resource, rules.omit.content);
  return resource === block.resource ? block : { ...block, resource };
}

function describe(block: ContentBlock): string {
  switch (block.type) {
    case "resource_link":
      return describeLink(block);
    case "audio":
    case "image":
      return `[${block.type}: ${block.mimeType}]`;
    case "resource":
      return "text" in block.resource ? block.resource.text : `[resource: ${block.resource.uri}]`;
    case "text":
      return block.text;
  }
}

function describeLink(link: ResourceLink): string {
  const label = link.title ?? link.name;
  const text = label === link.uri ? link.uri : `${label}: ${link.uri}`;
  return link.description === undefined ? text : `${text}\n${link.description}`;
}
