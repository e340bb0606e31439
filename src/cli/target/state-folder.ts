import { homedir } from "node:os";
import { join } from "node:path";

type Environment = Readonly<Record<string, string | undefined>>;

/** The folder where the command remembers tokens and decisions of its user: `ALLSPEAK_HOME`, or the usual place. */
export function stateFolder(env: Environment): string {
  if (env.ALLSPEAK_HOME) return env.ALLSPEAK_HOME;
  if (process.platform === "win32" && env.LOCALAPPDATA) return join(env.LOCALAPPDATA, "allspeak");
  return join(env.XDG_STATE_HOME || join(env.HOME || homedir(), ".local", "state"), "allspeak");
}
