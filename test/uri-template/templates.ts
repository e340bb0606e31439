import { expandUriTemplate } from "../../src/protocol/uri-template/expand.ts";

/** Templates whose variable holds no separators of paths. */
export const simple = [
  "file:///{a}",
  "file:///{a*}",
  "file:///x{.a}",
  "file:///x{/a}",
  "file:///x{/a*}",
  "file:///x{;a}",
];
/** Templates whose variable may hold separators of paths. */
export const open = ["file:///{+a}", "file:///x{#a}", "file:///x{?a}", "file:///x{?a*}", "file:///y?b=1{&a}"];

/** A URI of the template with `escaped` where its variable is. */
export function withValue(template: string, escaped: string): string {
  return expandUriTemplate(template, { a: "VALUE" }).replace("VALUE", escaped);
}
