import type { AuthHop } from "../../errors.ts";
import { toAsciiLine } from "../ascii-line.ts";

const maxHops = 200;

/** The steps of obtaining credentials, for `explain()`: URLs without their queries, and no secrets. */
export class AuthTrace {
  readonly #hops: AuthHop[] = [];

  get hops(): readonly AuthHop[] {
    return [...this.#hops];
  }

  add(step: string, outcome: AuthHop["outcome"], about: { url?: URL | string; detail?: string } = {}): void {
    const { url, detail } = about;
    this.#hops.push({
      step,
      outcome,
      ...(url !== undefined && { url: withoutQuery(url) }),
      ...(detail !== undefined && { detail: toAsciiLine(detail) }),
    });
    if (this.#hops.length > maxHops) this.#hops.shift();
  }
}

function withoutQuery(url: URL | string): string {
  if (!URL.canParse(url)) return "(not a URL)";
  const { origin, protocol, pathname } = new URL(url);
  return origin === "null" ? protocol : `${origin}${pathname}`;
}
