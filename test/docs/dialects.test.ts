import { readFile } from "node:fs/promises";
import { createServer } from "allspeak";
import { expect, it } from "vitest";

const dialects = {
  "2020-12": "https://json-schema.org/draft/2020-12/schema",
  "2019-09": "https://json-schema.org/draft/2019-09/schema",
  "draft 7": "http://json-schema.org/draft-07/schema#",
  "draft 6": "http://json-schema.org/draft-06/schema#",
  "draft 4": "http://json-schema.org/draft-04/schema#",
  "draft 3": "http://json-schema.org/draft-03/schema#",
};

it("docs/revisions.md names the dialects of JSON Schema that can be registered, and no others", async () => {
  const page = await readFile(new URL("../../docs/revisions.md", import.meta.url), "utf8");
  const [, named = ""] = /The dialects (.*) are supported/.exec(page) ?? [];
  const isAccepted = ($schema: string) => {
    try {
      createServer({ name: "s", version: "1" }).tool("t", { input: { $schema, type: "object" } }, () => "");
      return true;
    } catch {
      return false;
    }
  };
  const accepted = Object.entries(dialects).filter(([, uri]) => isAccepted(uri));
  expect(named.split(/, | and /)).toEqual(accepted.map(([name]) => name));
});
