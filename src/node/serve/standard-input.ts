import type { OnReadOpts, Socket, SocketConstructorOpts } from "node:net";
import type { Readable } from "node:stream";
import { hasErrorCode } from "../../lib/errno.ts";
import { type InputReading, readByEvents } from "../../transports/stdio/server-pipe.ts";

const bufferBytes = 64 * 1024;

/**
 * Reads standard input into one buffer, again and again: a stream allocates one for each chunk, which takes as long
 * as all else that is done for a short call.
 *
 * `process.stdin` gives its chunks as usual from the moment that other code uses it, and when the input ends.
 */
export function readStandardInput(stdin: Readable, onChunk: (chunk: Buffer) => void): InputReading {
  if (!isUnusedPipe(stdin) || !isNodeOnUnix()) return readByEvents(stdin, onChunk);
  try {
    return new BufferedReading(stdin, onChunk);
  } catch (error) {
    // The program reads it without a listener.
    if (hasErrorCode(error, "EEXIST")) return readByEvents(stdin, onChunk);
    throw error;
  }
}

function isUnusedPipe(stdin: Readable): boolean {
  const isPipe = stdin === process.stdin && stdin.constructor.name === "Socket";
  const isUnused = stdin.readableFlowing === null && stdin.readableLength === 0;
  return isPipe && process.stdin.fd === 0 && isUnused;
}

function isNodeOnUnix(): boolean {
  const { versions, platform } = process;
  return platform !== "win32" && versions.bun === undefined && versions.deno === undefined;
}

class BufferedReading implements InputReading {
  readonly #stdin: Readable;
  readonly #onChunk: (chunk: Buffer) => void;
  readonly #socket: Socket;
  #stream: InputReading | undefined;
  #isPaused = false;

  constructor(stdin: Readable, onChunk: (chunk: Buffer) => void) {
    this.#stdin = stdin;
    this.#onChunk = onChunk;
    const buffer = Buffer.allocUnsafeSlow(bufferBytes);
    const onread: OnReadOpts = {
      buffer,
      callback: (bytes) => {
        onChunk(buffer.subarray(0, bytes));
        return !this.#isPaused;
      },
    };
    const options: SocketConstructorOpts & { onread: OnReadOpts } = { fd: 0, writable: false, onread };
    // The class of stdin itself: an import of node:net takes a millisecond of the start.
    const PipeSocket = stdin.constructor as typeof Socket;
    this.#socket = new PipeSocket(options);
    // The stream then finds the same end, or the same error.
    this.#socket.on("end", () => stdin.resume()).on("error", () => stdin.resume());
    stdin._read = (bytes) => {
      this.#moveToStream();
      stdin._read(bytes);
    };
  }

  pause(): void {
    this.#isPaused = true;
    (this.#stream ?? this.#socket).pause();
  }

  resume(): void {
    this.#isPaused = false;
    (this.#stream ?? this.#socket).resume();
  }

  stop(): void {
    this.#release();
    this.#stream?.stop();
  }

  #moveToStream(): void {
    this.#release();
    this.#stream = readByEvents(this.#stdin, this.#onChunk);
    if (this.#isPaused) this.#stream.pause();
  }

  #release(): void {
    this.#socket.pause();
    Reflect.deleteProperty(this.#stdin, "_read");
  }
}
