const callsEach = 10;

/**
 * Controllers for what happens to all calls at once. A few calls share each: thousands of listeners
 * to one signal are slow, platforms warn of them, and a signal for each call takes much room.
 */
export class SharedAbortControllers {
  #current = new AbortController();
  #given = 0;

  next(): AbortController {
    if (++this.#given % callsEach === 0) this.#current = new AbortController();
    return this.#current;
  }
}
