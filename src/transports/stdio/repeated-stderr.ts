const maxRemembered = 8 * 1024;
/** A program that is started again after longer than this is not the same attempt. */
const sameAttemptMs = 5_000;

/** Gives what is to be shown of what arrived, if anything. */
export type StderrFilter = (chunk: Buffer) => Buffer | undefined;

/**
 * Holds back what a program says on stderr for the second time.
 *
 * One that dies of the first question is started again at once, and would complain twice.
 */
export class RepeatedStderrFilter {
  #said: Buffer = Buffer.alloc(0);
  #beganAt = Number.NEGATIVE_INFINITY;

  /** A program has been started. */
  begin(now: number): StderrFilter {
    const before = now - this.#beganAt <= sameAttemptMs ? this.#said : Buffer.alloc(0);
    let matched = 0;
    let isRepeating = true;
    this.#beganAt = now;
    this.#said = Buffer.alloc(0);
    return (chunk) => {
      this.#remember(chunk);
      if (!isRepeating) return chunk;
      const end = matched + chunk.length;
      if (end <= before.length && chunk.equals(before.subarray(matched, end))) {
        matched = end;
        return undefined;
      }
      isRepeating = false;
      return matched === 0 ? chunk : Buffer.concat([before.subarray(0, matched), chunk]);
    };
  }

  #remember(chunk: Buffer): void {
    const room = maxRemembered - this.#said.length;
    if (room > 0) this.#said = Buffer.concat([this.#said, chunk.subarray(0, room)]);
  }
}
