import { UsageError } from "../protocol/errors.ts";
import { isObject, type JsonObject, toJsonText } from "../protocol/json.ts";
import type { ValueStore } from "../state/state.ts";
import { type Bytes, toBase64url } from "./base64url.ts";
import { canonicalJson } from "./canonical.ts";
import { deflate, inflate } from "./deflate.ts";
import { envelopeBytes, unwrap, wrap } from "./envelope.ts";
import { join } from "./join.ts";
import type { KeyRing } from "./key-ring.ts";
import { SealError } from "./seal-error.ts";

/** What sealed text belongs to; opening it for anything else fails. */
export interface Binding {
  readonly principal: string;
  readonly method: string;
  readonly target: string;
  readonly digest: string;
}

export interface Sealer {
  /** Seals JSON for a binding; expires after `ttlMs`. Compressed when large, kept in the value store when larger. */
  seal(value: JsonObject, binding: Binding): Promise<string>;
  /** Throws a `SealError` that says why it can't be opened. May be opened again until it expires. */
  open(text: string, binding: Binding): Promise<JsonObject>;
}

export interface SealerOptions {
  readonly values: ValueStore;
  /** How long sealed text can be opened. Default 600,000. */
  readonly ttlMs?: number | undefined;
  /** JSON above this is compressed. Default 1,024. */
  readonly compressOverBytes?: number | undefined;
  /** What is still above this goes to the value store. Default 16,384. */
  readonly spillOverBytes?: number | undefined;
  /** JSON above this is refused. Default 1,048,576. */
  readonly maxBytes?: number | undefined;
  readonly now?: (() => number) | undefined;
}

export function createSealer(ring: KeyRing, options: SealerOptions): Sealer {
  return new RingSealer(ring, options);
}

/** A digest of JSON that does not depend on the order of keys. */
export async function digestOf(value: unknown): Promise<string> {
  const bytes = new TextEncoder().encode(canonicalJson(value));
  return toBase64url(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}

/** Sealed inside: when it expires (8 bytes) | what the rest is (1) | JSON, or the name of what is kept elsewhere. */
const contentAt = 9;
const compressed = 1;
const spilled = 2;
const nameBytes = 16;

class RingSealer implements Sealer {
  readonly #ring: KeyRing;
  readonly #values: ValueStore;
  readonly #limits: { ttlMs: number; compressOverBytes: number; spillOverBytes: number; maxBytes: number };
  readonly #now: () => number;

  constructor(ring: KeyRing, options: SealerOptions) {
    const { values, ttlMs = 600_000, maxBytes = 1024 ** 2, now = Date.now } = options;
    const { compressOverBytes = 1024, spillOverBytes = 16 * 1024 } = options;
    this.#ring = ring;
    this.#values = values;
    this.#limits = { ttlMs, compressOverBytes, spillOverBytes, maxBytes };
    this.#now = now;
  }

  async seal(value: JsonObject, binding: Binding): Promise<string> {
    const { ttlMs, compressOverBytes, spillOverBytes } = this.#limits;
    const expiresAt = this.#now() + ttlMs;
    let content: Bytes = this.#encode(value);
    let form = 0;
    if (content.length > compressOverBytes) {
      content = await deflate(content);
      form |= compressed;
    }
    if (content.length > spillOverBytes) {
      content = await this.#spill(content, binding);
      form |= spilled;
    }
    const start = new Uint8Array(contentAt);
    new DataView(start.buffer).setFloat64(0, expiresAt);
    start[contentAt - 1] = form;
    return wrap(this.#ring.current, join(start, content), contextOf("state", binding));
  }

  async open(text: string, binding: Binding): Promise<JsonObject> {
    const { maxBytes } = this.#limits;
    if (text.length > ((maxBytes + contentAt + envelopeBytes) * 4) / 3 + 1) throw new SealError("malformed");
    const plain = await unwrap(this.#ring, text, contextOf("state", binding));
    if (plain.length < contentAt) throw new SealError("malformed");
    const expiresAt = new DataView(plain.buffer).getFloat64(0);
    if (!(this.#now() < expiresAt)) throw new SealError("expired");
    const form = plain[contentAt - 1] as number;
    const carried = plain.subarray(contentAt);
    const content = form & spilled ? await this.#fetch(carried, binding) : carried;
    return decode(form & compressed ? await this.#inflate(content) : content);
  }

  #encode(value: JsonObject): Bytes {
    const { maxBytes } = this.#limits;
    const bytes = new TextEncoder().encode(toJsonText(value));
    if (bytes.length <= maxBytes) return bytes;
    throw new UsageError(
      `What this call carries from round to round is ${bytes.length} bytes of JSON, and ${maxBytes} are allowed; ` +
        "keep what is large in a store of your own, and let `once` return its key.",
    );
  }

  /** The name under which the store keeps it. The store can neither read it, nor give it out for another. */
  async #spill(content: Bytes, binding: Binding): Promise<Bytes> {
    const bytes = crypto.getRandomValues(new Uint8Array(nameBytes));
    const name = toBase64url(bytes);
    const text = await wrap(this.#ring.current, content, contextOf(name, binding));
    await this.#values.put(storeKey(name), text, this.#limits.ttlMs);
    return bytes;
  }

  async #fetch(carried: Bytes, binding: Binding): Promise<Bytes> {
    const name = toBase64url(carried);
    const text = await this.#values.get(storeKey(name));
    if (text === undefined) throw new SealError("gone");
    // The state that names it was opened with this binding, so whatever does not fit was done to it in the store.
    return unwrap(this.#ring, text, contextOf(name, binding)).catch(() => {
      throw new SealError("tampered");
    });
  }

  /** Nobody without the key makes a bomb; a mistake of ours must not be one either. */
  #inflate(content: Bytes): Promise<Bytes> {
    return inflate(content, this.#limits.maxBytes).catch(() => {
      throw new SealError("malformed");
    });
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
