import { compileSteps } from "./compile.ts";
import { matchSteps } from "./match.ts";
import type { MatchedValue } from "./matched-value.ts";
import { parseTemplate, variableNames } from "./parse.ts";

export { UriTemplateError } from "./parse.ts";
export type { MatchedValue };

/** A template of RFC 6570, levels 1 to 4. */
export interface UriTemplate {
  readonly template: string;
  /** The names of the variables, each once, in order. */
  readonly variables: readonly string[];
  /**
   * The variables of a URI that this template could have produced, decoded exactly once; undefined when it does not
   * match. Never throws, and takes time in proportion to the length of the URI, of which it reads at most 1 MiB.
   *
   * A variable that the URI does not have is not in the result, which has no prototype; `{var}` and `{+var}` are
   * always there, if only as "".
   *
   * It undoes `expandUriTemplate` unless that would be unsafe or a guess. Not matched, in any encoding if it is not said otherwise:
   * - a value that is or has a path segment `.` or `..`, or that has a NUL;
   * - a brace that is not escaped, which no URI may have;
   * - `/` or `\` in a value, escaped or not, except after `+`, `#`, `?` and `&`. So `{id}` expands "a/b" to `a%2Fb`,
   *   but does not match it: declare `{+id}` or `{/id*}`.
   *
   * A handler can therefore join a value to a folder and stay in it. Values after `+`, `#`, `?` and `&` may begin with
   * `/`: join them, and do not resolve them as `path.resolve` does.
   *
   * Lists and associative arrays are read only from exploded variables: `{list}` does not match `a,b`.
   */
  match(uri: string): Record<string, MatchedValue> | undefined;
}

/** Reads a template; throws a UriTemplateError that names the wrong place and what to do. */
export function parseUriTemplate(template: string): UriTemplate {
  const parts = parseTemplate(template);
  const steps = compileSteps(parts);
  return {
    template,
    variables: variableNames(parts),
    match: (uri) => matchSteps(steps, uri),
  };
}
