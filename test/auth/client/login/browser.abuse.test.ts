// Addresses for logging in that are really commands, or belong to other programs.
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { oauth } from "allspeak/auth";
import { connect } from "allspeak/client";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { loopbackLogin } from "../../../../src/node/login/loopback-login.ts";
import { browserCommand, openBrowser } from "../../../../src/node/login/open-browser.ts";
import { defaultServerMetadata, startFakeOAuthServer } from "../../../support/auth/fake-oauth-server.ts";
import { createTemporaryFolder } from "../../../support/temporary-folder.ts";

const folder = "CANARY";
const refused = [
  "javascript:alert(1)",
  "JavaScript:alert(1)//https://",
  "data:text/html,<script>alert(1)</script>",
  "file:///etc/passwd",
  "vscode://file/etc/passwd",
  "vscode:extension/evil",
  "ms-msdt:/id PCWDiagnostic",
  "ms-settings:",
  "search-ms:query=x",
  "ssh://evil.example",
  "smb://evil.example/share",
  "\\\\evil.example\\share",
  "//evil.example/authorize",
  "a:$(touch CANARY/a)?",
  "http:$(touch CANARY/b)",
  "https:evil.example",
  "https://",
  "https://evil.example/\r\nHost: x",
  "https://evil.example/\n--help",
  "https://evil.example/ && touch CANARY/c",
  "https://evil.example/`touch CANARY/d`",
  'https://evil.example/" & calc "',
  "https://evil.example/|calc",
  "https://evil.example/^&calc",
  "https://user:pass@evil.example/authorize",
  "http://evil.example/authorize",
  "http://10.0.0.1/authorize",
  "https://10.0.0.1/authorize",
  "https://169.254.169.254/",
  "-flag",
  "",
  "https://evil.example/\u0000",
];
const opened = [
  "https://good.example/authorize",
  "https://good.example/$(touch CANARY/e)",
  "https://good.example/;touch%20CANARY/f",
  "https://good.example/authorize?tenant=1&x=$(id)",
];

/** Puts a program on the path that writes down what it is started with. */
function watchBrowser(): { folder: string; started: () => string[][] } {
  const place = createTemporaryFolder();
  const [program] = browserCommand(process.platform);
  const script = `#!${process.execPath}\nrequire("fs").writeFileSync(${JSON.stringify(place)} + "/" + Date.now() + Math.random() + ".json", JSON.stringify(process.argv.slice(2)));\n`;
  writeFileSync(join(place, program), script);
  chmodSync(join(place, program), 0o755);
  vi.stubEnv("PATH", place);
  onTestFinished(() => void vi.unstubAllEnvs());
  const read = (name: string) => JSON.parse(readFileSync(join(place, name), "utf8")) as string[];
  return {
    folder: place,
    started: () =>
      readdirSync(place)
        .filter((name) => name.endsWith(".json"))
        .map(read),
  };
}

describe("an authorization endpoint", () => {
  it.each(refused)("%j never reaches the browser", async (endpoint) => {
    const browser = watchBrowser();
    const world = await startFakeOAuthServer({
      serverMetadata: (self) => ({
        ...defaultServerMetadata(self),
        authorization_endpoint: endpoint.replaceAll(folder, browser.folder),
      }),
    });
    const auth = oauth({ login: loopbackLogin(), loginMs: 5_000 });
    const opening = connect(world.url, { auth, hints: new Map() });
    await expect(opening).rejects.toMatchObject({ code: "authorization", reason: "unsafe-address" });
    expect(browser.started()).toEqual([]);
  });

  it.each(opened)("%j reaches the browser as one argument, and no shell", async (endpoint) => {
    const browser = watchBrowser();
    const url = new URL(endpoint.replaceAll(folder, browser.folder));
    expect(await openBrowser(url)).toBe(true);
    await vi.waitFor(() => expect(browser.started()).toEqual([[url.href]]), { timeout: 10_000 });
    for (const name of ["a", "b", "c", "d", "e", "f"])
      expect(existsSync(join(browser.folder, name))).toBe(false);
  });

  it("is printed where there is no browser", async () => {
    vi.stubEnv("PATH", createTemporaryFolder());
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await openBrowser(new URL("https://good.example/"))).toBe(false);
  });

  it.each(["linux", "darwin", "win32"] as const)(
    "is opened by a program on %s, not by a word of a shell",
    (platform) => {
      expect(browserCommand(platform)[0]).not.toMatch(/^(?:cmd|start|sh|bash|powershell)/);
    },
  );
});
