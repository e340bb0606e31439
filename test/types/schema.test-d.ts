import { type } from "arktype";
import * as v from "valibot";
import { expectTypeOf } from "vitest";
import { z } from "zod";
import { z as z3 } from "zod3";
import type { SchemaInput } from "../../src/schema/compile.ts";
import type { InferInput, InferOutput } from "../../src/schema/infer.ts";
import type { JsonSchema } from "../../src/schema/json-schema.ts";

const zod = z.object({ a: z.string(), n: z.string().transform(Number), d: z.number().default(1) });
expectTypeOf<InferOutput<typeof zod>>().toEqualTypeOf<{ a: string; n: number; d: number }>();
expectTypeOf<InferInput<typeof zod>>().toEqualTypeOf<{ a: string; n: string; d?: number | undefined }>();

const zod3 = z3.object({ a: z3.string(), o: z3.boolean().optional() });
expectTypeOf<InferOutput<typeof zod3>>().toEqualTypeOf<{ a: string; o?: boolean | undefined }>();

const valibot = v.object({ a: v.string(), n: v.pipe(v.string(), v.transform(Number)) });
expectTypeOf<InferOutput<typeof valibot>>().toEqualTypeOf<{ a: string; n: number }>();
expectTypeOf<InferInput<typeof valibot>>().toEqualTypeOf<{ a: string; n: string }>();

const arktype = type({ a: "string", "o?": "number" });
expectTypeOf<InferOutput<typeof arktype>>().toEqualTypeOf<{ a: string; o?: number }>();

const shape = {
  a: z.string(),
  o: z3.number().optional(),
  d: v.optional(v.string(), "x"),
  t: z.string().transform(Number),
};
expectTypeOf<InferOutput<typeof shape>>().branded.toEqualTypeOf<{
  a: string;
  o?: number | undefined;
  d: string;
  t: number;
}>();
expectTypeOf<InferInput<typeof shape>>().branded.toEqualTypeOf<{
  a: string;
  o?: number | undefined;
  d?: string | undefined;
  t: string;
}>();
expectTypeOf<InferOutput<Record<never, never>>>().branded.toEqualTypeOf<Record<never, never>>();

const plain = { type: "object", properties: { a: { type: "string" } } } as const;
expectTypeOf<InferOutput<typeof plain>>().toEqualTypeOf<Record<string, unknown>>();
expectTypeOf<InferOutput<JsonSchema>>().toEqualTypeOf<Record<string, unknown>>();

expectTypeOf(zod).toExtend<SchemaInput>();
expectTypeOf(shape).toExtend<SchemaInput>();
expectTypeOf(plain).toExtend<SchemaInput>();
expectTypeOf<string>().not.toExtend<SchemaInput>();
