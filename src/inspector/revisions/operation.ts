import type { Client } from "allspeak/client";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { findOptionProblem, type OptionKind } from "../../lib/option-check.ts";
import type { Operation } from "../messages/revisions.ts";
import { InspectorError } from "../session/failure.ts";

const kinds: { readonly [Kind in Operation["kind"]]: Readonly<Record<string, OptionKind>> } = {
  "call-tool": { kind: "string", name: "string", arguments: "object" },
  "read-resource": { kind: "string", uri: "string" },
  "get-prompt": { kind: "string", name: "string", arguments: "object" },
  "list-tools": { kind: "string" },
  "list-resources": { kind: "string" },
  "list-prompts": { kind: "string" },
  ping: { kind: "string" },
};

export function assertOperation(operation: Operation): void {
  const kind: unknown = isObject(operation) ? operation.kind : undefined;
  if (typeof kind !== "string" || !Object.hasOwn(kinds, kind))
    throw new InspectorError("invalid-request", `An operation is one of ${Object.keys(kinds).join(", ")}.`);
  const problem = findOptionProblem(`The operation ${kind}`, operation, kinds[kind as Operation["kind"]]);
  if (problem !== undefined) throw new InspectorError("invalid-request", problem);
}

/** Does one thing; resolves with the result as it was on the wire. */
export async function runOperation(
  client: Client,
  operation: Operation,
  signal: AbortSignal,
): Promise<JsonObject> {
  switch (operation.kind) {
    case "call-tool":
      return client.request(
        "tools/call",
        { name: operation.name, arguments: operation.arguments },
        { signal },
      );
    case "read-resource":
      return client.request("resources/read", { uri: operation.uri }, { signal });
    case "get-prompt":
      return client.request(
        "prompts/get",
        { name: operation.name, arguments: operation.arguments ?? {} },
        { signal },
      );
    case "list-tools":
      return client.request("tools/list", {}, { signal });
    case "list-resources":
      return client.request("resources/list", {}, { signal });
    case "list-prompts":
      return client.request("prompts/list", {}, { signal });
    case "ping":
      await client.ping({ signal });
      return {};
  }
}
