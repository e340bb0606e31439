// Books tables over HTTP, as clients of two revisions. One is asked while the call runs, the other between rounds:
//   node scripts/run.js examples/booking/main.ts
import assert from "node:assert/strict";
import { type ConnectOptions, connect } from "allspeak/client";
import { serveHttp } from "allspeak/node";
import { reservations } from "./restaurant.ts";
import { server } from "./server.ts";

const running = await serveHttp(server);

/** A user who answers by the names of the fields; no answer is a no. */
function answerWith(answers: Readonly<Record<string, string | number | boolean>>): ConnectOptions["elicit"] {
  return (ask) => {
    const [field = ""] = ask.mode === "url" ? [] : Object.keys(ask.requestedSchema.properties as object);
    const answer = answers[field];
    console.log(`  the server asks: ${ask.message}  the user answers: ${answer ?? "no"}`);
    if (answer === undefined) return { action: "decline" };
    return { action: "accept", content: { [field]: answer } };
  };
}

async function book(options: ConnectOptions, day: string): Promise<string> {
  const client = await connect(running.url, options);
  console.log(`${client.server.revision}: book-table on ${day}`);
  const { content } = await client.tools.call("book-table", { day });
  await client.close();
  const [answer] = content;
  const text = answer?.type === "text" ? answer.text : "";
  console.log(`  ${text}`);
  return text;
}

const pair = answerWith({ guests: 2, time: "20:00", confirm: true });
const revisions = (name: "2025-11-25" | "2026-07-28") => ({ revisions: [name] });
assert.equal(
  await book({ ...revisions("2025-11-25"), elicit: pair }, "friday"),
  "Booked: table 1, friday at 20:00, for 2.",
);
assert.equal(
  await book({ ...revisions("2026-07-28"), elicit: pair }, "saturday"),
  "Booked: table 1, saturday at 20:00, for 2.",
);
// The handler ran four times in the second call, and `once` reserved one table.
assert.equal(reservations.length, 2);

const hesitant = answerWith({ guests: 2, time: "18:00" });
assert.equal(
  await book({ ...revisions("2026-07-28"), elicit: hesitant }, "friday"),
  "Not booked: the user said no.",
);
const crowd = answerWith({ guests: 6 });
assert.equal(
  await book({ ...revisions("2026-07-28"), elicit: crowd }, "friday"),
  "There is no table for 6 on friday.",
);
assert.equal(reservations.length, 2);
await running.close();
console.log("All as expected.");
