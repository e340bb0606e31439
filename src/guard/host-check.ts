import { UsageError } from "../errors.ts";
import { isCanonicalLoopbackHost } from "../lib/loopback.ts";

/** Where a server may be called from, beyond this machine. */
export interface HostCheckOptions {
  /**
   * The URL under which clients reach this server, such as `https://example.com/mcp`.
   *
   * Its host and origin are allowed. Needed behind a proxy: what arrives then names the
   * public host, which is unknown here.
   */
  readonly publicUrl?: string;
  /** Further hosts that may stand in the `Host` header: `example.com`, or `example.com:8443` for one port. */
  readonly allowedHosts?: readonly string[];
  /**
   * Origins that may call this endpoint from a browser, such as `https://app.example.com`.
   *
   * Default: the server's own. Without a check any web page can reach a server on
   * localhost (DNS rebinding).
   */
  readonly allowedOrigins?: readonly string[];
}

interface HeaderSource {
  header(name: string): string | undefined;
}

/** Hosts that were let in before: clients send the same ones again and again. */
const maxRemembered = 100;

const hostPattern = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(\d{1,5}))?$/;

/** Stands in front of every entry: refuses what comes from a web page or under a name that is not ours. */
export class HostCheck {
  readonly #hosts: ReadonlySet<string>;
  readonly #origins: ReadonlySet<string>;
  readonly #remembered = new Set<string>();

  constructor({ publicUrl, allowedHosts = [], allowedOrigins = [] }: HostCheckOptions = {}) {
    const url = publicUrl === undefined ? undefined : toUrl("publicUrl", publicUrl);
    this.#hosts = new Set([...(url ? [url.hostname, url.host] : []), ...allowedHosts.map(toHost)]);
    const origins = allowedOrigins.map((origin) => toUrl("allowedOrigins", origin).origin);
    this.#origins = new Set(url ? [url.origin, ...origins] : origins);
  }

  /** Why a request is refused, and which setting would let it in; undefined when it may pass. */
  refusal(request: HeaderSource): string | undefined {
    const host = request.header("host")?.toLowerCase();
    if (host === undefined || !this.#knowsHost(host)) {
      return `Host ${quote(host)} is not allowed; set publicUrl or allowedHosts to serve it.`;
    }
    return this.originRefusal(request);
  }

  /** The same for what may be asked under any name, but not by any web page. */
  originRefusal(request: HeaderSource): string | undefined {
    const origin = request.header("origin")?.toLowerCase();
    if (origin !== undefined) {
      return this.allowsOrigin(origin, request.header("host")?.toLowerCase() ?? "")
        ? undefined
        : `Origin ${quote(origin)} is not allowed; add it to allowedOrigins to serve it.`;
    }
    if (request.header("sec-fetch-site") === "cross-site") {
      return "Requests from other sites are not allowed; add the site to allowedOrigins to serve it.";
    }
    return undefined;
  }

  /** Whether a browser may show our answers to this origin. */
  allowsOrigin(origin: string, host: string): boolean {
    if (!this.#knowsHost(host)) return false;
    return this.#origins.has(origin) || origin === `http://${host}` || origin === `https://${host}`;
  }

  #knowsHost(host: string): boolean {
    if (this.#remembered.has(host)) return true;
    const name = hostPattern.exec(host)?.[1];
    if (
      name === undefined ||
      !(isCanonicalLoopbackHost(name) || this.#hosts.has(name) || this.#hosts.has(host))
    )
      return false;
    if (this.#remembered.size >= maxRemembered) this.#remembered.clear();
    this.#remembered.add(host);
    return true;
  }
}

function toUrl(option: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:") return url;
  throw new UsageError(`${option}: ${quote(text)} is no URL such as https://example.com.`);
}

function toHost(text: string): string {
  const host = text.toLowerCase();
  if (hostPattern.test(host)) return host;
  throw new UsageError(`allowedHosts: ${quote(text)} is no host such as example.com or example.com:8443.`);
}

/** Quoted and cut, so that what an attacker sends can't write our message. */
function quote(value: string | undefined): string {
  return value === undefined ? "(none)" : JSON.stringify(value.slice(0, 100));
}
