import { toHex } from "../../../lib/encoding/hex.ts";

/** A program in Lua that Redis runs in one step. */
export class Script {
  readonly text: string;
  #sha: string | undefined;
  #loading: Promise<string> | undefined;

  constructor(text: string) {
    this.text = text;
  }

  /** The name under which Redis knows it once it has run; undefined until `load` has computed it. */
  get sha(): string | undefined {
    return this.#sha;
  }

  load(): Promise<string> {
    this.#loading ??= sha1(this.text).then((sha) => {
      this.#sha = sha;
      return sha;
    });
    return this.#loading;
  }
}

async function sha1(text: string): Promise<string> {
  return toHex(new Uint8Array(await crypto.subtle.digest("SHA-1", new TextEncoder().encode(text))));
}
