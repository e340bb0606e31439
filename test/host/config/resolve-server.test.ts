import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createServer } from "allspeak";
import { connect } from "allspeak/client";
import { readHostConfig, resolveServer, type VariableOptions } from "allspeak/host";
import { serveHttp } from "allspeak/node";
import { describe, expect, test } from "vitest";
import { createTemporaryFolder } from "../../support/temporary-folder.ts";

const env = { HOME: "/home/me", TOKEN: "t0ken", EMPTY: "", USER_NAME: "${TOKEN}" };

async function expand(text: string, options: VariableOptions = {}): Promise<string | undefined> {
  const entry = { command: "program", args: [text], env: {} };
  const inputs = new Map([
    ["key", { id: "key", description: "Key", isSecret: true, default: undefined, options: undefined }],
    ["place", { id: "place", description: "", isSecret: false, default: "eu", options: undefined }],
  ]);
  const resolved = await resolveServer({ name: "a", entry }, inputs, { env, ...options });
  return resolved.command === undefined ? undefined : resolved.args?.[0];
}

describe("variables of a host's file", () => {
  test.each([
    ["a variable of the environment", "Bearer ${TOKEN}", "Bearer t0ken"],
    ["the same by its prefix", "${env:TOKEN}/${env:TOKEN}", "t0ken/t0ken"],
    ["a default", "${MISSING:-8080}", "8080"],
    ["a default of an empty variable", "${EMPTY:-full}", "full"],
    ["an empty variable", "[${EMPTY}]", "[]"],
    ["an empty default", "[${MISSING:-}]", "[]"],
    ["a value that looks like a variable", "${USER_NAME}", "${TOKEN}"],
    ["the folder of the user", "${userHome}${/}.notes", "/home/me/.notes"],
    ["the project", "${workspaceFolder} ${workspaceFolderBasename}", "/home/me/site site"],
    ["the default of an input", "${input:place}", "eu"],
    ["text without variables", "$TOKEN {TOKEN} ${} $", "$TOKEN {TOKEN} ${} $"],
  ])("%s", async (_what, text, expected) => {
    expect(await expand(text, { workspaceFolder: "/home/me/site" })).toBe(expected);
  });

  test("an input is asked for with its description", async () => {
    const asked: unknown[] = [];
    const input: VariableOptions["input"] = async ({ id, description, isSecret }) => {
      asked.push({ id, description, isSecret });
      return "s3cret";
    };
    expect(await expand("--key=${input:key}", { input })).toBe("--key=s3cret");
    expect(asked).toEqual([{ id: "key", description: "Key", isSecret: true }]);
  });

  test.each([
    ["${MISSING}", 'Server "a": The variable ${MISSING} has no value; set it in the environment'],
    ["${env:constructor}", "The variable ${env:constructor} has no value"],
    ["${env:__proto__}", "The variable ${env:__proto__} has no value"],
    ["${toString}", "The variable ${toString} has no value"],
    ["${input:key}", "answer it in the input option"],
    ["${workspaceFolder}", "set the option workspaceFolder"],
  ])("%s without a value is refused", async (text, message) => {
    await expect(expand(text)).rejects.toThrow(message);
  });

  test("a misspelled option is refused", async () => {
    await expect(expand("", { workspace: "/work" } as VariableOptions)).rejects.toThrow(
      'did you mean "workspaceFolder"?',
    );
  });
});

describe("a server of a host's file", () => {
  test("is read, filled in and connected to", async () => {
    const folder = createTemporaryFolder();
    const program = new URL("../../stdio/fixtures/mortal-server.mjs", import.meta.url).pathname;
    writeFileSync(join(folder, ".env"), "# secrets\nexport A=\"1 2\"\nB='3' # comment\nC=4 # comment\n");
    writeFileSync(
      join(folder, "mcp.json"),
      JSON.stringify({
        servers: {
          s: {
            type: "stdio",
            command: process.execPath,
            args: ["${workspaceFolder}/x", program],
            env: { B: "own" },
            envFile: "${workspaceFolder}/.env",
          },
        },
      }),
    );
    const config = await readHostConfig(join(folder, "mcp.json"));
    const server = config.servers.get("s");
    if (server === undefined) throw new Error("There is no server.");
    const resolved = await resolveServer(server, config.inputs, { env: {}, workspaceFolder: folder });
    expect(resolved).toEqual({
      command: process.execPath,
      args: [`${folder}/x`, program],
      env: { A: "1 2", B: "own", C: "4" },
    });
  });

  test("a file that is missing is refused with its path", async () => {
    await expect(readHostConfig("/no/such/mcp.json")).rejects.toThrow("There is no file /no/such/mcp.json.");
  });

  test("a url must be one", async () => {
    const server = { name: "a", entry: { url: "${HOST}/mcp", headers: {} } };
    await expect(resolveServer(server, new Map(), { env: { HOST: "example" } })).rejects.toThrow("not a URL");
    const fine = await resolveServer(server, new Map(), { env: { HOST: "https://example.com" } });
    expect(fine).toEqual({ url: "https://example.com/mcp", headers: {} });
  });

  test.each([
    ["as an object", (secret: string) => ({ headers: { "x-key": "old", "x-other": secret } })],
    ["from a function", (secret: string) => ({ headers: () => ({ "x-key": "old", "x-other": secret }) })],
  ])("connect takes { url, headers }, beside headers %s", async (_what, toOptions) => {
    const server = createServer({ name: "s", version: "1.0.0" });
    const running = await serveHttp(server, { port: 0 });
    const seen: Headers[] = [];
    const recording: typeof fetch = (input, init) => {
      seen.push(new Headers(init?.headers));
      return fetch(input, init);
    };
    const target = { type: "http", url: running.url, headers: { "x-key": "new" } };
    const client = await connect(target, { ...toOptions("both"), fetch: recording });
    expect(client.server.info?.name).toBe("s");
    await client.close();
    await running.close();
    expect(seen.map((headers) => headers.get("x-key"))).toEqual(seen.map(() => "new"));
    expect(seen[0]?.get("x-other")).toBe("both");
  });

  test("connect takes { type, command, args, env }", async () => {
    const program = new URL("../../stdio/fixtures/mortal-server.mjs", import.meta.url).pathname;
    const args = [program, "2025-06-18"];
    const client = await connect({ type: "stdio", command: process.execPath, args, env: { A: "1" } });
    expect(client.server.revision).toBe("2025-06-18");
    await client.close();
  });

  test("connect refuses a url without a scheme that it knows", async () => {
    await expect(connect({ url: "file:///etc/passwd" })).rejects.toThrow("must begin with http://");
    await expect(connect({ url: "localhost:3000" })).rejects.toThrow("must begin with http://");
  });
});
