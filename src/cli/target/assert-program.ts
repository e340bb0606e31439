import { existsSync, statSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { projectFiles } from "../../node/files/host-files.ts";
import { CommandError } from "../command-error.ts";
import { ExitCode } from "../exit-code.ts";
import type { Streams } from "../terminal/terminal.ts";

/** Refuses a single word that no program has as its name: a module or a server of a host's file was meant. */
export function assertProgram(
  text: string,
  { cwd, env }: Pick<Streams, "cwd" | "env">,
  advice: string = searched,
): void {
  if (/\s/.test(text)) return;
  const isPath = /[\\/]|^\.+$/.test(text);
  if (!isPath && isOnPath(text, env)) return;
  if (statSync(resolve(cwd, text), { throwIfNoEntry: false })?.isDirectory())
    throw new CommandError(`${text} is a folder.`, ExitCode.usage, {
      hint: `Name a module in it, such as ${join(text, "server.ts")}. ${advice}`,
    });
  if (/^[\w.-]+:\d+(?:\/|$)/.test(text))
    throw new CommandError(`There is no program ${JSON.stringify(text)}.`, ExitCode.usage, {
      hint: `A URL begins with http:// or https://: http://${text}`,
    });
  if (isPath && /\.json$/i.test(text) && existsSync(resolve(cwd, text)))
    throw new CommandError(`${text} is not a program.`, ExitCode.usage, { hint: advice });
  if (isPath) return;
  throw new CommandError(`There is no server and no program ${JSON.stringify(text)}.`, ExitCode.unreachable, {
    hint: advice,
  });
}

const searched = `Servers are searched in ${projectFiles.join(", ")} of this folder; --config FILE names another file.`;

function isOnPath(name: string, env: Streams["env"]): boolean {
  const endings = ["", ...(env.PATHEXT?.split(";") ?? [])];
  const folders = (env.PATH ?? env.Path ?? "").split(delimiter);
  return folders.some((folder) => endings.some((ending) => existsSync(join(folder, name + ending))));
}
