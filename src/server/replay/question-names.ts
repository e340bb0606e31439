/** Names of the questions of one run: the same run gives the same names. */
export class QuestionNames {
  readonly #given = new Set<string>();
  #unnamed = 0;

  /** A name that was given before gets a number, so that a loop may ask under one name. */
  assign(key: string | undefined): string {
    const wanted = key ?? `ask-${++this.#unnamed}`;
    let name = wanted;
    for (let at = 2; this.#given.has(name); at++) name = `${wanted}-${at}`;
    this.#given.add(name);
    return name;
  }
}
