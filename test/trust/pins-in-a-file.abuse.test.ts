// Tools and text that attack: poisoning, shadowing and rug pulls.

import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pinTools } from "allspeak/client";
import { fileTrustStore } from "allspeak/node";
import { describe, expect, it, onTestFinished } from "vitest";
import { names, open, serverWith } from "./calculator.ts";

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

  it.each(['["pins","calculator"]', '["tool names"]'])(
    "with a malformed record %s trusts no tool, and says which record it is",
    async (record) => {
      const path = temporaryPath();
      const malformed = [
        ...["x", null, 1, [], {}, { tools: {}, names: {} }, { tools: ["add"], names: ["add"] }],
        { tools: [["add"]], names: [["add"]] },
        { tools: [["add", { sha256: 1 }]], names: [["add", [{ serverId: "calculator" }]]] },
        { tools: [[1, { sha256: "" }]], names: [["add", {}]] },
      ];
      await names((await open(serverWith("add"), { pin: pinTools({ store: fileTrustStore(path) }) })).client);
      const good = JSON.parse(readFileSync(path, "utf8"));
      for (const value of malformed) {
        const text = JSON.stringify({ ...good, [record]: value });
        writeFileSync(path, text);
        const changed = serverWith("add", { description: "evil" });
        const { client } = await open(changed, { pin: pinTools({ store: fileTrustStore(path) }) });
        const failure = { code: "usage", message: expect.stringContaining(record) };
        await expect(names(client)).rejects.toMatchObject(failure);
        await expect(client.tools.call("add")).rejects.toMatchObject(failure);
        expect(readFileSync(path, "utf8")).toBe(text);
      }
    },
  );

  it("makes the folder of the file, for this user only", async () => {
    const folder = join(dirname(temporaryPath()), "a", "b");
    const store = fileTrustStore(join(folder, "trust.json"));
    expect(await store.get("key")).toBeUndefined();
    await store.update("key", () => ({ value: 1 }));
    expect(await store.get("key")).toEqual({ value: 1 });
    expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it("in a folder that can't be made is an error that names the file", async () => {
    const notAFolder = temporaryPath();
    writeFileSync(notAFolder, "");
    const path = join(notAFolder, "trust.json");
    const failure = { code: "usage", message: expect.stringContaining(path) };
    await expect(fileTrustStore(path).update("key", () => ({}))).rejects.toMatchObject(failure);
    await expect(fileTrustStore(path).get("key")).rejects.toMatchObject(failure);
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
