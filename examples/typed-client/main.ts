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
await near.close();

// The types of a server that somebody else runs come from `allspeak types <url> --out generated.ts`.
const far = await connectTyped(running.url);
const cold = await far.tools.call("convert", { value: 32, to: "celsius" });
const celsius: number | undefined = cold.structuredContent?.value;
console.log(`32 °F are ${celsius} °C.`);
assert.equal(celsius, 0);
await far.close();
await running.close();
console.log("All as expected.");
