import { signal } from "@preact/signals";

const pageSize = 200;
/** Pages that are kept; a page that was not seen for longest goes first. */
const maxPages = 24;

interface PageReply<Item> {
  readonly items: readonly Item[];
  readonly matching: number;
}

/** A list that the inspector's server holds: pages come when rows of them are drawn. */
export class PagedList<Item> {
  readonly #read: (from: number, count: number) => Promise<PageReply<Item>>;
  readonly #pages = new Map<number, Item[]>();
  readonly #loading = new Set<number>();
  /** Grows with each change, for those who draw. */
  readonly version = signal(0);
  readonly count = signal(0);
  readonly failure = signal<unknown>(undefined);

  constructor(read: (from: number, count: number) => Promise<PageReply<Item>>) {
    this.#read = read;
    this.#load(0);
  }

  /** The item at a place; `undefined` until its page is there. */
  at(index: number): Item | undefined {
    const number = Math.floor(index / pageSize);
    const page = this.#pages.get(number);
    const item = page?.[index % pageSize];
    if (item === undefined && index < this.count.value) this.#load(number);
    else if (page) {
      this.#pages.delete(number);
      this.#pages.set(number, page);
    }
    return item;
  }

  /** Takes in items that follow the last one. */
  append(items: readonly Item[], count: number): void {
    const first = count - items.length;
    if (first > this.count.value) return this.refresh();
    items.forEach((item, at) => {
      const index = first + at;
      const page = this.#pages.get(Math.floor(index / pageSize));
      if (page && page.length === index % pageSize) page.push(item);
      else if (!page && index % pageSize === 0) this.#pages.set(index / pageSize, [item]);
    });
    this.count.value = count;
    this.version.value += 1;
  }

  /** Asks for the end anew, where the list grows. */
  refresh(): void {
    const last = Math.max(0, Math.floor((this.count.value - 1) / pageSize));
    this.#load(last);
  }

  *held(): Iterable<Item> {
    for (const page of this.#pages.values()) yield* page;
  }

  #load(number: number): void {
    if (this.#loading.has(number)) return;
    this.#loading.add(number);
    this.#read(number * pageSize, pageSize)
      .then(({ items, matching }) => {
        if (matching < this.count.value) this.#pages.clear();
        this.#pages.set(number, [...items]);
        for (const oldest of this.#pages.keys()) {
          if (this.#pages.size <= maxPages) break;
          this.#pages.delete(oldest);
        }
        this.failure.value = undefined;
        this.count.value = matching;
      })
      .catch((error: unknown) => {
        this.failure.value = error;
      })
      .finally(() => {
        this.#loading.delete(number);
        this.version.value += 1;
      });
  }
}
