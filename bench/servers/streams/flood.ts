/** What a handler says again and again, without waiting for its reader: 200 MB in all. */
export const flood: string = "x".repeat(100_000);
export const offers = 2_000;
