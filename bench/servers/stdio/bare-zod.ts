// The floor of a server with a schema library: what zod itself takes to load.
import { z } from "zod";
import "./bare.ts";

export const input: z.ZodType = z.object({ text: z.string() });
