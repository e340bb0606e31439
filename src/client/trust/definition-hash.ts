import { canonicalJson } from "../../lib/encoding/canonical-json.ts";
import { sha256Hex } from "../../lib/encoding/sha256.ts";
import type { Tool } from "../../protocol/model/tool.ts";

/** A tool as canonical text: the order of its members makes no difference. */
export function serializeDefinition(tool: Tool): string {
  return canonicalJson(tool);
}

/** The SHA-256 of a definition, in hexadecimal digits. */
export function hashDefinition(definition: string): Promise<string> {
  return sha256Hex(definition);
}
