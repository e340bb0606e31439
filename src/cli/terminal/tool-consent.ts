import type { ConsentRequest, HeldTool } from "allspeak/client";
import { escapeLine, escapeText, toShownJson } from "../show/escape.ts";
import { Prompts } from "./prompts.ts";
import type { Terminal } from "./terminal.ts";

/**
 * Asks before a tool runs whose hints admit that it may destroy something. Other tools run at once: the user has
 * just named the tool and its arguments.
 */
export async function askConsent(
  call: ConsentRequest,
  terminal: Terminal,
  agrees: boolean,
): Promise<boolean> {
  if (agrees || call.tool?.annotations?.destructiveHint !== true) return true;
  if (!terminal.canAsk) {
    terminal.note("The tool says that it is destructive; --yes allows it.");
    return false;
  }
  terminal.note(`${terminal.notePaint.bold(escapeLine(call.name))} ${toShownJson(call.arguments)}`);
  return new Prompts(terminal).confirm("The tool says that it is destructive. Call it?");
}

/** Asks about a tool that is not the same as when it was first seen. */
export async function askAboutChange(held: HeldTool, terminal: Terminal, agrees: boolean): Promise<boolean> {
  const paint = terminal.notePaint;
  const what =
    held.reason === "changed" ? "has changed since it was first seen" : "takes the name of another tool";
  terminal.note(
    `${paint.yellow("The tool")} ${paint.bold(escapeLine(held.name))} ${paint.yellow(`${what}:`)}`,
  );
  for (const line of held.diff) {
    terminal.note(line.startsWith("+") ? paint.green(escapeText(line)) : paint.red(escapeText(line)));
  }
  if (agrees) return true;
  if (terminal.canAsk) return new Prompts(terminal).confirm("Use it as it is now?");
  terminal.note("It is held back; --yes accepts it as it is now.");
  return false;
}
