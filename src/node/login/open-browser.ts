import { spawn } from "node:child_process";

/** The program that opens a URL in a browser, and its arguments before the URL. */
export function browserCommand(platform: NodeJS.Platform): readonly [program: string, ...before: string[]] {
  switch (platform) {
    case "darwin":
      return ["open"];
    case "win32":
      // Not `start`, which is a command of the shell: a URL could then inject commands.
      return ["rundll32", "url.dll,FileProtocolHandler"];
    default:
      return ["xdg-open"];
  }
}

/**
 * Opens a URL in the user's browser; resolves to false when there is no program to do it.
 *
 * The URL is one argument of a program that is started without a shell. The caller must have
 * checked that it is http or https.
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
