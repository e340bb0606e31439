/** Settles in the next turn of the event loop, so that timers and other work get theirs. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve);
  });
}
