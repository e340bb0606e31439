import type { HasResourceTypes } from "../../contract/server-types.ts";
import type { ReceivedResource, Resource, ResourceTemplate } from "../../protocol/model/resource.ts";
import type { TemplateValue, TemplateValues } from "../../protocol/uri-template/expand.ts";
import type { TemplateVariables } from "../../protocol/uri-template/template-variables.ts";
import type { Listing, ListOptions } from "./paged-list.ts";

/** Options of a read; `fresh` skips the cache. */
export interface ReadOptions extends ListOptions {
  /** The variables of a template (RFC 6570): `read("note://{name}", { variables: { name: "cats" } })`. */
  readonly variables?: TemplateValues;
}

/** The URIs and URI templates of a server value's type, for `connect<typeof server>`. */
export type ResourcesOf<Server> = Server extends HasResourceTypes<infer Uris extends string> ? Uris : string;

/** The URIs that a template matches, as far as the compiler knows. */
type Matched<Template extends string> = Template extends `${infer Head}{${string}}${infer Tail}`
  ? `${Head}${string}${Matched<Tail>}`
  : Template;

/** The URI, if the server may have it: one that is only known at run time is not checked. */
type Readable<Uri extends string, Known extends string> = string extends Uri
  ? Uri
  : Uri extends Known | Matched<Known>
    ? Uri
    : Known;

type Variables<Template extends string> = {
  readonly [Name in keyof TemplateVariables<Template>]: TemplateValue;
};

/** The parameters after the URI: a template of a known server needs its variables. */
type ReadRest<Uri extends string, Known extends string> = string extends Known | Uri
  ? [options?: ReadOptions]
  : Uri extends `${string}{${string}}${string}`
    ? [options: ListOptions & { readonly variables: Variables<Uri> }]
    : [options?: ReadOptions];

/** The resources of one server. */
export interface ClientResources<Own extends string = string> {
  /** Exists only for the compiler. */
  readonly "~uris"?: Own;

  list(options?: ListOptions): Listing<Resource>;
  templates(options?: ListOptions): Listing<ResourceTemplate>;
  /** Reads a resource, or with `variables` the one that a template names. */
  // As for tools, the types come in through `this`.
  read<Known extends string, const Uri extends string>(
    this: ClientResources<Known>,
    uri: Uri & Readable<Uri, Known>,
    ...rest: ReadRest<Uri, Known>
  ): Promise<ReceivedResource>;
}
