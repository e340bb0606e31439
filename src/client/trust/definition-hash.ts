import { sha256Hex } from "../../lib/sha256.ts";
import type { Tool } from "../../protocol/model/tool.ts";
import { canonicalJsonWithin } from "../../schema/validator/canonical-json.ts";

/** A tool as text, the same however its members are ordered. */
export function serializeDefinition(tool: Tool): string {
  return canonicalJsonWithin(tool);
}

/** The SHA-256 of a definition, in hexadecimal digits. */
export function hashDefinition(definition: string): Promise<string> {
  return sha256Hex(definition);
}
