/** A document of the index: its terms with their weights, such as 3 for a term of the title. */
export type WeightedTerms = ReadonlyMap<string, number>;

export interface Hit {
  readonly id: string;
  readonly score: number;
}

/** The effect of repeated terms, and of the length of a document. */
const k1 = 1.2;
const b = 0.6;

/** An index of short documents, ranked by BM25. Documents come and go one by one. */
export class Bm25Index {
  /** The weight of each term, by document. */
  readonly #postings = new Map<string, Map<string, number>>();
  readonly #documents = new Map<string, { readonly terms: WeightedTerms; readonly length: number }>();
  #totalLength = 0;

  get size(): number {
    return this.#documents.size;
  }

  /** Adds a document, or replaces the one with the same id. */
  set(id: string, terms: WeightedTerms): void {
    this.delete(id);
    let length = 0;
    for (const [term, weight] of terms) {
      length += weight;
      const posting = this.#postings.get(term) ?? new Map<string, number>();
      this.#postings.set(term, posting.set(id, weight));
    }
    this.#documents.set(id, { terms, length });
    this.#totalLength += length;
  }

  delete(id: string): void {
    const document = this.#documents.get(id);
    if (document === undefined) return;
    this.#documents.delete(id);
    this.#totalLength -= document.length;
    for (const term of document.terms.keys()) {
      const posting = this.#postings.get(term);
      posting?.delete(id);
      if (posting?.size === 0) this.#postings.delete(term);
    }
  }

  /** The best documents for weighted terms, best first; equal ones in the order of their ids. */
  search(terms: WeightedTerms, limit: number): readonly Hit[] {
    const scores = new Map<string, number>();
    const meanLength = this.#totalLength / Math.max(1, this.size);
    for (const [term, boost] of terms) {
      const posting = this.#postings.get(term);
      if (posting === undefined) continue;
      const rarity = Math.log(1 + (this.size - posting.size + 0.5) / (posting.size + 0.5));
      for (const [id, weight] of posting) {
        const { length = 0 } = this.#documents.get(id) ?? {};
        const norm = k1 * (1 - b + (b * length) / meanLength);
        const score = (boost * rarity * weight * (k1 + 1)) / (weight + norm);
        scores.set(id, (scores.get(id) ?? 0) + score);
      }
    }
    return [...scores]
      .map(([id, score]) => ({ id, score }))
      .sort((one, other) => other.score - one.score || (one.id < other.id ? -1 : 1))
      .slice(0, limit);
  }
}
