import { resolve } from "node:path";
import type { Offer } from "allspeak/inspector";
import { isServable } from "../../../contract/service.ts";
import { ExitCode } from "../../exit-code.ts";
import { escapeLine } from "../../show/escape.ts";
import { assertModuleFile, isModulePath } from "../../target/load-module.ts";
import { readHeaders } from "../../target/read-headers.ts";
import { resolveTarget } from "../../target/resolve-target.ts";
import { jsonOption, targetArgument, targetOptions } from "../../target/target-options.ts";
import type { Terminal } from "../../terminal/terminal.ts";
import { defineVerb, type Verb } from "../../verb.ts";
import { assertReachable } from "./assert-reachable.ts";

const { config, export: exported, header, env, yes, "no-input": noInput } = targetOptions;

const options = {
  port: {
    type: "number",
    value: "PORT",
    range: [0, 65_535],
    description: "Serve the page on this port. Default: a free one",
  },
  open: { type: "boolean", description: "Open the page in a browser, instead of only showing its address" },
  ...{ config, export: exported, header, env, yes, "no-input": noInput },
  json: jsonOption,
} as const;

export const inspect: Verb<typeof options> = defineVerb({
  arguments: [{ ...targetArgument, isOptional: true }],
  options,
  examples: [
    ["allspeak inspect https://example.com/mcp", "a page that shows this server, and every message"],
    ["allspeak inspect ./server.ts --open", "your own server, in a browser"],
    ["allspeak inspect", "the page alone: choose a server there"],
  ],
  notes:
    "The page is served on this machine only, and its address works once. Programs that are chosen on the page run only\nafter you have seen them there.",
  async run({ arguments: [target], options, terminal }) {
    const { serveInspector } = await import("allspeak/inspector");
    const { cwd, env } = terminal.streams;
    const offer = target === undefined ? undefined : await toOffer(target, options, terminal);
    const inspector = await serveInspector({
      servers: target === undefined || offer === undefined ? {} : { [target]: { ...offer, isFirst: true } },
      ...(options.port !== undefined && { port: options.port }),
      cwd,
      env,
    });
    try {
      await showAddress(inspector.url, options, terminal);
      const { signal } = terminal;
      signal.throwIfAborted();
      await new Promise((stop) => signal.addEventListener("abort", stop, { once: true }));
      return ExitCode.ok;
    } finally {
      await inspector.close();
    }
  },
});

const laterAdvice =
  "Start the server first. For one that starts later: allspeak inspect, and give its address on the page.";

/** The server that the user has named: they agreed to it by that. */
async function toOffer(
  text: string,
  options: Parameters<typeof resolveTarget>[1],
  terminal: Terminal,
): Promise<Offer> {
  // A module runs in a process of its own, so that it can be started again after a change.
  if (isModulePath(text)) {
    const file = resolve(terminal.streams.cwd, text);
    assertModuleFile(file, text);
    return { target: serveModule(file, options.export) };
  }
  const { target, headers = {} } = await resolveTarget(text, options, terminal);
  if (isServable(target)) return { target };
  if (typeof target === "object" && "command" in target) return { target };
  await assertReachable(String(target), laterAdvice);
  const all = { ...headers, ...readHeaders(options.header ?? []) };
  return { target: { url: String(target), headers: all } };
}

function serveModule(file: string, exported: string | undefined) {
  const chosen = exported === undefined ? [] : ["--export", exported];
  return { command: process.execPath, args: [process.argv[1] ?? "", "serve", file, ...chosen] };
}

async function showAddress(
  url: string,
  { open, json }: { readonly open?: boolean; readonly json?: boolean },
  terminal: Terminal,
): Promise<void> {
  if (json) terminal.printJson({ url });
  else terminal.print(`The inspector is at ${terminal.paint.cyan(escapeLine(url))}\nCtrl-C ends it.`);
  if (!open) return;
  const { openBrowser } = await import("../../../node/login/open-browser.ts");
  if (!(await openBrowser(new URL(url))))
    terminal.note("No browser could be started; open the address yourself.");
}
