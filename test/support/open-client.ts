import { onTestFinished } from "vitest";
import { type Client, type ConnectOptions, connect, type Target } from "../../src/client.ts";
import type { ScriptedServer } from "./scripted-server.ts";
import { WireCheck } from "./wire-schema/wire-check.ts";

/** Connects for the length of one test. A server's silence is believed quickly. */
export async function openClient(
  target: Target | ScriptedServer,
  options: ConnectOptions = {},
): Promise<Client> {
  const isScripted = typeof target === "object" && "lines" in target;
  const check = isScripted ? new WireCheck("client") : new WireCheck("client", "server");
  const client = await connect(isScripted ? target.transport : target, {
    probeTimeout: 50,
    ...options,
    onMessage: (message, direction) => {
      check.tap(message, direction);
      options.onMessage?.(message, direction);
    },
  });
  onTestFinished(() => client.close());
  return client;
}

/** What a promise rejects with. */
export async function failure(promise: Promise<unknown>): Promise<Error> {
  return promise.then(
    () => Promise.reject(new Error("It did not fail.")),
    (error: Error) => error,
  );
}

/** Lets everything happen that is already on its way in memory. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}
