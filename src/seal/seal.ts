import { UsageError } from "../errors.ts";
import type { MaybePromise } from "../lib/async/maybe-promise.ts";
import { toBase64url } from "../lib/encoding/base64.ts";
import { type Bytes, concatBytes } from "../lib/encoding/bytes.ts";
import { canonicalJson } from "../lib/encoding/canonical-json.ts";
import { sha256 } from "../lib/encoding/sha256.ts";
import { isObject, type JsonObject, toJsonText } from "../lib/json.ts";
import { deflate, inflate } from "./deflate.ts";
import { envelopeBytes, unwrap, wrap } from "./envelope.ts";
import { SealError } from "./seal-error.ts";
import type { SealKeys } from "./seal-keys.ts";

/** The request that sealed text belongs to; opening it for another fails. */
export interface Binding {
  readonly principal: string;
  readonly method: string;
  readonly target: string;
  readonly digest: string;
}

export interface Sealer {
  /** Seals JSON for a binding; expires after `ttlMs`. A large value is kept in the store, compressed. */
  seal(value: JsonObject, binding: Binding): Promise<string>;
  /** Throws a `SealError` with the reason why it can't be opened. May be opened again until it expires. */
  open(text: string, binding: Binding): Promise<JsonObject>;
}

/** The part of a value store that keeps what is too large for a client to carry. */
export interface SpillStore {
  put(key: string, value: string, ttlMs: number, holder?: string): MaybePromise<void>;
  get(key: string): MaybePromise<string | undefined>;
}

export interface SealerOptions {
  readonly values: SpillStore;
  /** The caller for whom it is kept there. */
  readonly holder?: string | undefined;
  /** The lifetime of sealed text. Default 600,000. */
  readonly ttlMs?: number | undefined;
  /** JSON above this goes to the value store. Default 65,536. */
  readonly spillOverBytes?: number | undefined;
  /** JSON above this is refused. Default 1,048,576. */
  readonly maxBytes?: number | undefined;
  readonly now?: (() => number) | undefined;
}

export function createSealer(keys: SealKeys, options: SealerOptions): Sealer {
  return new EnvelopeSealer(keys, options);
}

/** A digest of JSON that does not depend on the order of keys. */
export function digestOf(value: unknown): Promise<string> {
  return sha256(canonicalJson(value, { indexesFirst: true }));
}

/** The layout of what is encrypted: expiry in ms (8 bytes) | form of the content (1) | the JSON, or its name in the store. */
const contentAt = 9;
const carriedForm = 0;
const spilledForm = 1;
const nameBytes = 16;

class EnvelopeSealer implements Sealer {
  readonly #keys: SealKeys;
  readonly #values: SpillStore;
  readonly #holder: string | undefined;
  readonly #limits: { readonly ttlMs: number; readonly spillOverBytes: number; readonly maxBytes: number };
  readonly #now: () => number;

  constructor(keys: SealKeys, options: SealerOptions) {
    const { values, now = Date.now } = options;
    const { ttlMs = 600_000, spillOverBytes = 64 * 1024, maxBytes = 1024 ** 2 } = options;
    this.#keys = keys;
    this.#values = values;
    this.#holder = options.holder;
    this.#limits = { ttlMs, spillOverBytes, maxBytes };
    this.#now = now;
  }

  /**
   * Text that the client carries is never compressed: a client that controls a part of the value, and sees
   * the length of the text, could find out the rest of the value one character after the other.
   */
  async seal(value: JsonObject, binding: Binding): Promise<string> {
    const { ttlMs, spillOverBytes } = this.#limits;
    const start = new Uint8Array(contentAt);
    new DataView(start.buffer).setFloat64(0, this.#now() + ttlMs);
    const json = this.#encode(value);
    const isSpilled = json.length > spillOverBytes;
    start[contentAt - 1] = isSpilled ? spilledForm : carriedForm;
    const content = isSpilled ? await this.#spill(json, binding) : json;
    return wrap(this.#keys.current, concatBytes([start, content]), contextOf("state", binding));
  }

  async open(text: string, binding: Binding): Promise<JsonObject> {
    const { maxBytes } = this.#limits;
    if (text.length > ((maxBytes + contentAt + envelopeBytes) * 4) / 3 + 1) throw new SealError("malformed");
    const plain = await unwrap(this.#keys, text, contextOf("state", binding));
    if (plain.length < contentAt) throw new SealError("malformed");
    const expiresAt = new DataView(plain.buffer).getFloat64(0);
    if (!(this.#now() < expiresAt)) throw new SealError("expired");
    const content = plain.subarray(contentAt);
    return decode(plain[contentAt - 1] === spilledForm ? await this.#fetch(content, binding) : content);
  }

  #encode(value: JsonObject): Bytes {
    const { maxBytes } = this.#limits;
    const bytes = new TextEncoder().encode(toJsonText(value));
    if (bytes.length <= maxBytes) return bytes;
    throw new UsageError(
      `The state of this call has ${bytes.length} bytes of JSON, and ${maxBytes} are allowed; ` +
        "keep what is large in a store of your own, and let `once` return its key.",
    );
  }

  /** The name under which the store keeps it. The store can neither read it, nor give it out for another. */
  async #spill(json: Bytes, binding: Binding): Promise<Bytes> {
    const bytes = crypto.getRandomValues(new Uint8Array(nameBytes));
    const name = toBase64url(bytes);
    const text = await wrap(this.#keys.current, await deflate(json), contextOf(name, binding));
    await this.#values.put(storeKey(name), text, this.#limits.ttlMs, this.#holder);
    return bytes;
  }

  async #fetch(carried: Bytes, binding: Binding): Promise<Bytes> {
    const name = toBase64url(carried);
    const text = await this.#values.get(storeKey(name));
    if (text === undefined) throw new SealError("gone");
    try {
      // Nobody without the key makes a bomb; a mistake of ours must not be one either.
      return await inflate(await unwrap(this.#keys, text, contextOf(name, binding)), this.#limits.maxBytes);
    } catch {
      // The state that names it was opened with this binding, so whatever does not fit was done to it in the store.
      throw new SealError("tampered");
    }
  }
}

/** Quoted, so that no part runs into the next, and lone surrogates stay apart. */
function contextOf(purpose: string, { principal, method, target, digest }: Binding): string {
  return JSON.stringify([purpose, principal, method, target, digest]);
}

function storeKey(name: string): string {
  return `seal:${name}`;
}

function decode(bytes: Bytes): JsonObject {
  const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
  if (!isObject(value)) throw new SealError("malformed");
  return value;
}
