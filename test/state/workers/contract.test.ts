import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { stateContract } from "allspeak/testing/state";
import { afterAll, beforeAll, describe, it } from "vitest";
import { IpcChannel } from "../../../src/node/workers/ipc-channel.ts";
import { remoteState } from "../../../src/node/workers/remote-state.ts";

const path = fileURLToPath(new URL("./fixtures/primary.ts", import.meta.url));

// This process is the worker, and a child is the primary: the channel between them is the same.
describe("the state in the memory of another process keeps the contract", () => {
  let primary: ChildProcess;
  beforeAll(() => {
    primary = fork(path, [], { execArgv: ["--import", "tsx"] });
  });
  afterAll(async () => {
    const exited = once(primary, "exit");
    primary.kill("SIGKILL");
    await exited;
  });
  let endpoints = 0;
  const open = () => remoteState(new IpcChannel(primary), ++endpoints);
  for (const { name, run } of stateContract(open)) it.concurrent(name, run, 60_000);
});
