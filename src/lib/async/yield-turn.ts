/** Settles in the next turn of the event loop, so that timers and other work get theirs. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve);
  });
}

/** The number of calls that a handler may make without a pause. */
const callsPerPause = 32;

/**
 * Pauses a handler now and then whose messages have no reader: with nothing to wait for it might never
 * pause, and nothing else would run in this process.
 */
export class TurnYielder {
  #calls = 0;

  afterCall(): Promise<void> | undefined {
    return ++this.#calls % callsPerPause === 0 ? nextTurn() : undefined;
  }
}
