import type { Tool } from "../../protocol/model/tool.ts";
import { canonicalJsonWithin } from "../../schema/validator/canonical-json.ts";

/** A tool as text, the same however its members are ordered. */
export function serializeDefinition(tool: Tool): string {
  return canonicalJsonWithin(tool);
}

/** The SHA-256 of a definition, in hexadecimal digits. */
export async function hashDefinition(definition: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(definition));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
