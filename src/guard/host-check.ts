import { UsageError } from "../errors.ts";
import { isCanonicalLoopbackHost } from "../lib/loopback.ts";

/** The hosts and origins from which a server may be called, beyond this machine. */
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

/** The number of allowed hosts that are remembered: clients send the same one with each request. */
const maxRemembered = 100;

const hostPattern = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(\d{1,5}))?$/;

/**
 * Refuses requests from other web pages, and requests for a host that is not ours (DNS rebinding).
 *
 * basic/transports#security-warning (2025-11-25)
 */
export class HostCheck {
  readonly #hosts: ReadonlySet<string>;
  readonly #origins: ReadonlySet<string>;
  readonly #publicUrl: URL | undefined;
  readonly #remembered = new Set<string>();

  constructor({ publicUrl, allowedHosts = [], allowedOrigins = [] }: HostCheckOptions = {}) {
    const url = publicUrl === undefined ? undefined : toUrl("publicUrl", publicUrl);
    this.#publicUrl = url;
    this.#hosts = new Set([...(url ? [url.hostname, url.host] : []), ...allowedHosts.map(toHost)]);
    const origins = allowedOrigins.map((origin) => toUrl("allowedOrigins", origin).origin);
    this.#origins = new Set(url ? [url.origin, ...origins] : origins);
  }

  /** The reason to refuse a request, with the setting that would allow it; undefined when it may pass. */
  refusal(request: HeaderSource): string | undefined {
    const host = request.header("host")?.toLowerCase();
    if (host === undefined || !this.#knowsHost(host)) {
      return `Host ${quote(host)} is not allowed; set publicUrl or allowedHosts to serve it.`;
    }
    return this.originRefusal(request);
  }

  /** The refusal by the origin alone, for routes that may be called under any host. */
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
    if (this.#origins.has(origin) || origin === `https://${host}`) return true;
    return origin === `http://${host}` && !this.#isSecure(host);
  }

  /** True for the host of a site that is only on https: whoever is on the way could write a page of its plain http. */
  #isSecure(host: string): boolean {
    const url = this.#publicUrl;
    return url?.protocol === "https:" && hostPattern.exec(host)?.[1] === url.hostname;
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
  throw new UsageError(`${option}: ${quote(text)} is not a URL such as https://example.com.`);
}

function toHost(text: string): string {
  const host = text.toLowerCase();
  if (hostPattern.test(host)) return host;
  throw new UsageError(`allowedHosts: ${quote(text)} is not a host such as example.com or example.com:8443.`);
}

/** Quotes and cuts a value, so that an attacker can't write our message. */
function quote(value: string | undefined): string {
  return value === undefined ? "(none)" : JSON.stringify(value.slice(0, 100));
}
