import { concatBytes } from "../../../../lib/bytes.ts";
import type { HttpRequest } from "../http-interface.ts";
import {
  type BodyLimits,
  type BodyText,
  bodyLost,
  bodyTooLarge,
  bodyTooSlow,
  toBodyText,
} from "../request/request-body.ts";
import { findAddress, type RuntimeArguments, type WaitUntil } from "./fetch-runtime.ts";

/** A `Request` of the web platform. */
export class FetchRequest implements HttpRequest {
  readonly #request: Request;
  readonly path: string;
  readonly query: string;
  readonly #host: string;
  readonly #runtime: RuntimeArguments;
  readonly waitUntil: WaitUntil | undefined;

  constructor(request: Request, runtime: RuntimeArguments = [], waitUntil?: WaitUntil) {
    this.#request = request;
    this.#runtime = runtime;
    this.waitUntil = waitUntil;
    const url = new URL(request.url);
    this.path = url.pathname;
    this.query = url.search.slice(1);
    this.#host = url.host;
  }

  get address(): string | undefined {
    return findAddress(this.#request, this.#runtime);
  }

  get method(): string {
    return this.#request.method;
  }

  header(name: string): string | undefined {
    const value = this.#request.headers.get(name);
    if (value !== null) return value;
    // Some platforms give the host only in the URL.
    return name === "host" ? this.#host : undefined;
  }

  async readText(limits: BodyLimits): Promise<BodyText> {
    const { body, bodyUsed } = this.#request;
    if (bodyUsed) return bodyLost;
    if (body === null) return { ok: true, text: "" };
    if (Number(this.header("content-length")) > limits.maxBodyBytes) return bodyTooLarge(limits);
    const reader = body.getReader();
    let isLate = false;
    const onLate = () => {
      isLate = true;
      void reader.cancel().catch(() => {});
    };
    limits.bodyDeadline.start(onLate);
    try {
      const read = await collect(reader, limits);
      return isLate ? bodyTooSlow(limits) : read;
    } catch {
      return bodyLost;
    } finally {
      limits.bodyDeadline.stop(onLate);
    }
  }
}

async function collect(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  limits: BodyLimits,
): Promise<BodyText> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for (let { done, value } = await reader.read(); !done && value; { done, value } = await reader.read()) {
    bytes += value.length;
    if (bytes > limits.maxBodyBytes) {
      void reader.cancel().catch(() => {});
      return bodyTooLarge(limits);
    }
    chunks.push(value);
  }
  return toBodyText(concatBytes(chunks));
}
