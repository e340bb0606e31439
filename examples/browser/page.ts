// A page that uses an MCP server as a program would: lists, a call with progress, and a question to its reader.
import { connect } from "allspeak/client";

const log = document.querySelector("ol") as HTMLOListElement;
function show(line: string): void {
  log.append(Object.assign(document.createElement("li"), { textContent: line }));
}

/** Asks the reader with a form of the page. */
function confirm(question: string): Promise<boolean> {
  const dialog = document.querySelector("dialog") as HTMLDialogElement;
  (dialog.querySelector("p") as HTMLElement).textContent = question;
  dialog.returnValue = "";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  });
}

const target = new URLSearchParams(location.search).get("server") ?? "";
try {
  const client = await connect(target, {
    elicit: async ({ message }) => ({ action: "accept", content: { confirm: await confirm(message) } }),
  });
  show(`Connected in revision ${client.server.revision}.`);
  const names = (await client.tools.list().all()).map(({ name }) => name);
  show(`Tools: ${names.join(", ")}.`);
  const onProgress = ({ progress, total }: { progress: number; total?: number }) =>
    show(`${progress} of ${total}`);
  await client.tools.call("water", {}, { onProgress });
  const { content } = await client.tools.call("harvest");
  show(content[0]?.type === "text" ? content[0].text : "");
  await client.close();
  show("Done.");
} catch (error) {
  show(`Failed: ${error instanceof Error ? error.message : error}`);
}
