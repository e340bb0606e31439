// The client that the official conformance suite starts: one handler for each scenario.
//
//   node build/test/conformance/client.js <url of the server>
//
// The suite names the scenario in MCP_CONFORMANCE_SCENARIO and what it needs to know in
// MCP_CONFORMANCE_CONTEXT. A scenario that nobody wrote a handler for fails.
import {
  clientCredentials,
  enterpriseManaged,
  type OAuthOptions,
  oauth,
  workloadIdentity,
} from "allspeak/auth";
import { type Client, type ConnectOptions, connect } from "allspeak/client";

interface Context {
  readonly client_id?: string;
  readonly client_secret?: string;
  readonly issuer?: string;
  readonly private_key_pem?: string;
  readonly signing_algorithm?: string;
  readonly idp_client_id?: string;
  readonly idp_id_token?: string;
  readonly idp_issuer?: string;
  readonly idp_token_endpoint?: string;
  readonly valid_jwt?: string;
  readonly toolCalls?: readonly { readonly name: string; readonly arguments?: Record<string, unknown> }[];
}

interface Scenario {
  readonly options?: ConnectOptions;
  /** How the client gets in, where the server asks. */
  readonly auth?: (context: Context) => OAuthOptions;
  run(client: Client, context: Context): Promise<unknown>;
}

const listTools = (client: Client) => client.tools.list().all();

/** A user without a browser: goes where they are sent, and reads off where they would be sent next. */
const login: OAuthOptions = {
  redirectUri: "http://localhost:3000/callback",
  async authorize(url, signal) {
    const response = await fetch(url, { redirect: "manual", signal });
    return response.headers.get("location") ?? "";
  },
  clientMetadataUrl: "https://conformance-test.local/client-metadata.json",
  description: { name: "allspeak-conformance" },
};

async function useTestTool(client: Client) {
  await listTools(client);
  await client.tools.call("test-tool");
}

const anyAuth: Scenario = { auth: () => login, run: useTestTool };

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

const known = ({ client_id: id = "", client_secret: secret, issuer }: Context) => ({ id, secret, issuer });

const authScenarios: { readonly [name: string]: NonNullable<Scenario["auth"]> } = {
  "auth/pre-registration": (context) => ({ ...login, client: known(context) }),
  "auth/client-credentials-basic": (context) => ({ grant: clientCredentials(), client: known(context) }),
  "auth/client-credentials-jwt": (context) => ({
    grant: clientCredentials(),
    client: {
      id: context.client_id ?? "",
      privateKey: context.private_key_pem,
      algorithm: context.signing_algorithm,
    },
  }),
  "auth/enterprise-managed-authorization": (context) => ({
    client: known(context),
    grant: enterpriseManaged({
      identityProvider: {
        issuer: context.idp_issuer ?? "",
        tokenEndpoint: context.idp_token_endpoint,
        client: { id: context.idp_client_id ?? "" },
      },
      idToken: () => context.idp_id_token ?? "",
    }),
  }),
  "auth/wif-jwt-bearer": (context) => ({
    client: known(context),
    grant: workloadIdentity({ assertion: () => context.valid_jwt ?? "" }),
  }),
};

const name = process.env.MCP_CONFORMANCE_SCENARIO ?? "";
const url = process.argv.at(-1);
const context = JSON.parse(process.env.MCP_CONFORMANCE_CONTEXT ?? "{}") as Context;
const scenario = Object.hasOwn(scenarios, name)
  ? scenarios[name]
  : name.startsWith("auth/")
    ? { ...anyAuth, ...(Object.hasOwn(authScenarios, name) && { auth: authScenarios[name] }) }
    : undefined;
if (scenario === undefined || url === undefined) {
  console.error(`No client for the scenario ${JSON.stringify(name)}.`);
  process.exit(1);
}
const client = await connect(url, {
  info: { name: "allspeak-conformance", version: "1" },
  ...scenario.options,
  ...(scenario.auth && { auth: oauth(scenario.auth(context)) }),
});
await scenario.run(client, context);
await client.close();
