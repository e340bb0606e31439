import { stdin, stdout } from "node:process";
import type { Pipe } from "../../contract/pipe.ts";
import { createStdioPipe } from "../../transports/stdio/server-pipe.ts";

/** The pipe of a server on the streams of this process. */
export function openStdioPipe(): Pipe {
  return createStdioPipe({ input: stdin, output: stdout });
}
