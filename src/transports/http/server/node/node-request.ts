import type { IncomingMessage } from "node:http";
import type { HolderSource } from "../../../../contract/caller/holder.ts";
import { type HttpRequest, type PathResolver, toRoutePrefix } from "../http-interface.ts";
import {
  type BodyLimits,
  type BodyText,
  bodyEncoded,
  bodyLost,
  bodyRefused,
  bodyTooLarge,
  bodyTooSlow,
  isEncoded,
  toBodyText,
  UnfinishedBody,
} from "../request/body-limits.ts";
import { toMountPath } from "../routing/routes.ts";
import type { Wait } from "../shared-deadline.ts";

/** Headers of which node:http keeps only the first: a proxy that reads the last one would see another value than we do. */
const keptOnce: ReadonlySet<string> = new Set(["host", "content-type", "authorization"]);

/** A target with its host, which a server must accept: RFC 9112, 3.2.2. */
const absoluteTarget = /^https?:\/\/([^/?]*)(.*)$/i;

/** A request with the members that frameworks add before they hand it on. */
interface Prepared extends IncomingMessage {
  /** The whole path, where `url` has lost the part under which the handler is mounted. */
  readonly originalUrl?: string;
  /** The path under which Express has mounted the handler. */
  readonly baseUrl?: string;
  /** The route by which Express found the handler. */
  readonly route?: { readonly path?: unknown };
  /** The body, where it was parsed already. */
  readonly body?: unknown;
}

/** The path of a target, with its prefix. */
function pathOf(target: string): string {
  const mark = target.indexOf("?");
  return mark < 0 ? target : target.slice(0, mark);
}

/** A request of node:http, read without conversion. */
export class NodeRequest implements HttpRequest {
  readonly #message: Prepared;
  /** The path and the query. */
  readonly #target: string;
  /** The host in a target of absolute form, which replaces the header. */
  readonly #targetHost: string | undefined;
  readonly #mountPath: string;
  readonly #body: unknown;
  readonly path: string;

