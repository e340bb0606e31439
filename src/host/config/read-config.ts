import { platform } from "#platform";
import { assertString } from "../../contract/options.ts";
import type { HostConfig } from "./host-config.ts";
import { type ParseConfigOptions, parseHostConfig } from "./parse-config.ts";

/**
 * Reads a file in which a host keeps its servers; see `parseHostConfig` for the formats.
 *
 * Nothing is started, and no variable is filled in: `resolveServer` does that for one server.
 */
export async function readHostConfig(
  path: string,
  options: Omit<ParseConfigOptions, "path"> = {},
): Promise<HostConfig> {
  assertString("readHostConfig", path);
  const files = await platform.openFiles();
  return parseHostConfig(await files.readTextFile(path), { ...options, path });
}
