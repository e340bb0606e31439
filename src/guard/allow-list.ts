import { UsageError } from "../errors.ts";

/** The hosts and origins from which a server may be called, beyond this machine. */
export interface HostCheckOptions {
  /**
   * The URL under which clients reach this server, such as `https://example.com/mcp`.
   *
   * Its host and origin are allowed. Needed behind a proxy: what arrives then names the
   * public host, which is unknown here.
   */
  readonly publicUrl?: string;
  /**
   * Further hosts that may stand in the `Host` header: `example.com`, or `example.com:8443` for one port.
   *
   * `*.example.com` allows all hosts below a domain, but not the domain itself. `*` allows every host, and so
   * DNS rebinding; the log warns of it at the start.
   */
  readonly allowedHosts?: readonly string[];
  /**
   * Origins that may call this endpoint from a browser, such as `https://app.example.com`.
   *
   * Default: the server's own. Without a check any web page can reach a server on
   * localhost (DNS rebinding). `https://*.example.com` allows all origins below a domain. `*` allows every
   * web page; the log warns of it at the start.
   */
  readonly allowedOrigins?: readonly string[];
}

/** The options as they are compared with a request. */
interface AllowedCallers {
  readonly publicUrl: URL | undefined;
  readonly hosts: AllowList;
  readonly origins: AllowList;
}

/** Hosts or origins that are allowed: by their names, by the domain that they are below, or all. */
export interface AllowList {
  /** True if `*` allows everything. */
  readonly isAll: boolean;
  readonly exact: ReadonlySet<string>;
  readonly below: readonly DomainPattern[];
}

/** All names below a domain, such as `*.example.com`. */
interface DomainPattern {
  /** The part before the name, such as `https://`; empty for a host. */
  readonly scheme: string;
  /** The domain with the dot before it. */
  readonly suffix: string;
  /** With its colon; empty for a default port. A host without a port stands for every port. */
  readonly port: string;
}

const hostPattern = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(\d{1,5}))?$/;
const wildcardPattern = /^(https?:\/\/)?\*(\.[a-z0-9-]+(?:\.[a-z0-9-]+)*)(:\d{1,5})?$/;
const originPattern = /^(https?:\/\/)([a-z0-9._-]+)(:\d{1,5})?$/;

/** The name of a host header, without its port; undefined for one that is malformed. */
export function readHostName(host: string): string | undefined {
  return hostPattern.exec(host)?.[1];
}

/** Reads the options; throws for one that can't be meant. */
export function readHostCheckOptions({
  publicUrl,
  allowedHosts = [],
  allowedOrigins = [],
}: HostCheckOptions): AllowedCallers {
  const url = publicUrl === undefined ? undefined : toHttpUrl("publicUrl", publicUrl);
  const toOrigin = (origin: string) => toHttpUrl("allowedOrigins", origin).origin;
  return {
    publicUrl: url,
    hosts: toAllowList("allowedHosts", allowedHosts, url ? [url.hostname, url.host] : [], toHost),
    origins: toAllowList("allowedOrigins", allowedOrigins, url ? [url.origin] : [], toOrigin),
  };
}

/** True if a host, with its name alone, is on the list. */
export function allowsHost({ isAll, exact, below }: AllowList, host: string, name: string): boolean {
  if (isAll || exact.has(name) || exact.has(host)) return true;
  const port = host.slice(name.length);
  return below.some(
    (pattern) => isBelow(name, pattern.suffix) && (pattern.port === "" || pattern.port === port),
  );
}

export function allowsOrigin({ isAll, exact, below }: AllowList, origin: string): boolean {
  if (isAll || exact.has(origin)) return true;
  if (below.length === 0) return false;
  const [, scheme, name = "", port = ""] = originPattern.exec(origin) ?? [];
  return below.some(
    (pattern) => pattern.scheme === scheme && pattern.port === port && isBelow(name, pattern.suffix),
  );
}

function toHttpUrl(option: string, text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === "http:" || url?.protocol === "https:") return url;
  throw new UsageError(`${option}: ${quote(text)} is not a URL such as https://example.com.`);
}

/** Quotes and cuts a value, so that an attacker can't write our message. */
export function quote(value: string | undefined): string {
  return value === undefined ? "(none)" : JSON.stringify(value.slice(0, 100));
}

function toAllowList(
  option: "allowedHosts" | "allowedOrigins",
  given: readonly string[],
  known: readonly string[],
  toExact: (text: string) => string,
): AllowList {
  const exact = new Set(known);
  const below: DomainPattern[] = [];
  for (const text of given) {
    if (text === "*") continue;
    const found = wildcardPattern.exec(text.toLowerCase().replace(/\/$/, ""));
    if (found !== null) below.push(toDomainPattern(option, text, found));
    else if (text.includes("*")) throw noPattern(option, text);
    else exact.add(toExact(text));
  }
  return { isAll: given.includes("*"), exact, below };
}

function toDomainPattern(
  option: string,
  text: string,
  found: readonly (string | undefined)[],
): DomainPattern {
  const [, scheme = "", suffix = "", port = ""] = found;
  if ((option === "allowedOrigins") === (scheme === "")) throw noPattern(option, text);
  const isDefault = (scheme === "https://" && port === ":443") || (scheme === "http://" && port === ":80");
  return { scheme, suffix, port: isDefault ? "" : port };
}

function noPattern(option: string, text: string): UsageError {
  const example = `${option === "allowedOrigins" ? "https://" : ""}*.example.com`;
  return new UsageError(`${option}: ${quote(text)} is not a pattern such as ${example}.`);
}

/** True for one or more labels before the suffix; an empty label is none, as in `..example.com`. */
function isBelow(name: string, suffix: string): boolean {
  if (!name.endsWith(suffix)) return false;
  return !name.slice(0, -suffix.length).split(".").includes("");
}

function toHost(text: string): string {
  const host = text.toLowerCase();
  if (hostPattern.test(host)) return host;
  throw new UsageError(
    `allowedHosts: ${quote(text)} is not a host such as example.com, example.com:8443 or *.example.com.`,
  );
}
