import type { ProtectedEndpoints, ProtectedRequest } from "../../contract/http-auth.ts";
import { UsageError } from "../../errors.ts";
import type { JsonObject } from "../../lib/json.ts";

const wellKnown = "/.well-known/oauth-protected-resource";

/** One endpoint under the names that clients and authorization servers use. */
interface Endpoint {
  readonly paths: readonly string[];
  /** The public URL. */
  readonly url: URL;
  /** The `resource` that clients send in token requests (RFC 8707). */
  readonly identifier: string;
}

/** The protected endpoints, their resource identifiers and their metadata (RFC 9728). */
export class ProtectedResource {
  readonly #endpoints: readonly Endpoint[];
  readonly #main: Endpoint;
  readonly #prefix: string;
  /** The audiences of which a token must have one. */
  readonly audiences: readonly string[];

  constructor(
    { publicUrl, endpoints }: ProtectedEndpoints,
    audience: string | readonly string[] | undefined,
  ) {
    const given = audience === undefined ? [] : [audience].flat();
    const named = given.find(isHttpUrl);
    const [mainPath = "/"] = endpoints[0] ?? [];
    const main = publicUrl ?? (named && new URL(mainPath, named).href);
    if (main === undefined || !isHttpUrl(main)) {
      throw new UsageError(
        "auth needs publicUrl, the URL at which clients reach this server: tokens are issued for it.",
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

  /** The metadata of each endpoint, at every path where clients look for it. */
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

  /** The metadata URL of the endpoint that a request was sent to; below the mount path, because only that reaches us. */
  metadataUrl(request: ProtectedRequest | undefined): string {
    const { path, mountPath = "" } = request ?? {};
    const known = this.#endpoints.find(({ paths }) => paths.some((one) => one === path));
    const { url, paths } = known ?? this.#main;
    const isBelow = mountPath !== "" && this.#prefix.endsWith(mountPath);
    return url.origin + (isBelow ? this.#prefix + toWellKnown(paths[0] ?? "/") : toWellKnown(url.pathname));
  }

  /** The public URL that a client sent a request to. */
  urlOf({ path }: ProtectedRequest): string {
    const { url, paths } = this.#main;
    return path === paths[0] ? url.origin + url.pathname : url.origin + this.#prefix + path;
  }
}

/** The well-known path without a trailing slash, which some clients keep and others drop. */
function toWellKnown(path: string): string {
  return wellKnown + (path.endsWith("/") ? path.slice(0, -1) : path);
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
