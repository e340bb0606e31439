/** How often a handler may go on without a pause. */
const callsPerPause = 32;

/**
 * Lets all others have their turn now and then, where a handler talks to nobody: with no
 * reader to wait for it might never pause, and nothing else would run in this process.
 */
export class TurnYielder {
  #calls = 0;

  afterCall(): Promise<void> | undefined {
    if (++this.#calls % callsPerPause !== 0) return undefined;
    return new Promise((resolve) => {
      setTimeout(resolve);
    });
  }
}
