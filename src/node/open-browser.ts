import { spawn } from "node:child_process";

/** The program that opens an address, and what stands before the address. */
export function browserCommand(platform: NodeJS.Platform): readonly [program: string, ...before: string[]] {
  switch (platform) {
    case "darwin":
      return ["open"];
    case "win32":
      // Not `start`, which is a word of the shell: there, an address can be a command.
      return ["rundll32", "url.dll,FileProtocolHandler"];
    default:
      return ["xdg-open"];
  }
}

/**
 * Opens an address in the user's browser; resolves whether there was a program to do it.
 *
 * The address is one argument of a program that is started without a shell, and must have been
 * checked to be http or https.
 */
export function openBrowser(url: URL, platform: NodeJS.Platform = process.platform): Promise<boolean> {
  const [program, ...before] = browserCommand(platform);
  return new Promise((resolve) => {
    const child = spawn(program, [...before, url.href], { stdio: "ignore", detached: true, shell: false });
    child.on("error", () => resolve(false));
    child.on("spawn", () => {
      child.unref();
      resolve(true);
    });
  });
}
