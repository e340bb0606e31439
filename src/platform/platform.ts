import type { OpenLogin } from "../auth/client/login.ts";
import type { CheckedFetch } from "../auth/fetch/safe-fetch.ts";
import type { Transport } from "../contract/transport.ts";
import type { SendRequest } from "../transports/http/client/http-exchange.ts";
import type { StdioCommand } from "../transports/stdio/stdio-command.ts";

/**
 * The parts of the library that depend on where it runs.
 *
 * `#platform` is resolved by the `imports` of package.json: to `node.ts` under Node, to `web.ts`
 * everywhere else, so that no bundle for a browser or a worker reaches a Node built-in.
 */
export interface Platform {
  /** A transport to the process that a command starts. */
  openCommand(command: StdioCommand): Promise<Transport>;
  /** Makes a request; where the platform can, it checks each address after the DNS lookup. */
  readonly fetch: CheckedFetch;
  /** The way to make the requests of a client to this URL: by the given `fetch`, or as the platform does it best. */
  openSender(url: URL, given?: typeof fetch): Promise<SendRequest>;
  /** Access to files, where there is one. */
  openFiles(): Promise<TextFiles>;
  /** Opens the login of a user for whom the host gave none. */
  openLogin(): Promise<OpenLogin>;
}

export interface TextFiles {
  readTextFile(path: string): Promise<string>;
  /** Calls the listener when a file may have changed, until the returned function is called. */
  watchTextFile(path: string, onChange: () => void): () => void;
}
