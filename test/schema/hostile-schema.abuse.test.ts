import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { SchemaRefusedError } from "../../src/schema/error.ts";
import type { JsonSchema } from "../../src/schema/json-schema.ts";
import { compilePeerValidator } from "../../src/schema/validator/peer-validator.ts";

it("hostile schemas never fetch anything", async () => {
  let requests = 0;
  const server = createServer((_, response) => {
    requests++;
    response.end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/schema.json`;
  const schemas: JsonSchema[] = [
    { $ref: url },
    { $schema: url },
    { $id: url, properties: { a: { $ref: "other.json" } } },
    { $dynamicRef: `${url}#x` },
    { properties: { a: { items: { $ref: `${url}#/a` } } } },
  ];
  for (const schema of schemas) {
    await expect(compilePeerValidator(schema)).rejects.toBeInstanceOf(SchemaRefusedError);
  }
  // A request of our own is the last in the queue, so an earlier one would have been counted.
  await (await fetch(url)).text();
  await new Promise((resolve) => server.close(resolve));
  expect(requests).toBe(1);
});
