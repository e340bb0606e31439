// Two clients whose calls the compiler checks: one knows the server's code, the other only a file of types:
//   node scripts/run.js examples/typed-client/main.ts
import assert from "node:assert/strict";
import { connect } from "allspeak/client";
import { serveHttp } from "allspeak/node";
import { connectTyped } from "./generated.ts";
import { server } from "./server.ts";

const running = await serveHttp(server);

// The server may run anywhere: only its type is used here.
const near = await connect<typeof server>(running.url);
const hot = await near.tools.call("convert", { value: 100, to: "fahrenheit" });
const fahrenheit: number | undefined = hot.structuredContent?.value;
console.log(`100 °C are ${fahrenheit} °F.`);
assert.equal(fahrenheit, 212);

// @ts-expect-error There is no unit "kelvin". The server refuses it, too.
const refused = await near.tools.call("convert", { value: 0, to: "kelvin" });
assert.equal(refused.isError, true);

// Prompts and resources are checked likewise, also the variables of a URI template.
const { messages } = await near.prompts.get("explain", { unit: "celsius" });
assert.equal(messages.length, 1);
const { contents } = await near.resources.read("units://{unit}/zero", { variables: { unit: "fahrenheit" } });
assert.equal(contents[0]?.uri, "units://fahrenheit/zero");
// @ts-expect-error There is no resource "units://some". The server refuses it, too.
await assert.rejects(near.resources.read("units://some"));
await near.close();

// The types of a server that somebody else runs come from `allspeak types <url> --out generated.ts`.
const far = await connectTyped(running.url);
const cold = await far.tools.call("convert", { value: 32, to: "celsius" });
const celsius: number | undefined = cold.structuredContent?.value;
console.log(`32 °F are ${celsius} °C.`);
assert.equal(celsius, 0);
// @ts-expect-error The argument is called "unit". The server refuses it, too.
await assert.rejects(far.prompts.get("explain", { units: "celsius" }));
await far.resources.read("units://all");
await far.close();
await running.close();
console.log("All as expected.");
