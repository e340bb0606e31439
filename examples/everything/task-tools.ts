import { setTimeout as sleep } from "node:timers/promises";
import { RpcError, ToolError, tool, WireCode } from "allspeak";
import { z } from "zod";

const greet = tool(
  "greet",
  { description: "Answers at once, whoever asks", input: { name: z.string() } },
  ({ name }) => `Hello, ${name}!`,
);

const slowCompute = tool(
  "slow_compute",
  {
    description: "Takes its time: a task where the client knows tasks, else a call that waits",
    input: { seconds: z.number().min(0).max(3600), label: z.string().default("work") },
    task: "optional",
    pollIntervalMs: 200,
  },
  async ({ seconds, label }, ctx) => {
    await ctx.task?.status(`Computing ${label}`);
    await sleep(seconds * 1000, undefined, { signal: ctx.signal });
    return `Computed ${label} in ${seconds} s.`;
  },
);

const failingJob = tool(
  "failing_job",
  { description: "A task whose tool fails", task: "required", pollIntervalMs: 200 },
  () => {
    throw new ToolError("This job always fails.");
  },
);

const protocolErrorJob = tool(
  "protocol_error_job",
  { description: "A task that ends in an error of the protocol", task: "optional", pollIntervalMs: 200 },
  () => {
    throw new RpcError(WireCode.internal, "This job always breaks.");
  },
);

const person = z.object({ name: z.string() });
const confirmation = z.object({ confirm: z.boolean() });

const confirmDelete = tool(
  "confirm_delete",
  {
    description: "A task that asks the user in its middle",
    input: { filename: z.string() },
    task: "optional",
    pollIntervalMs: 200,
  },
  async ({ filename }, ctx) => {
    const answer = await ctx.elicit("confirm", `Delete ${filename}?`, confirmation);
    if (answer.action !== "accept" || !answer.content.confirm) return `Kept ${filename}.`;
    await ctx.once("delete", () => sleep(10));
    return `Deleted ${filename}.`;
  },
);

const multiInput = tool(
  "multi_input",
  { description: "A task that asks two things at once", task: "optional", pollIntervalMs: 200 },
  async (_, ctx) => {
    const [you, friend] = await Promise.all([
      ctx.elicit("you", "What is your name?", person),
      ctx.elicit("friend", "What is your friend's name?", person),
    ]);
    return `${you.content?.name ?? "Nobody"} likes ${friend.content?.name ?? "nobody"}.`;
  },
);

/** The one that the conformance suite calls. */
export const toolWithTask = tool(
  "test_tool_with_task",
  {
    description: "Asks while the caller waits, and becomes a task then",
    task: "optional",
    detaches: true,
    pollIntervalMs: 200,
  },
  async (_, ctx) => {
    const answer = await ctx.elicit("user_name", "What is your name?", person);
    await ctx.detach();
    await sleep(50, undefined, { signal: ctx.signal });
    return `Done for ${answer.content?.name ?? "nobody"}.`;
  },
);

/** Tools that may run as tasks. */
export const taskTools = [greet, slowCompute, failingJob, protocolErrorJob, confirmDelete, multiInput];
