import type { WriteStream } from "node:fs";
import { open } from "node:fs/promises";
import { CommandError } from "../command-error.ts";
import { ExitCode } from "../exit-code.ts";

/** Lines that wait to be written, in bytes; a disk that is slower than that has failed. */
const maxWaitingBytes = 16 * 1024 * 1024;

/** A file that gets a line for each record. Once a line can't be written this is reported, and no more are. */
export class AuditFile {
  readonly #stream: WriteStream;

  private constructor(stream: WriteStream) {
    this.#stream = stream;
  }

  /** Opens the file, or creates it for this user alone; throws CommandError if that can't be done. */
  static async open(path: string, onFailure: (problem: Error) => void): Promise<AuditFile> {
    const file = await open(path, "a", 0o600).catch((error: Error) => {
      throw new CommandError(`The audit file can't be opened: ${error.message}`, ExitCode.usage, {
        cause: error,
        hint: "Give --audit a file in a folder that exists and that you may write to.",
      });
    });
    const stream = file.createWriteStream();
    stream.on("error", (error) =>
      onFailure(
        new Error(`The audit file ${path} gets no more lines until a restart: ${error.message}`, {
          cause: error,
        }),
      ),
    );
    return new AuditFile(stream);
  }

  add(line: string): void {
    if (this.#stream.destroyed) return;
    if (this.#stream.writableLength < maxWaitingBytes) this.#stream.write(`${line}\n`);
    else this.#stream.destroy(new Error("lines come faster than they can be written."));
  }

  /** Writes what waits, and closes the file. */
  async close(): Promise<void> {
    if (this.#stream.closed) return;
    const closed = new Promise<void>((resolve) => this.#stream.once("close", resolve));
    if (!this.#stream.destroyed) this.#stream.end();
    await closed;
  }
}
