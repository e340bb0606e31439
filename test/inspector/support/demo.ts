import type { Server } from "allspeak";
import type { ConnectChoice } from "../../../src/inspector/messages/connection.ts";
import { openPage, type Page } from "./page.ts";
import { createDemoServer } from "./server.ts";

/** A page that is connected to a demo server of its own. */
export async function openDemo(
  options: ConnectChoice = {},
): Promise<{ page: Page; connection: string; server: Server }> {
  const server = createDemoServer();
  const { page } = await openPage({ servers: { demo: { target: server } } });
  const { connection } = await page.send("connect", { target: { kind: "offered", name: "demo" }, options });
  return { page, connection: connection.id, server };
}
