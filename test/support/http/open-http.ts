import { onTestFinished } from "vitest";
import { type Client, type ConnectOptions, connect, httpTransport } from "../../../src/client.ts";
import type { HttpClientOptions } from "../../../src/transports/http/client/options.ts";
import { WireCheck } from "../wire-schema/wire-check.ts";
import type { ScriptedHttp } from "./scripted-http.ts";

export interface Opened {
  readonly client: Client;
  readonly problems: Error[];
}

/** Connects for the length of one test, knowing nothing of what other tests found out. */
export async function openHttp(
  server: ScriptedHttp | string,
  options: ConnectOptions & { readonly http?: HttpClientOptions } = {},
): Promise<Opened> {
  const { http, ...others } = options;
  const url = typeof server === "string" ? server : server.url;
  const problems: Error[] = [];
  const check = typeof server === "string" ? new WireCheck("client", "server") : new WireCheck("client");
  const client = await connect(http ? httpTransport(url, http) : url, {
    hints: new Map(),
    onProblem: (problem) => problems.push(problem),
    ...others,
    onMessage: (message, direction) => {
      check.tap(message, direction);
      others.onMessage?.(message, direction);
    },
  });
  onTestFinished(() => client.close());
  return { client, problems };
}
