import { defaultMaxMessageBytes } from "../../protocol/parse.ts";

/** The most items of one list, over all its pages. */
export const maxListItems = 10_000;
/** The size of all pages together is that of the largest message. */
export const maxListChars: number = defaultMaxMessageBytes;
