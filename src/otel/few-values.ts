/** The word of the conventions for a value that is not among the known ones. */
export const other = "_OTHER";

const maxChars = 128;

/**
 * The first values of a kind as they are, and one word for all that come later.
 *
 * Every value of an attribute of a metric is a series that is stored, and a peer could make up any number.
 */
export class FewValues {
  readonly #known = new Set<string>();
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  has(value: string): boolean {
    return this.#known.has(value);
  }

  of(value: string): string {
    if (this.#known.has(value)) return value;
    if (this.#known.size >= this.#max || value.length > maxChars) return other;
    this.#known.add(value);
    return value;
  }
}
