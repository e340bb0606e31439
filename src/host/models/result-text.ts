import type { ContentBlock } from "../../protocol/model/content.ts";
import type { CallToolResult } from "../../protocol/model/tool.ts";

/** A result as text; its structured content where it has no other. */
export function toText({ content, structuredContent }: CallToolResult): string {
  if (content.length === 0 && structuredContent !== undefined) return JSON.stringify(structuredContent);
  return content.map(describeBlock).join("\n");
}

/** One block as text: what can't be written is named. */
export function describeBlock(block: ContentBlock): string {
  switch (block.type) {
    case "text":
      return block.text;
    case "image":
    case "audio":
      return `[${block.type} ${block.mimeType}, ${sizeOf(block.data)}]`;
    case "resource_link":
      return `[${block.title ?? block.name}](${block.uri})${block.description ? `: ${block.description}` : ""}`;
    case "resource": {
      const { resource } = block;
      if ("text" in resource && typeof resource.text === "string") return `${resource.uri}\n${resource.text}`;
      const { uri, mimeType = "application/octet-stream" } = resource;
      return `[resource ${uri} ${mimeType}, ${sizeOf("blob" in resource ? resource.blob : "")}]`;
    }
    default:
      return `[content of an unknown type: ${JSON.stringify((block as { type: unknown }).type)}]`;
  }
}

function sizeOf(base64: string): string {
  const bytes = Math.floor((base64.replace(/=+$/, "").length * 3) / 4);
  return bytes < 10_000 ? `${bytes} bytes` : `${Math.round(bytes / 1024)} KiB`;
}
