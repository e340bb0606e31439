import type { HeaderRecord } from "../../../contract/channel.ts";
import { UsageError } from "../../../errors.ts";

const isName = /^[!#$%&'*+.^_`|~\w-]+$/;
const isValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/** The error of a platform that refuses to send headers, in words. It shows no value, which may be a credential. */
export function toHeaderError(headers: HeaderRecord, error: unknown): unknown {
  for (const [name, value] of Object.entries(headers)) {
    if (!isName.test(name))
      return new UsageError(`${JSON.stringify(name)} can't be the name of a header.`, { cause: error });
    if (typeof value !== "string" || !isValue.test(value)) {
      const what =
        typeof value === "string"
          ? "has a character that no header may have, such as a line break"
          : "is not a string";
      return new UsageError(`The value of the header "${name}" ${what}.`, { cause: error });
    }
  }
  return error;
}
