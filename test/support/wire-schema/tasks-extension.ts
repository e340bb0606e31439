import type { Definition } from "./spec-schemas.ts";

const text = { type: "string" };
const task = {
  taskId: text,
  statusMessage: text,
  createdAt: text,
  lastUpdatedAt: text,
  ttlMs: { type: ["integer", "null"] },
  pollIntervalMs: { type: "integer" },
};
const required = ["taskId", "status", "createdAt", "lastUpdatedAt", "ttlMs"];
const _meta = { type: "object" };

/** The members that belong to one status only. */
const byStatus = {
  working: {},
  input_required: { inputRequests: { $ref: "#/$defs/InputRequests" } },
  completed: { result: { type: "object" } },
  failed: { error: { $ref: "#/$defs/Error" } },
  cancelled: {},
};

/** A task of any status, together with `others`. */
function detailedTask(others: { readonly [name: string]: Definition }): Definition {
  const anyOf = Object.entries(byStatus).map(([status, own]) => ({
    type: "object",
    properties: { ...task, ...own, ...others, _meta, status: { const: status } },
    required: [...required, ...Object.keys(own), ...Object.keys(others)],
    additionalProperties: false,
  }));
  return { anyOf };
}

function request(method: string, own: { readonly [name: string]: Definition } = {}): Definition {
  const params = { taskId: text, ...own };
  const properties = {
    jsonrpc: { const: "2.0" },
    id: { $ref: "#/$defs/RequestId" },
    method: { const: method },
    params: {
      type: "object",
      properties: { ...params, _meta: { $ref: "#/$defs/RequestMetaObject" } },
      required: [...Object.keys(params), "_meta"],
      additionalProperties: false,
    },
  };
  return {
    type: "object",
    properties,
    required: ["jsonrpc", "id", "method", "params"],
    additionalProperties: false,
  };
}

const complete = { resultType: { const: "complete" } };
const acknowledgement: Definition = {
  type: "object",
  properties: { ...complete, _meta },
  required: ["resultType"],
  additionalProperties: false,
};

/**
 * The definitions of the tasks extension (SEP-2663), which the official suite lacks.
 *
 * They are as the extension describes its messages, with no members but those that it names.
 */
export const tasksExtension: { readonly [name: string]: Definition } = {
  CreateTaskResult: {
    type: "object",
    properties: { ...task, _meta, status: { enum: Object.keys(byStatus) }, resultType: { const: "task" } },
    required: [...required, "resultType"],
    additionalProperties: false,
  },
  GetTaskRequest: request("tasks/get"),
  GetTaskResult: detailedTask(complete),
  UpdateTaskRequest: request("tasks/update", { inputResponses: { $ref: "#/$defs/InputResponses" } }),
  UpdateTaskResult: acknowledgement,
  CancelTaskRequest: request("tasks/cancel"),
  CancelTaskResult: acknowledgement,
  TaskStatusNotification: {
    type: "object",
    properties: {
      jsonrpc: { const: "2.0" },
      method: { const: "notifications/tasks" },
      params: detailedTask({}),
    },
    required: ["jsonrpc", "method", "params"],
    additionalProperties: false,
  },
};
