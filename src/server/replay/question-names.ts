/** The names of the questions in one run. Every run of a handler assigns the same names. */
export class QuestionNames {
  readonly #assigned = new Set<string>();
  #unnamed = 0;

  /** Assigns a name. A name that is taken gets a number, so that a loop may ask under one name. */
  assign(key: string | undefined): string {
    const wanted = key ?? `ask-${++this.#unnamed}`;
    let name = wanted;
    for (let at = 2; this.#assigned.has(name); at++) name = `${wanted}-${at}`;
    this.#assigned.add(name);
    return name;
  }
}
