/** The variables of a URI template, read from its literal type. */
export type TemplateVariables<Template extends string> = string extends Template
  ? { readonly [name: string]: string | readonly string[] | undefined }
  : Template extends `${string}{${infer Expression}}${infer Rest}`
    ? Variables<Expression> & TemplateVariables<Rest>
    : NoVariables;

type NoVariables = { readonly [name in never]: never };

type Variables<Expression extends string> = Expression extends `${"?" | "&"}${infer Names}`
  ? Partial<Named<Names>>
  : Expression extends `${"+" | "#" | "." | "/" | ";"}${infer Names}`
    ? Named<Names>
    : Named<Expression>;

type Named<Names extends string> = Names extends `${infer First},${infer Rest}`
  ? Variable<First> & Named<Rest>
  : Variable<Names>;

type Variable<Name extends string> = Name extends `${infer Exploded}*`
  ? { readonly [name in Exploded]: readonly string[] }
  : Name extends `${infer Prefixed}:${string}`
    ? { readonly [name in Prefixed]: string }
    : { readonly [name in Name]: string };
