import { inspect } from "node:util";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { open } from "./fixtures/connection.ts";

describe("P8: secrets", () => {
  test("a child sees none of our environment but what it needs and is given", async () => {
    onTestFinished(() => void vi.unstubAllEnvs());
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "secret");
    vi.stubEnv("HTTPS_PROXY", "http://me:secret@proxy");
    const { channel, close } = await open({ env: { GIVEN: "yes" } });
    onTestFinished(close);
    const { env } = await channel.request("about", {});
    expect(JSON.stringify(env)).not.toContain("secret");
    expect(env).toMatchObject({ GIVEN: "yes" });
  });

  test("no error repeats arguments or environment", async () => {
    const hidden = { env: { TOKEN: "secret-1" } };
    const failures = [
      await open({ ...hidden, command: "allspeak-no-such-program", args: ["secret-2"] }).catch(
        (e: unknown) => e,
      ),
      await open({ ...hidden, args: ["secret-2\0"] }).catch((e: unknown) => e),
      await (await open({ ...hidden, args: ["-e", "process.exit(1)", "secret-2"] })).closed,
    ];
    for (const failure of failures) {
      expect(failure).toMatchObject({ code: "process" });
      expect(inspect(failure, { depth: 9, showHidden: true })).not.toContain("secret");
    }
  });
});
