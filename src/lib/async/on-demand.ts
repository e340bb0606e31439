/** A part that is loaded with its first use, because most programs need it late or never. */
export class OnDemand<Part> {
  readonly #load: () => Promise<Part>;
  #loading: Promise<Part> | undefined;
  #part: Part | undefined;

  constructor(load: () => Promise<Part>) {
    this.#load = load;
  }

  /** The part, once it is loaded. */
  get loaded(): Part | undefined {
    return this.#part;
  }

  /** The part, if it has been used. */
  get used(): Promise<Part> | undefined {
    return this.#loading;
  }

  /** Does something with the part: at once if it is loaded. One that could not be loaded is loaded again with the next use. */
  use<T>(action: (part: Part) => T | Promise<T>): T | Promise<T> {
    if (this.#part !== undefined) return action(this.#part);
    this.#loading ??= this.#load().then(
      (part) => {
        this.#part = part;
        return part;
      },
      (error) => {
        this.#loading = undefined;
        throw error;
      },
    );
    return this.#loading.then(action);
  }

  /** Does something with the part for which nobody waits; a failure goes to `report`, and must not end the process. */
  tryUse(action: (part: Part) => unknown, report: (problem: Error) => void): void {
    try {
      const using = this.use(action);
      if (using instanceof Promise) using.catch(report);
    } catch (error) {
      report(error as Error);
    }
  }
}

let loading: Promise<void> | undefined;

/** Settles when the parts are loaded that calls wait for now. Never rejects; undefined when none is being loaded. */
export function callPartsLoaded(): Promise<void> | undefined {
  return loading;
}

/** A part that the calls of a server need. While one is loaded, connections start no further calls. */
export function callPart<Part>(load: () => Promise<Part>): OnDemand<Part> {
  return new OnDemand(() => {
    const part = load();
    // A failure is for those who use the part.
    const all: Promise<void> = Promise.all([loading, part.catch(() => {})]).then(() => {
      if (loading === all) loading = undefined;
    });
    loading = all;
    return part;
  });
}
