import type { ProtectedEndpoints, ProtectedRequest } from "../../contract/http-auth.ts";
import { UsageError } from "../../errors.ts";
import type { JsonObject } from "../../lib/json.ts";

const wellKnown = "/.well-known/oauth-protected-resource";

/** One endpoint as authorization servers and clients know it. */
interface Endpoint {
  readonly paths: readonly string[];
  /** Where clients find it. */
  readonly url: URL;
  /** What clients name when they ask for a token. */
  readonly identifier: string;
}

/** What is protected, under the names that clients know (RFC 9728). */
export class ProtectedResource {
  readonly #endpoints: readonly Endpoint[];
  readonly #main: Endpoint;
  readonly #prefix: string;
  /** What tokens must have been issued for. */
  readonly audiences: readonly string[];

  constructor(
    { publicUrl, endpoints }: ProtectedEndpoints,
    audience: string | readonly string[] | undefined,
  ) {
    const given = audience === undefined ? [] : [audience].flat();
    const named = given.find(isWebUrl);
    const [mainPath = "/"] = endpoints[0] ?? [];
    const main = publicUrl ?? (named && new URL(mainPath, named).href);
    if (main === undefined || !isWebUrl(main)) {
      throw new UsageError(
        "auth needs publicUrl, the URL under which clients reach this server; tokens are issued for it.",
      );
    }
    const { pathname } = new URL(main);
    this.#prefix = pathname.endsWith(mainPath) ? pathname.slice(0, -mainPath.length) : "";
    this.#endpoints = endpoints.map((paths, index) => {
      const url = index === 0 ? main : new URL(this.#prefix + paths[0], main).href;
      return { paths, url: new URL(url), identifier: named ?? url };
    });
    this.#main = this.#endpoints[0] as Endpoint;
    this.audiences = given.length > 0 ? given : this.#endpoints.map(({ identifier }) => identifier);
  }

  /** The metadata of each endpoint at every path under which clients look for it. */
  documents(members: JsonObject): ReadonlyMap<string, string> {
    const documents = new Map<string, string>();
    for (const { identifier, paths, url } of this.#endpoints) {
      const text = JSON.stringify({ resource: identifier, ...members });
      for (const path of [paths[0] ?? "/", url.pathname]) {
        documents.set(toWellKnown(path), text).set(wellKnown + path, text);
      }
    }
    const { identifier } = this.#main;
    return documents.set(wellKnown, JSON.stringify({ resource: identifier, ...members }));
  }

  /** Where the metadata of the endpoint is that a request came to. */
  metadataUrl(path: string | undefined): string {
    const { url } = this.#endpoints.find(({ paths }) => paths.some((one) => one === path)) ?? this.#main;
    return new URL(toWellKnown(url.pathname), url).href;
  }

  /** The URL that a client has sent a request to. */
  urlOf({ path }: ProtectedRequest): string {
    const { url, paths } = this.#main;
    return path === paths[0] ? url.origin + url.pathname : url.origin + this.#prefix + path;
  }
}

/** Clients leave a slash at the end away, or keep it. */
function toWellKnown(path: string): string {
  return wellKnown + (path.endsWith("/") ? path.slice(0, -1) : path);
}

function isWebUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
