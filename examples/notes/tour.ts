import { fileURLToPath } from "node:url";
import { type ConnectOptions, connect, type Progress } from "allspeak/client";
import { server } from "./server.ts";

/** Prints what the server offers, a few calls, the same call in two revisions, and how a host starts it. */
export async function showTour(): Promise<void> {
  const client = await connect<typeof server>(server, { elicit: confirm });
  console.log(
    `"${client.server.info?.title}" speaks to this client in revision ${client.server.revision}.\n`,
  );

  console.log("Its tools:");
  for await (const { name, description } of client.tools.list())
    console.log(`  ${name.padEnd(14)} ${description}`);

  console.log("\nA few calls:");
  const added = await client.tools.call("add-note", { title: "garden", body: "Water the tomatoes." });
  show('add-note "garden"', added.content);
  const found = await client.tools.call("search-notes", { word: "tomatoes" });
  show('search-notes "tomatoes"', found.structuredContent);
  const counted = await client.tools.call("count-words", {}, { onProgress: showProgress });
  show("count-words", counted.structuredContent);
  const deleted = await client.tools.call("delete-note", { title: "garden" });
  show('delete-note "garden"', deleted.content);

  console.log("\nThe same call, as the oldest and the newest clients receive it:");
  for (const revision of ["2024-11-05", "2026-07-28"] as const) await showIn(revision);
  await client.close();

  const main = fileURLToPath(new URL("main.js", import.meta.url));
  const command = { command: process.execPath, args: [main, "--stdio"] };
  console.log("\nTo add it to a host, put this into the host's list of servers:\n");
  console.log(JSON.stringify({ mcpServers: { notes: command } }, undefined, 2));
}

const confirm: ConnectOptions["elicit"] = ({ message }) => {
  console.log(`  the server asks: ${message}  the user answers: yes`);
  return { action: "accept", content: { confirm: true } };
};

async function showIn(revision: "2024-11-05" | "2026-07-28"): Promise<void> {
  const client = await connect(server, { revisions: [revision] });
  const result = await client.tools.call("search-notes", { word: "cheese" });
  console.log(`  ${revision}  ${JSON.stringify(result)}`);
  await client.close();
}

function showProgress({ progress, total, message }: Progress): void {
  console.log(`  progress: ${progress} of ${total} (${message})`);
}

function show(call: string, answer: unknown): void {
  console.log(`  ${call} -> ${JSON.stringify(answer)}`);
}
