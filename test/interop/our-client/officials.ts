import type { Official } from "./talk.ts";

export const officialV1: Official = {
  dialect: "http://json-schema.org/draft-07/schema#",
  addedToTools: { execution: { taskSupport: "forbidden" } },
  // It has a tool that is not there fail, where the specification wants an error of the protocol.
  unknownTool: { as: "result", text: "MCP error -32602: Tool no-such-tool not found" },
  missingResourceData: undefined,
  cannotAsk: (mode) => `Client does not support ${mode} elicitation.`,
};

export const officialV2: Official = {
  dialect: "https://json-schema.org/draft/2020-12/schema",
  addedToTools: {},
  unknownTool: { as: "error", text: "Tool no-such-tool not found" },
  missingResourceData: { uri: "fixture://nothing" },
  cannotAsk: () =>
    "Cannot request input 'answer' (elicitation/create): the client on this 2025-era connection did not declare the required capability",
};
