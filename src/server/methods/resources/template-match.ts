import {
  type MatchedValue,
  parseUriTemplate,
  type UriTemplate,
} from "../../../protocol/uri-template/uri-template.ts";
import type { CompiledTemplate } from "../../define/resource.ts";

/** The matchers of templates, each made with the first URI that is looked for: they are no part of a server that is never asked. */
const matchers = new WeakMap<CompiledTemplate, UriTemplate>();

/** The variables of a URI that this template could have produced; undefined when it does not match. */
export function matchTemplate(
  template: CompiledTemplate,
  uri: string,
): Record<string, MatchedValue> | undefined {
  let matcher = matchers.get(template);
  if (matcher === undefined) {
    matcher = parseUriTemplate(template.listed.uriTemplate);
    matchers.set(template, matcher);
  }
  return matcher.match(uri);
}
