import { CommandError } from "../command-error.ts";
import { ExitCode } from "../exit-code.ts";

export interface ListenAddress {
  readonly host: string | undefined;
  readonly port: number;
}

/** Reads `:3000`, `3000`, `localhost:3000` and `[::1]:3000`. Without a host it is this machine only. */
export function readListenAddress(text: string): ListenAddress {
  const found = /^(?:(\[[\da-f:.]+\]|[\w.-]+)?:)?(\d{1,5})$/i.exec(text);
  const port = Number(found?.[2]);
  if (!found || port > 65_535) {
    throw new CommandError(
      `--http takes a port, such as :3000, not ${JSON.stringify(text)}.`,
      ExitCode.usage,
    );
  }
  const host = found[1]?.replace(/^\[|\]$/g, "");
  return { host, port };
}
