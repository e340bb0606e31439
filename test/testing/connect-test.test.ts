import { accept, connectTest, createTestClock } from "allspeak/testing";
import { describe, expect, test } from "vitest";
import { failure } from "../support/open-client.ts";
import { restaurant } from "./restaurant.ts";

test.each([
  [{ revison: "2025-11-25" }, 'connectTest has no option "revison"; did you mean "revision"?'],
  [
    { answers: { elicit: () => accept() } },
    'connectTest: the option "answers.elicit" must be an object or an array, not a function.',
  ],
  [{ answers: { elict: [] } }, 'connectTest has no option "answers.elict"; did you mean "elicit"?'],
])("connectTest refuses options that would have no effect: %j", async (options, message) => {
  const error = await failure(connectTest(restaurant, options as object));
  expect(error).toMatchObject({ code: "usage", message });
});

describe.each(["2025-11-25", "2026-07-28"] as const)("a client of a test in %s", (revision) => {
  test("speaks the revision that is asked for, as the principal that is given", async () => {
    const principal = { issuer: "https://issuer.example", subject: "ann" };
    await using client = await connectTest(restaurant, { revision, principal });
    expect(client.server.revision).toBe(revision);
    expect(await client.tools.call("whoami")).toMatchObject({ content: [{ text: "ann" }] });
  });

  test("answers questions in their order", async () => {
    await using client = await connectTest(restaurant, {
      revision,
      answers: { elicit: [accept({ confirm: true }), "decline", () => ({ action: "cancel" })] },
    });
    const texts: unknown[] = [];
    for (let call = 0; call < 3; call++) texts.push(await client.tools.call("book", { seats: 2 }));
    expect(texts).toMatchObject(
      ["booked", "not booked: decline", "not booked: cancel"].map((text) => ({ content: [{ text }] })),
    );
  });

  test("answers questions by their text, whichever comes first", async () => {
    await using client = await connectTest(restaurant, {
      revision,
      answers: { elicit: { "Book 1 seats?": "decline", "Book 9 seats?": accept({ confirm: true }) } },
    });
    const [nine, one] = await Promise.all([
      client.tools.call("book", { seats: 9 }),
      client.tools.call("book", { seats: 1 }),
    ]);
    expect(nine).toMatchObject({ content: [{ text: "booked" }] });
    expect(one).toMatchObject({ content: [{ text: "not booked: decline" }] });
  });

  test("answers for a model and with its roots", async () => {
    await using client = await connectTest(restaurant, {
      revision,
      answers: { sample: { "Praise the soup": "What a soup!" }, roots: ["file:///kitchen"] },
    });
    expect(await client.tools.call("review")).toMatchObject({ content: [{ text: "What a soup!" }] });
    expect(await client.tools.call("places")).toMatchObject({ content: [{ text: "file:///kitchen" }] });
  });

  test("fails the call whose question has no answer, and says which question", async () => {
    await using client = await connectTest(restaurant, {
      revision,
      answers: { elicit: { "Book 2 seats?": "decline" } },
      onProblem: () => {},
    });
    const error = await failure(client.tools.call("book", { seats: 3 }));
    expect(error.message).toContain(
      'The server asked "Book 3 seats?", and answers.elicit has no answer left for it; there are answers to "Book 2 seats?".',
    );
  });

  test("fails at its end when an answer was never asked for, and is closed all the same", async () => {
    const client = await connectTest(restaurant, {
      revision,
      answers: { elicit: ["decline", accept({ confirm: true })], roots: ["file:///kitchen"] },
    });
    await client.tools.call("book", { seats: 2 });
    expect((await failure(client.close())).message).toBe(
      'The server never asked for 2 of the scripted answers:\n  elicit: {"action":"accept","content":{"confirm":true}}\n  roots: ["file:///kitchen"]',
    );
    await client.closed;
  });

  test("can be asked only what is scripted", async () => {
    await using client = await connectTest(restaurant, { revision, answers: { elicit: [] } });
    const outcome = await client.tools.call("review").catch((error: Error) => error.message);
    expect(JSON.stringify(outcome)).toContain("sampling");
  });
});

test("a question that no answers are given for names the answers", async () => {
  await using client = await connectTest(restaurant);
  const { message } = await failure(client.tools.call("review"));
  expect(message).toMatch(/needs the capability "sampling".*Give connectTest answers\.sample\.$/);
});

test("two ways to say the same are refused", async () => {
  expect(
    await failure(connectTest(restaurant, { answers: { roots: ["file:///a"] }, roots: ["file:///b"] })),
  ).toMatchObject({ code: "usage" });
  expect(
    await failure(connectTest(restaurant, { revision: "2025-11-25", revisions: ["2025-11-25"] })),
  ).toMatchObject({ code: "usage" });
});

describe("a clock that the test moves", () => {
  const noon = new Date("2030-01-01T12:00:00.000Z");

  test("lets timers and dates of a handler follow it, and no time passes", async () => {
    const startedAt = performance.now();
    const clock = createTestClock(noon);
    await using client = await connectTest(restaurant, { clock, timeout: { idle: 1_000_000 } });
    const cooked = client.tools.call("cook", { minutes: 9 });
    await clock.advance(540_000 - 1);
    await clock.advance(1);
    expect(await cooked).toMatchObject({ content: [{ text: "ready at 2030-01-01T12:09:00.000Z" }] });
    expect(clock.now - noon.getTime()).toBe(540_000);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(540_000);
  });

  test("lets deadlines of calls expire", async () => {
    const clock = createTestClock(noon);
    await using client = await connectTest(restaurant, { clock });
    const cooked = failure(client.tools.call("cook", { minutes: 10 }));
    await clock.advance(60_000);
    expect(await cooked).toMatchObject({ code: "timeout", limit: "idle", ms: 60_000 });
  });

  test("ends with the client", async () => {
    const clock = createTestClock(noon);
    const { setTimeout: before } = globalThis;
    const client = await connectTest(restaurant, { clock });
    expect(new Date()).toEqual(noon);
    expect(globalThis.setTimeout).not.toBe(before);
    expect(await failure(connectTest(restaurant, { clock: createTestClock() }))).toMatchObject({
      code: "usage",
    });
    await client.close();
    expect(globalThis.setTimeout).toBe(before);
    expect(Math.abs(Date.now() - noon.getTime())).toBeGreaterThan(1_000_000);
    expect(await failure(clock.advance(1))).toMatchObject({ code: "usage" });
  });
});
