/** Where a server may be called from, beyond this machine. */
export interface SiteOptions {
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

const loopbackHosts: readonly string[] = ["localhost", "127.0.0.1", "[::1]"];
const hostPattern = /^(\[[0-9a-f:.]+\]|[a-z0-9.-]+)(?::(\d{1,5}))?$/;

/** Stands in front of every entry: refuses what comes from a web page or under a name that is not ours. */
export class Site {
  readonly #hosts: ReadonlySet<string>;
  readonly #origins: ReadonlySet<string>;

  constructor(options: SiteOptions = {}) {
    const { publicUrl, allowedHosts = [], allowedOrigins = [] } = options;
    const url = publicUrl === undefined ? undefined : new URL(publicUrl);
    const own = url ? [url.hostname, url.host] : [];
    this.#hosts = new Set([...loopbackHosts, ...own, ...allowedHosts].map((host) => host.toLowerCase()));
    this.#origins = new Set(
      [...(url ? [url.origin] : []), ...allowedOrigins].map((origin) => origin.toLowerCase()),
    );
  }

  /** Why a request is refused, and which setting would let it in; undefined when it may pass. */
  refusal(request: HeaderSource): string | undefined {
    const host = request.header("host")?.toLowerCase();
    if (host === undefined || !this.#knowsHost(host)) {
      return `Host ${quote(host)} is not allowed; set publicUrl or allowedHosts to serve it.`;
    }
    const origin = request.header("origin")?.toLowerCase();
    if (origin !== undefined) {
      return this.allowsOrigin(origin, host)
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
    if (this.#origins.has(origin)) return true;
    return origin === `http://${host}` || origin === `https://${host}`;
  }

  #knowsHost(host: string): boolean {
    const name = hostPattern.exec(host)?.[1];
    return name !== undefined && (this.#hosts.has(name) || this.#hosts.has(host));
  }
}

/** Quoted and cut, so that what an attacker sends can't write our message. */
function quote(value: string | undefined): string {
  return value === undefined ? "(none)" : JSON.stringify(value.slice(0, 100));
}

export function isLoopback(address: string): boolean {
  return (
    address === "localhost" ||
    address === "::1" ||
    address === "[::1]" ||
    /^127(?:\.\d{1,3}){3}$/.test(address)
  );
}
