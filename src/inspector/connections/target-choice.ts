import { isObject } from "../../lib/json.ts";
import { findOptionProblem, type OptionKinds } from "../../lib/option-check.ts";
import type { ConnectChoice, TargetChoice } from "../messages/connection.ts";
import { InspectorError } from "../session/failure.ts";

type Kind = TargetChoice["kind"];
type Choice<Name extends Kind> = Extract<TargetChoice, { readonly kind: Name }>;

const targetKinds: { readonly [Name in Kind]: OptionKinds<Choice<Name>> } = {
  url: { kind: "string", url: "string", headers: "object" },
  command: { kind: "string", command: "string", args: "strings", env: "object", cwd: "string" },
  module: { kind: "string", path: "string", exportName: "string" },
  configured: { kind: "string", file: "string", name: "string" },
  offered: { kind: "string", name: "string" },
  recording: { kind: "string", recording: "string" },
};

/** The member without which a target means nothing. */
const needed: { readonly [Name in Kind]: string } = {
  url: "url",
  command: "command",
  module: "path",
  configured: "name",
  offered: "name",
  recording: "recording",
};

const connectKinds: OptionKinds<ConnectChoice> = {
  label: "string",
  revisions: "strings",
  transport: ["streamable-http", "http-sse-2024", "websocket"],
  without: "strings",
  roots: "array",
  oauth: { clientId: "string", clientSecret: "string", scope: "string" },
  idleMs: "positive",
};

export function assertTargetChoice(target: TargetChoice): void {
  const kind: unknown = isObject(target) ? target.kind : undefined;
  const isKnown = typeof kind === "string" && Object.hasOwn(targetKinds, kind);
  if (!isKnown) {
    throw new InspectorError("invalid-request", `A target is one of ${Object.keys(targetKinds).join(", ")}.`);
  }
  const problem = findOptionProblem(`A target of the kind ${kind}`, target, targetKinds[kind as Kind]);
  if (problem !== undefined) throw new InspectorError("invalid-request", problem);
  const member = needed[kind as Kind];
  if (!Object.hasOwn(target, member))
    throw new InspectorError("invalid-request", `A target of the kind ${kind} needs "${member}".`);
  for (const members of [Reflect.get(target, "env"), Reflect.get(target, "headers")]) assertStrings(members);
}

export function assertConnectChoice(options: ConnectChoice | undefined): void {
  const problem = options && findOptionProblem("connect", options, connectKinds);
  if (problem !== undefined) throw new InspectorError("invalid-request", problem);
}

function assertStrings(members: unknown): void {
  if (isObject(members) && Object.values(members).some((value) => typeof value !== "string"))
    throw new InspectorError("invalid-request", "The values of headers and variables must be strings.");
}
