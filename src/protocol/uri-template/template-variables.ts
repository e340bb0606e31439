import type { MatchedValue } from "./uri-template.ts";

/** The variables of a URI template, read from its literal type. Only the first of a plain `{var}` or `{+var}` always has a value. */
export type TemplateVariables<Template extends string> = string extends Template
  ? { readonly [name: string]: MatchedValue }
  : Template extends `${string}{${infer Expression}}${infer Rest}`
    ? Variables<Expression> & TemplateVariables<Rest>
    : NoVariables;

type NoVariables = { readonly [name in never]: never };

type Variables<Expression extends string> =
  Expression extends `${"#" | "." | "/" | ";" | "?" | "&"}${infer Names}`
    ? Partial<Named<Names>>
    : Expression extends `+${infer Names}`
      ? FirstSure<Names>
      : FirstSure<Expression>;

type FirstSure<Names extends string> = Names extends `${infer First},${infer Rest}`
  ? Sure<First> & Partial<Named<Rest>>
  : Sure<Names>;

type Sure<Name extends string> = Name extends `${string}*` ? Partial<Variable<Name>> : Variable<Name>;

type Named<Names extends string> = Names extends `${infer First},${infer Rest}`
  ? Variable<First> & Named<Rest>
  : Variable<Names>;

type Variable<Name extends string> = Name extends `${infer Exploded}*`
  ? { readonly [name in Exploded]: Exclude<MatchedValue, string> }
  : Name extends `${infer Prefixed}:${string}`
    ? { readonly [name in Prefixed]: string }
    : { readonly [name in Name]: string };
