const ignore = (): void => {};

/**
 * Writes to this process's stderr; `done` is called when there is room for more.
 *
 * A stderr without a reader must not end the process, as an unhandled stream error would.
 */
export function writeStderr(chunk: string | Uint8Array, done: () => void = ignore): boolean {
  const { stderr } = process;
  return stderr.write(chunk, (error) => {
    if (error && stderr.listenerCount("error") === 0) stderr.once("error", ignore);
    done();
  });
}
