import { spawn } from "node:child_process";
import { once } from "node:events";
import { fixture } from "../fixture.ts";
import type { OfficialClient } from "../official-client.ts";

/** Starts our server over HTTP in a process of its own, which ends with its client. */
export async function withServer(connect: (url: URL) => Promise<OfficialClient>): Promise<OfficialClient> {
  const { command, args } = fixture("allspeak-server", "http");
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  const stop = async () => {
    child.stdin.end();
    await once(child, "exit");
  };
  try {
    const official = await connect(new URL(String(line).trim()));
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
