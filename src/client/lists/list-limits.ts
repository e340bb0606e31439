import { InvalidResponseError } from "../../errors.ts";
import { defaultMaxMessageBytes } from "../../protocol/parse.ts";

/** The most items of one list, over all its pages. */
export const maxListItems = 10_000;
/** The size of all pages together is that of the largest message. */
export const maxListChars: number = defaultMaxMessageBytes;

/** What a list has brought so far. */
interface ListSize {
  readonly items: number;
  readonly chars?: number;
}

/** Throws when a list is too large; `what` names it. */
export function assertListSize(what: string, { items, chars = 0 }: ListSize): void {
  if (items > maxListItems) throw new InvalidResponseError(`${what} has more than ${maxListItems} items.`);
  if (chars > maxListChars)
    throw new InvalidResponseError(`${what} has more than ${maxListChars} characters on all its pages.`);
}
