import { execFileSync } from "node:child_process";

/** The name of the browser; undefined, with a line that says so, where there is none. */
export const chromium: string | undefined = findChromium();

function findChromium(): string | undefined {
  try {
    execFileSync("chromium", ["--version"], { stdio: "ignore" });
    return "chromium";
  } catch {
    console.warn(
      "Tests in Chromium are skipped: there is no chromium here. On Debian: apt-get install chromium",
    );
    return undefined;
  }
}
