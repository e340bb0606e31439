import * as v from "valibot";
import { z as z3 } from "zod3";
import { withConverters } from "../../src/schema/convert/convert.ts";

/** Loads the converters that a server loads with its first schema of zod 3 or valibot. */
export async function loadConverters(): Promise<void> {
  await withConverters([v.string(), z3.string()], () => {});
}
