import { isObject, type JsonObject } from "../../lib/json.ts";
import { CommandError } from "../command-error.ts";
import { ExitCode } from "../exit-code.ts";
import type { Terminal } from "../terminal/terminal.ts";

const maxBytes = 64 * 1024 * 1024;
/** An input that nobody writes to must not keep the command waiting. */
const firstByteMs = 10_000;

/** Reads one JSON object from standard input; undefined when nothing comes and nothing was promised. */
export async function readStdinJson(
  terminal: Terminal,
  isPromised: boolean,
): Promise<JsonObject | undefined> {
  const text = await readAll(terminal, isPromised);
  if (text.trim() === "") {
    if (!isPromised) return undefined;
    throw new CommandError("Standard input is empty; with - it must hold a JSON object.", ExitCode.usage);
  }
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch (cause) {
    throw new CommandError("Standard input is not JSON.", ExitCode.usage, { cause });
  }
  throw new CommandError("Standard input is not a JSON object.", ExitCode.usage);
}

async function readAll(terminal: Terminal, isPromised: boolean): Promise<string> {
  const { stdin, signal } = terminal.streams;
  const silence = isPromised ? undefined : setTimeout(() => stdin.destroy(), firstByteMs);
  const stop = () => stdin.destroy();
  signal.addEventListener("abort", stop, { once: true });
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of stdin) {
      clearTimeout(silence);
      const read = Buffer.from(chunk);
      bytes += read.byteLength;
      if (bytes > maxBytes) throw new CommandError("Standard input is larger than 64 MiB.", ExitCode.usage);
      chunks.push(read);
    }
  } catch (error) {
    // The deadline or Ctrl-C has ended the input.
    if (!stdin.destroyed || error instanceof CommandError) throw error;
  } finally {
    clearTimeout(silence);
    signal.removeEventListener("abort", stop);
  }
  signal.throwIfAborted();
  return Buffer.concat(chunks).toString("utf8");
}
