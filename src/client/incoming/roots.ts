import { UsageError } from "../../errors.ts";
import { isObject } from "../../lib/json.ts";
import { describeValue } from "../../lib/text/describe-value.ts";
import type { Root } from "../../protocol/model/root.ts";
import type { RootList } from "../options.ts";

/** The roots of a list as they are sent; throws for one that is not a `file:` URI. client/roots#root (2025-11-25) */
export function toRoots(list: RootList): Root[] {
  if (!Array.isArray(list))
    throw new UsageError(`Roots are a list of file: URIs, not ${describeValue(list)}.`);
  return list.map((given: string | Root) => {
    const root = typeof given === "string" ? { uri: given } : given;
    if (isObject(root) && isFileUri(root.uri)) return root;
    throw new UsageError(
      `A root must be a file: URI, which ${JSON.stringify(given)} is not; pathToFileURL(path).href of node:url makes one of a path.`,
    );
  });
}

function isFileUri(uri: unknown): boolean {
  return typeof uri === "string" && URL.canParse(uri) && new URL(uri).protocol === "file:";
}
