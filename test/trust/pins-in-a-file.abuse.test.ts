// Tools and text that attack: poisoning, shadowing and rug pulls.

import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer, type Server, tool } from "allspeak";
import { type Client, type ConnectOptions, connect, pinTools } from "allspeak/client";
import { fileTrustStore } from "allspeak/node";
import { describe, expect, it, onTestFinished } from "vitest";

interface Definition {
  readonly description?: string;
  readonly schema?: { readonly [keyword: string]: unknown };
  readonly readOnly?: boolean;
}

const asBefore: Definition = { description: "Adds two numbers.", readOnly: true };

function serverWith(
  name: string,
  { description = "", schema, readOnly }: Definition = asBefore,
): Server<unknown> {
  const input = schema ?? { type: "object", properties: { a: { type: "number", description: "First" } } };
  const annotations = { readOnlyHint: readOnly ?? true };
  return createServer({
    name: "calculator",
    version: "1.0.0",
    tools: [tool(name, { description, input, annotations }, () => "done"), tool("other", {}, () => "other")],
  });
}

async function open(
  server: Server<unknown>,
  options: ConnectOptions,
): Promise<{ client: Client; problems: Error[] }> {
  const problems: Error[] = [];
  const client = await connect(server, {
    serverId: "calculator",
    onProblem: (problem) => problems.push(problem),
    ...options,
  });
  onTestFinished(() => client.close());
  return { client, problems };
}

async function names(client: Client): Promise<string[]> {
  return (await client.tools.list().all()).map(({ name }) => name);
}

describe("trust that is kept in a file", () => {
  function temporaryPath(): string {
    const folder = mkdtempSync(join(tmpdir(), "as-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    return join(folder, "trust.json");
  }

  it("outlives the process, for this user only", async () => {
    const path = temporaryPath();
    await names((await open(serverWith("add"), { pin: pinTools({ store: fileTrustStore(path) }) })).client);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const later = await open(serverWith("add", { description: "evil" }), {
      pin: pinTools({ store: fileTrustStore(path) }),
    });
    expect(await names(later.client)).toEqual(["other"]);
  });

  it("that can't be understood trusts nobody", async () => {
    const path = temporaryPath();
    for (const text of ["", "{", "[]", "null"]) {
      writeFileSync(path, text);
      const { client } = await open(serverWith("add"), { pin: pinTools({ store: fileTrustStore(path) }) });
      await expect(names(client)).rejects.toThrow(path);
      await expect(client.tools.call("add")).rejects.toThrow(path);
      expect(readFileSync(path, "utf8")).toBe(text);
    }
  });

  it("loses nothing when several write at once", async () => {
    const path = temporaryPath();
    const stores = [fileTrustStore(path), fileTrustStore(path), fileTrustStore(path)];
    await Promise.all(
      stores.flatMap((store, at) =>
        [0, 1, 2, 3].map(async (n) => store.update(`${at}-${n}`, () => ({ at, n }))),
      ),
    );
    expect(Object.keys(JSON.parse(readFileSync(path, "utf8")))).toHaveLength(12);
    expect(await fileTrustStore(path).get("2-3")).toEqual({ at: 2, n: 3 });
  });
});
