import { createServer, prompt } from "allspeak";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { alone, openRaw, type Wire } from "../support/raw-client.ts";

const make = (options = {}) => createServer({ name: "s", version: "1", log: () => {}, ...options });

describe("prompts", () => {
  const review = prompt(
    "review",
    {
      description: "Review code",
      args: { code: z.string().describe("The code"), style: z.string().optional() },
      complete: {
        style: (value, ctx) =>
          ["short", "long", ctx.others.code ?? ""].filter((style) => style.startsWith(value)),
        code: () => Array.from({ length: 150 }, (_, index) => `c${index}`),
      },
    },
    ({ code }) => `Please review ${code}`,
  );

  it("list their arguments and give messages", async () => {
    const client = openRaw(make({ prompts: [review] }));
    expect(await client.result("prompts/list", alone())).toMatchObject({
      prompts: [
        {
          name: "review",
          arguments: [
            { name: "code", description: "The code", required: true },
            { name: "style", required: false },
          ],
        },
      ],
    });
    expect(
      await client.result("prompts/get", alone({ name: "review", arguments: { code: "x" } })),
    ).toMatchObject({
      description: "Review code",
      messages: [{ role: "user", content: { type: "text", text: "Please review x" } }],
    });
  });

  it("refuse what is missing, unknown or no string with -32602", async () => {
    const client = openRaw(make({ prompts: [review] }));
    for (const params of [{ name: "review" }, { name: "nope" }, { name: "review", arguments: { code: 5 } }]) {
      await expect(client.result("prompts/get", alone(params))).rejects.toMatchObject({ code: -32602 });
    }
  });

  const complete = (argument: Wire, context?: Wire) =>
    openRaw(make({ prompts: [review] })).result(
      "completion/complete",
      alone({ ref: { type: "ref/prompt", name: "review" }, argument, ...(context && { context }) }),
    );

  it("complete arguments, knowing the others", async () => {
    expect(await complete({ name: "style", value: "s" }, { arguments: { code: "swift" } })).toMatchObject({
      completion: { values: ["short", "swift"], total: 2, hasMore: false },
    });
  });

  it("send at most a hundred suggestions, and say that there are more", async () => {
    const { completion } = (await complete({ name: "code", value: "" })) as {
      completion: { values: string[] };
    };
    expect(completion).toMatchObject({ total: 150, hasMore: true });
    expect(completion.values).toHaveLength(100);
  });

  it("have no suggestions for arguments that nobody completes, and refuse unknown prompts", async () => {
    expect(await complete({ name: "toString", value: "" })).toMatchObject({ completion: { values: [] } });
    const client = openRaw(make({ prompts: [review] }));
    const unknown = alone({ ref: { type: "ref/prompt", name: "nope" }, argument: { name: "a", value: "" } });
    await expect(client.result("completion/complete", unknown)).rejects.toMatchObject({ code: -32602 });
  });
});
