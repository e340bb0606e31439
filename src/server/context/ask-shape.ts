import { UsageError } from "../../errors.ts";
import { isObject } from "../../lib/json.ts";
import { describeValue } from "../../lib/text/describe-value.ts";

/** Throws for arguments of `ctx.elicit` in another order or in one object, as other libraries take them. */
export function assertElicitation(message: unknown, asked: unknown): void {
  const problem = findProblem(message, asked);
  if (problem === undefined) return;
  throw new UsageError(
    `ctx.elicit takes ${problem}: ctx.elicit("Delete it?", schema), or with a name for the question first, ctx.elicit("confirm", "Delete it?", schema).`,
  );
}

function findProblem(message: unknown, asked: unknown): string | undefined {
  if (typeof message !== "string") return `a message and a schema, not ${describeValue(message)}`;
  // A schema may be a function, and the shape of a form may have a field of this name.
  if (isObject(asked) && typeof asked.message === "string")
    return "the message and the schema as arguments of their own, not in an object";
  const isSchema = isObject(asked) || (typeof asked === "function" && "~standard" in asked);
  return isSchema ? undefined : `a schema after the message, or { url }, not ${describeValue(asked)}`;
}

/** Throws for messages of `ctx.sample` that no client could read. */
export function assertMessages(messages: readonly unknown[]): void {
  for (const [index, message] of messages.entries()) {
    const at = `ctx.sample: messages[${index}]`;
    const example = '{ role: "user", content: { type: "text", text: "…" } }';
    if (!isObject(message)) throw new UsageError(`${at} must be ${example}, not ${describeValue(message)}.`);
    const { role, content } = message;
    if (role !== "user" && role !== "assistant")
      throw new UsageError(`${at}.role must be "user" or "assistant", not ${describeValue(role)}.`);
    const blocks: unknown[] = Array.isArray(content) ? content : [content];
    const wrong = blocks.findIndex((block) => !isObject(block) || typeof block.type !== "string");
    if (wrong >= 0)
      throw new UsageError(
        `${at}.content must be content such as { type: "text", text: "…" }, not ${describeValue(blocks[wrong])}.`,
      );
  }
}
