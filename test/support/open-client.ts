import { onTestFinished } from "vitest";
import { type Client, type ConnectOptions, connect, type Target } from "../../src/client.ts";
import type { ScriptedServer } from "./scripted-server.ts";

/** Connects for the length of one test. A server's silence is believed quickly. */
export async function openClient(
  target: Target | ScriptedServer,
  options: ConnectOptions = {},
): Promise<Client> {
  const reachable = typeof target === "object" && "lines" in target ? target.transport : target;
  const client = await connect(reachable, { probeTimeout: 50, ...options });
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
