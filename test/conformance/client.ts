// The client that the official conformance suite starts: one handler for each scenario.
//
//   node build/test/conformance/client.js <url of the server>
//
// The suite names the scenario in MCP_CONFORMANCE_SCENARIO and what it needs to know in
// MCP_CONFORMANCE_CONTEXT. A scenario that nobody wrote a handler for fails.
import { type Client, type ConnectOptions, connect } from "allspeak/client";

interface Context {
  readonly toolCalls?: readonly { readonly name: string; readonly arguments?: Record<string, unknown> }[];
}

interface Scenario {
  readonly options?: ConnectOptions;
  run(client: Client, context: Context): Promise<unknown>;
}

const listTools = (client: Client) => client.tools.list().all();

const scenarios: { readonly [name: string]: Scenario } = {
  // Its server declares nothing, so that nothing can be asked of it.
  initialize: { run: async () => {} },

  tools_call: {
    async run(client) {
      await listTools(client);
      await client.tools.call("add_numbers", { a: 5, b: 3 });
    },
  },

  "elicitation-sep1034-client-defaults": {
    options: { elicit: () => ({ action: "accept", content: {} }) },
    async run(client) {
      await listTools(client);
      await client.tools.call("test_client_elicitation_defaults");
    },
  },

  "sse-retry": {
    async run(client) {
      await listTools(client);
      await client.tools.call("test_reconnection");
    },
  },

  "request-metadata": {
    options: {
      elicit: () => ({ action: "cancel" }),
      sample: () => ({ role: "assistant", content: { type: "text", text: "" }, model: "none" }),
      roots: [],
    },
    run: (client) => client.ping(),
  },

  "sep-2322-client-request-state": {
    options: { elicit: () => ({ action: "accept", content: { confirmed: true } }) },
    async run(client) {
      await listTools(client);
      for (const state of ["echo_state", "no_state", "unrelated", "no_result_type"])
        await client.tools.call(`test_mrtr_${state}`);
    },
  },

  "http-standard-headers": {
    async run(client) {
      const [tool] = await listTools(client);
      if (tool) await client.tools.call(tool.name);
      const [resource] = await client.resources.list().all();
      if (resource) await client.resources.read(resource.uri);
      const [prompt] = await client.prompts.list().all();
      if (prompt) await client.prompts.get(prompt.name);
    },
  },

  "http-custom-headers": {
    async run(client, { toolCalls = [] }) {
      await listTools(client);
      for (const call of toolCalls) await client.tools.call(call.name, call.arguments);
    },
  },

  "http-invalid-tool-headers": {
    async run(client) {
      for (const { name } of await listTools(client)) await client.tools.call(name, { region: "us-west1" });
    },
  },

  "json-schema-ref-no-deref": { run: listTools },

  "json-schema-2020-12-preservation": {
    async run(client) {
      const tools = await listTools(client);
      const schema = tools.find(({ name }) => name === "json_schema_2020_12_tool")?.inputSchema;
      await client.tools.call("json_schema_echo", { schema });
    },
  },
};

const name = process.env.MCP_CONFORMANCE_SCENARIO ?? "";
const url = process.argv.at(-1);
const scenario = Object.hasOwn(scenarios, name) ? scenarios[name] : undefined;
if (scenario === undefined || url === undefined) {
  console.error(`No client for the scenario ${JSON.stringify(name)}.`);
  process.exit(1);
}
const client = await connect(url, {
  info: { name: "allspeak-conformance", version: "1" },
  ...scenario.options,
});
await scenario.run(client, JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}") as Context);
await client.close();
