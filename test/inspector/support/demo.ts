import type { Server } from "allspeak";
import type { InspectorOptions } from "allspeak/inspector";
import type { ConnectChoice } from "../../../src/inspector/messages/connection.ts";
import { openPage, type Page } from "./page.ts";
import { createDemoServer } from "./server.ts";

/** A page that is connected to a demo server of its own. */
export async function openDemo(
  options: ConnectChoice = {},
  inspector: InspectorOptions = {},
): Promise<{ page: Page; connection: string; server: Server }> {
  const server = createDemoServer();
  const { page } = await openPage({ servers: { demo: { target: server } }, ...inspector });
  const { connection } = await page.send("connect", { target: { kind: "offered", name: "demo" }, options });
  return { page, connection: connection.id, server };
}
