import { isCanonicalLoopbackHost } from "../lib/loopback.ts";
import {
  type AllowList,
  allowsHost,
  allowsOrigin,
  type HostCheckOptions,
  quote,
  readHostCheckOptions,
  readHostName,
} from "./allow-list.ts";

interface HeaderSource {
  header(name: string): string | undefined;
  /** The Host header where the target of the request names a host, which replaces it. A proxy may have looked at it. */
  readonly replacedHost?: string | undefined;
}

/** The number of allowed hosts that are remembered: clients send the same one with each request. */
const maxRemembered = 100;

/**
 * Refuses requests from other web pages, and requests for a host that is not ours (DNS rebinding).
 *
 * basic/transports#security-warning (2025-11-25)
 */
export class HostCheck {
  readonly #hosts: AllowList;
  readonly #origins: AllowList;
  readonly #publicUrl: URL | undefined;
  readonly #remembered = new Set<string>();

  constructor(options: HostCheckOptions = {}) {
    const { publicUrl, hosts, origins } = readHostCheckOptions(options);
    this.#publicUrl = publicUrl;
    this.#hosts = hosts;
    this.#origins = origins;
  }

  /** The dangers of the settings, for the log. */
  get warnings(): readonly string[] {
    return [
      ...(this.#hosts.isAll
        ? [
            'allowedHosts: "*" serves every host, so that any web page can reach this server by DNS rebinding; name the hosts, or use a pattern such as *.example.com',
          ]
        : []),
      ...(this.#origins.isAll
        ? [
            'allowedOrigins: "*" lets every web page use this server in the browser of a visitor; name the origins, or use a pattern such as https://*.example.com',
          ]
        : []),
    ];
  }

  /** The reason to refuse a request, with the setting that would allow it; undefined when it may pass. */
  refusal(request: HeaderSource): string | undefined {
    return this.hostRefusal(request) ?? this.originRefusal(request);
  }

  /** The refusal by the host alone. */
  hostRefusal(request: HeaderSource): string | undefined {
    const { replacedHost } = request;
    const refusal = this.#refusalOf(request.header("host"));
    return refusal ?? (replacedHost === undefined ? undefined : this.#refusalOf(replacedHost));
  }

  #refusalOf(given: string | undefined): string | undefined {
    const host = given?.toLowerCase();
    if (host !== undefined && this.#knowsHost(host)) return undefined;
    return `Host ${quote(host)} is not allowed; set publicUrl or allowedHosts to serve it.`;
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

  /**
   * True if a page whose origin is refused may read the reason. A page from elsewhere must not learn what runs
   * on the machine of its visitor. A public server is no secret, and neither is a local one to local pages.
   */
  mayShowRefusal(request: HeaderSource): boolean {
    const host = request.header("host")?.toLowerCase() ?? "";
    const origin = request.header("origin") ?? "";
    if (!this.#knowsHost(host) || !/^https?:\/\//.test(origin) || !URL.canParse(origin)) return false;
    return (
      !isCanonicalLoopbackHost(readHostName(host) ?? "") || isCanonicalLoopbackHost(new URL(origin).hostname)
    );
  }

  /** True if a browser may show our answers to this origin. */
  allowsOrigin(origin: string, host: string): boolean {
    if (!this.#knowsHost(host)) return false;
    if (allowsOrigin(this.#origins, origin) || origin === `https://${host}`) return true;
    return origin === `http://${host}` && !this.#isSecure(host);
  }

  /** True for the host of a site that is only on https: whoever is on the way could write a page of its plain http. */
  #isSecure(host: string): boolean {
    const url = this.#publicUrl;
    if (url?.protocol === "https:" && readHostName(host) === url.hostname) return true;
    return allowsOrigin(this.#origins, `https://${host}`);
  }

  #knowsHost(host: string): boolean {
    if (this.#remembered.has(host)) return true;
    const name = readHostName(host);
    if (name === undefined || !(isCanonicalLoopbackHost(name) || allowsHost(this.#hosts, host, name)))
      return false;
    if (this.#remembered.size >= maxRemembered) this.#remembered.clear();
    this.#remembered.add(host);
    return true;
  }
}
