import type { HolderSource } from "../../../../contract/caller/holder.ts";
import type { MaybePromise } from "../../../../lib/async/maybe-promise.ts";
import { concatBytes } from "../../../../lib/encoding/bytes.ts";
import { isObject } from "../../../../lib/json.ts";
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

/**
 * The arguments that runtimes pass to a fetch handler after the request: `env` and a context with `waitUntil`
 * in workers, the address of the client in Deno, the server in Bun.
 */
export type RuntimeArguments = readonly unknown[];

/** Keeps the runtime from ending work that outlives the response. */
export type WaitUntil = (work: Promise<unknown>) => void;

/** A request as a runtime or a router hands it on. */
export interface FetchCall {
  readonly request: Request;
  /** The pattern of the route by which a router found us. */
  readonly pattern: string | undefined;
  readonly runtime: RuntimeArguments;
  readonly waitUntil: WaitUntil | undefined;
  /** Gives the body that a router has kept, where something has read it before us. */
  readonly keptBody: (() => Promise<string>) | undefined;
}

/** A `Request` of the web platform. */
export class FetchRequest implements HttpRequest {
  readonly #request: Request;
  readonly path: string;
  readonly query: string;
  readonly #host: string;
  readonly #whole: string;
  readonly #mountPath: string;
  readonly #runtime: RuntimeArguments;
  readonly #keptBody: FetchCall["keptBody"];
  readonly waitUntil: WaitUntil | undefined;

  constructor({ request, pattern, runtime, waitUntil, keptBody }: FetchCall, paths: PathResolver) {
    this.#request = request;
    this.#runtime = runtime;
    this.#keptBody = keptBody;
    this.waitUntil = waitUntil;
    const url = new URL(request.url);
    const { pathname } = url;
    this.#whole = pathname;
    this.#mountPath = pattern === undefined ? "" : toMountPath(pathname, pattern);
    this.path = paths.resolve(pathname, this.#mountPath) ?? pathname;
    this.query = url.search.slice(1);
    this.#host = url.host;
  }

  get address(): string | undefined {
    return findAddress(this.#request, this.#runtime);
  }

  get prefix(): string {
    return toRoutePrefix(this.path, this.#whole);
  }

  get mountPath(): string {
    return this.#mountPath === this.prefix ? this.#mountPath : "";
  }

  get method(): string {
    return this.#request.method;
  }

  get url(): string {
    return this.#request.url;
  }

  headerNames(): Iterable<string> {
    return this.#request.headers.keys();
  }

  header(name: string): string | undefined {
    const value = this.#request.headers.get(name);
    if (value !== null) return value;
    // Some platforms give the host only in the URL.
    return name === "host" ? this.#host : undefined;
  }

  readText(limits: BodyLimits, caller: HolderSource, receive: (body: BodyText) => void): void {
    const reading = this.#request.bodyUsed
      ? readKeptBody(this.#keptBody, limits)
      : readFetchBody(this.#request, limits, caller);
    void reading.then(receive);
  }
}

/** The address of the client, where the runtime gives it: Deno in an argument, Bun by its server. */
function findAddress(request: Request, args: RuntimeArguments): string | undefined {
  const [from] = args;
  if (!isObject(from)) return undefined;
  const { remoteAddr, requestIP } = from as {
    remoteAddr?: { hostname?: unknown };
    requestIP?: unknown;
  };
  const address =
    typeof requestIP === "function" ? requestIP.call(from, request)?.address : remoteAddr?.hostname;
  return typeof address === "string" ? address : undefined;
}

const bodyUsed: BodyText = {
  ok: false,
  status: 500,
  problem:
    "Something has read the body before this handler. Let the handler come first, or pass the context of Hono to it.",
};

async function readKeptBody(keptBody: FetchCall["keptBody"], limits: BodyLimits): Promise<BodyText> {
  if (keptBody === undefined) return bodyUsed;
  try {
    const text = await keptBody();
    return text.length > limits.maxBodyBytes ? bodyTooLarge(limits) : { ok: true, text };
  } catch {
    // The router has not kept it.
    return bodyUsed;
  }
}

/** Reads the body of a request, as far as the limits let it. */
async function readFetchBody(
  { body, headers }: Request,
  limits: BodyLimits,
  caller: HolderSource,
): Promise<BodyText> {
  if (body === null) return { ok: true, text: "" };
  const declared = Number(headers.get("content-length") ?? Number.NaN);
  if (declared > limits.maxBodyBytes) return bodyTooLarge(limits);
  if (isEncoded(headers.get("content-encoding"))) return bodyEncoded;
  const reader = body.getReader();
  let refusal: BodyText | undefined;
  const refuse = (reason: BodyText) => {
    refusal = reason;
    void reader.cancel().catch(() => {});
  };
  const wait = limits.bodyDeadline.start(() => refuse(bodyTooSlow(limits)));
  const unfinished = new UnfinishedBody(limits, caller, () => refuse(bodyRefused));
  try {
    const read = await collect(reader, limits, (bytes) => bytes === declared || unfinished.hold(bytes));
    return refusal ?? read;
  } catch {
    return bodyLost;
  } finally {
    wait.stop();
    unfinished.release();
  }
}

async function collect(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  limits: BodyLimits,
  hold: (bytes: number) => MaybePromise<boolean>,
): Promise<BodyText> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for (let { done, value } = await reader.read(); !done && value; { done, value } = await reader.read()) {
    bytes += value.length;
    if (bytes > limits.maxBodyBytes || !(await hold(bytes))) {
      void reader.cancel().catch(() => {});
      return bytes > limits.maxBodyBytes ? bodyTooLarge(limits) : bodyRefused;
    }
    chunks.push(value);
  }
  return toBodyText(concatBytes(chunks));
}
