import { spawn } from "node:child_process";
import { once } from "node:events";
import { startBalancer } from "../../support/balancer.ts";
import { fixture } from "../fixture.ts";
import type { OfficialClient } from "../official-client.ts";

export interface Served {
  readonly url: string;
  stop(): Promise<void>;
}

/** Starts a fixture server over HTTP in a process of its own. */
export async function serve(...[name, ...args]: Parameters<typeof fixture>): Promise<Served> {
  const { command, args: all } = fixture(name, ...args);
  const child = spawn(command, all, { stdio: ["pipe", "pipe", "inherit"] });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const stop = async () => {
    child.stdin.end();
    await once(child, "exit");
  };
  return { url: String(line).trim(), stop };
}

/** Starts our server, which ends with its client. */
export async function withServer(connect: (url: URL) => Promise<OfficialClient>): Promise<OfficialClient> {
  return withServed(await serve("allspeak-server", "http"), connect);
}

/** Starts three nodes of our server, and a balancer that sends each request to one of them at random. */
export async function withNodes(connect: (url: URL) => Promise<OfficialClient>): Promise<OfficialClient> {
  const { url, stop } = await serve("allspeak-server", "nodes");
  const balancer = await startBalancer(url.split(" ").map((node) => new URL(node).origin));
  const stopAll = async () => {
    await balancer.close();
    await stop();
  };
  return withServed({ url: balancer.url, stop: stopAll }, connect);
}

async function withServed(
  { url, stop }: Served,
  connect: (url: URL) => Promise<OfficialClient>,
): Promise<OfficialClient> {
  try {
    const official = await connect(new URL(url));
    const close = official.client.close.bind(official.client);
    official.client.close = async () => {
      await close();
      await stop();
    };
    return official;
  } catch (error) {
    await stop();
    throw error;
  }
}