  /** `framework` is what a framework knows of the request beside the message. */
  constructor(message: IncomingMessage, paths: PathResolver, framework?: FrameworkRequest) {
    this.#message = message;
    const given = this.#message.originalUrl ?? message.url ?? "/";
    const absolute = given.startsWith("/") ? null : absoluteTarget.exec(given);
    this.#targetHost = absolute?.[1];
    this.#target = absolute ? (absolute[2] as string) : given;
    this.#body = framework?.body;
    const whole = pathOf(this.#target);
    this.#mountPath = mountPathOf(this.#message, whole, framework?.pattern);
    this.path = paths.resolve(whole, this.#mountPath) ?? whole;
  }

  get query(): string {
    const mark = this.#target.indexOf("?");
    return mark < 0 ? "" : this.#target.slice(mark + 1);
  }

  get prefix(): string {
    return toRoutePrefix(this.path, pathOf(this.#target));
  }

  get mountPath(): string {
    return this.#mountPath === this.prefix ? this.#mountPath : "";
  }

  get method(): string {
    return this.#message.method ?? "GET";
  }

  get address(): string | undefined {
    return this.#message.socket.remoteAddress;
  }

  get url(): string {
    const scheme = "encrypted" in this.#message.socket ? "https" : "http";
    return `${scheme}://${this.header("host") ?? ""}${this.#target}`;
  }

  get replacedHost(): string | undefined {
    return this.#targetHost === undefined ? undefined : joinAll(this.#message.rawHeaders, "host");
  }

  headerNames(): Iterable<string> {
    return Object.keys(this.#message.headers);
  }

  header(name: string): string | undefined {
    if (name === "host" && this.#targetHost !== undefined) return this.#targetHost;
    if (keptOnce.has(name)) return joinAll(this.#message.rawHeaders, name);
    const value = this.#message.headers[name];
    return Array.isArray(value) ? value.join(", ") : value;
  }

  readText(limits: BodyLimits, caller: HolderSource, receive: (body: BodyText) => void): void {
    const message = this.#message;
    if (message.readableEnded) receive(toParsed(message.body ?? this.#body));
    else if (message.destroyed) receive(bodyLost);
    else if (Number(message.headers["content-length"]) > limits.maxBodyBytes) receive(bodyTooLarge(limits));
    else if (isEncoded(message.headers["content-encoding"])) receive(bodyEncoded);
    else readNodeBody(message, limits, caller, receive);
  }
}

/** A request as a framework hands it on. */
export interface FrameworkRequest {
  /** The pattern of the route that was found. */
  readonly pattern: string | undefined;
  /** The body, where it was parsed already. */
  readonly body: unknown;
}

function mountPathOf({ baseUrl = "", route }: Prepared, path: string, pattern?: string): string {
  if (pattern !== undefined) return toMountPath(path, pattern);
  const found = route?.path;
  return typeof found === "string" && !found.includes("*") ? path : baseUrl;
}

function joinAll(rawHeaders: readonly string[], name: string): string | undefined {
  let joined: string | undefined;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const key = rawHeaders[at] as string;
    if (key.length !== name.length || key.toLowerCase() !== name) continue;
    joined = joined === undefined ? rawHeaders[at + 1] : `${joined}, ${rawHeaders[at + 1]}`;
  }
  return joined;
}

/** A body that a framework has read before us. */
function toParsed(body: unknown): BodyText {
  if (body === undefined) return bodyLost;
  if (typeof body === "string") return { ok: true, text: body };
  if (body instanceof Uint8Array) return toBodyText(body);
  try {
    return { ok: true, text: JSON.stringify(body) };
  } catch {
    // Nested so deeply that JSON.stringify fails.
    return bodyLost;
  }
}

/** The state of a body that is arriving. */
interface Reading {
  readonly limits: BodyLimits;
  readonly caller: HolderSource;
  /** Undefined while nothing of the body has to wait. */
  unfinished: UnfinishedBody | undefined;
  readonly chunks: Buffer[];
  bytes: number;
  readonly receive: (body: BodyText) => void;
  readonly wait: Wait;
}

const reading: unique symbol = Symbol("reading");

/** The request that is being read. A stream may stay open for days after its request, so no listener holds the body. */
interface Arriving extends IncomingMessage {
  [reading]?: Reading | undefined;
}

/** Reads the body of a request that has not ended. */
function readNodeBody(
  message: Arriving,
  limits: BodyLimits,
  caller: HolderSource,
  receive: (body: BodyText) => void,
): void {
  const wait = limits.bodyDeadline.start(() => finish(message, bodyTooSlow(limits)));
  message[reading] = { limits, caller, unfinished: undefined, chunks: [], bytes: 0, receive, wait };
  message.on("data", onData).on("end", onEnd).on("error", onLost).on("close", onLost);
}

function finish(message: Arriving, body: BodyText): void {
  const arrived = message[reading];
  if (arrived === undefined) return;
  message[reading] = undefined;
  arrived.wait.stop();
  arrived.unfinished?.release();
  arrived.receive(body);
}

// Data that comes after the body is settled is dropped, and errors are ignored.
function onData(this: Arriving, chunk: Buffer): void {
  const arriving = this[reading];
  if (arriving === undefined) return;
  arriving.bytes += chunk.length;
  arriving.chunks.push(chunk);
  if (arriving.bytes > arriving.limits.maxBodyBytes) finish(this, bodyTooLarge(arriving.limits));
  else if (arriving.bytes !== Number(this.headers["content-length"])) holdUnfinished(this, arriving);
}

/** Counts the bytes of a body whose rest has not come with them. */
function holdUnfinished(message: Arriving, arriving: Reading): void {
  const giveUp = () => finish(message, bodyRefused);
  arriving.unfinished ??= new UnfinishedBody(arriving.limits, arriving.caller, giveUp);
  const holding = arriving.unfinished.hold(arriving.bytes);
  if (holding === false) giveUp();
  if (!(holding instanceof Promise)) return;
  message.pause();
  const goOn = (isHeld: boolean) => {
    if (!isHeld) giveUp();
    message.resume();
  };
  holding.then(goOn, () => goOn(false));
}

function onEnd(this: Arriving): void {
  const arrived = this[reading];
  if (arrived) finish(this, toBodyText(joinChunks(arrived.chunks)));
}

function onLost(this: Arriving): void {
  finish(this, bodyLost);
}

function joinChunks(chunks: readonly Buffer[]): Buffer {
  const [first] = chunks;
  return chunks.length === 1 && first ? first : Buffer.concat(chunks);
}
