/** The providers whose rules for schemas are known; `ai-sdk` is for any provider behind that library. */
export type ModelProvider = "anthropic" | "openai" | "gemini" | "ai-sdk";

/** The part of JSON Schema that a provider takes. Everything else is written into descriptions. */
export interface SchemaProfile {
  /** The keywords that are kept; undefined for all. */
  readonly keywords: ReadonlySet<string> | undefined;
  /** Formats of strings that are kept; undefined for all. */
  readonly formats: ReadonlySet<string> | undefined;
  /** True if `$ref` is replaced by what it refers to. */
  readonly inlinesReferences: boolean;
  /** True if `enum` is for strings alone. */
  readonly enumsAreStrings: boolean;
  /** The longest description of a tool. */
  readonly maxDescription: number;
}

const words = (text: string): ReadonlySet<string> => new Set(text.split(" "));

const whole: SchemaProfile = {
  keywords: undefined,
  formats: undefined,
  inlinesReferences: false,
  enumsAreStrings: false,
  maxDescription: 10_000,
};

export const schemaProfiles: { readonly [provider in ModelProvider]: SchemaProfile } = {
  anthropic: whole,
  openai: { ...whole, maxDescription: 1_024 },
  gemini: {
    keywords: words(
      "type format title description enum items prefixItems minItems maxItems minimum maximum anyOf properties additionalProperties required nullable",
    ),
    formats: words("date-time int32 int64 float double"),
    inlinesReferences: true,
    enumsAreStrings: true,
    maxDescription: 10_000,
  },
  "ai-sdk": { ...whole, inlinesReferences: true, maxDescription: 1_024 },
};
