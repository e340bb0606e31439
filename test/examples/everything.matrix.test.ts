import { fileURLToPath } from "node:url";
import type { ElicitRequest, ElicitResult, JsonObject, RevisionName } from "allspeak";
import type { Target } from "allspeak/client";
import { expect, it } from "vitest";
import { server } from "../../examples/everything/server.ts";
import { reachInProcess } from "../matrix/in-process.ts";
import { describeMatrix, type TransportName } from "../matrix/matrix.ts";
import { readText } from "../matrix/read-text.ts";
import { allowViolations } from "../support/wire-schema/wire-check.ts";

const main = fileURLToPath(new URL("../../build/examples/everything/main.js", import.meta.url));

const target = (transport: TransportName): Target | Promise<Target> =>
  transport === "stdio"
    ? { command: process.execPath, args: [main, "--stdio"] }
    : reachInProcess(server, transport);

/** A program is met over HTTP and stdio; the other transports carry servers of this process only. */
const where = (revision: RevisionName, transport: TransportName): boolean =>
  transport === "http" || (transport === "stdio" && ["2025-11-25", "2026-07-28"].includes(revision));

const image = { type: "image", data: expect.stringMatching(/^iVBOR/), mimeType: "image/png" };
const audio = { type: "audio", data: expect.stringMatching(/^UklGR/), mimeType: "audio/wav" };
const text = (words: string) => ({ type: "text", text: words });
const embedded = (uri: string, mimeType: string, words: string) => ({
  type: "resource",
  resource: { uri, mimeType, text: words },
});

describeMatrix(
  "the everything server",
  ({ open, since }) => {
    it("lists what a person calls first, describes every tool, and marks the parameter that is in a header", async () => {
      const { client } = await open();
      const tools = await client.tools.list().all();
      expect(tools[0]?.name).toBe("greet");
      expect(tools.find(({ name }) => name === "test_x_mcp_header")).toEqual({
        name: "test_x_mcp_header",
        description: expect.any(String),
        inputSchema: {
          type: "object",
          properties: {
            region: { type: "string", "x-mcp-header": "Region" },
            level: { type: "integer" },
          },
        },
      });
      expect(tools.filter(({ description }) => !description)).toEqual([]);
      expect(readText(await client.tools.call("test_x_mcp_header"))).toBe("region=");
      expect(readText(await client.tools.call("test_x_mcp_header", { region: "north" }))).toBe(
        "region=north",
      );
    });

    it("lists the schema of JSON Schema 2020-12 word for word", async () => {
      const { client } = await open();
      const tools = await client.tools.list().all();
      const tool = tools.find(({ name }) => name === "json_schema_2020_12_tool");
      expect(tool?.inputSchema).toEqual({
        $schema: "https://json-schema.org/draft/2020-12/schema",
        type: "object",
        $defs: {
          address: {
            $anchor: "addressDef",
            type: "object",
            properties: { street: { type: "string" }, city: { type: "string" } },
          },
        },
        properties: {
          name: { type: "string" },
          address: { $ref: "#/$defs/address" },
          contactMethod: { type: "string", enum: ["phone", "email"] },
          phone: { type: "string" },
          email: { type: "string" },
        },
        allOf: [{ anyOf: [{ required: ["phone"] }, { required: ["email"] }] }],
        if: { properties: { contactMethod: { const: "phone" } }, required: ["contactMethod"] },
        // biome-ignore lint/suspicious/noThenProperty: it is the name of a JSON Schema keyword.
        then: { required: ["phone"] },
        else: { required: ["email"] },
        additionalProperties: false,
      });
      const result = await client.tools.call("json_schema_2020_12_tool", { email: "a@example.com" });
      expect(result.isError).toBeFalsy();
    });

    it("answers with every kind of content", async () => {
      const { client } = await open();
      const contentOf = async (name: string) => (await client.tools.call(name)).content;
      expect(await contentOf("test_simple_text")).toEqual([
        text("This is a simple text response for testing."),
      ]);
      expect(await contentOf("test_image_content")).toEqual([image]);
      expect(await contentOf("test_audio_content")).toEqual([
        since<object>({ "2024-11-05": text("[audio: audio/wav]"), "2025-03-26": audio }),
      ]);
      expect(await contentOf("test_embedded_resource")).toEqual([
        embedded("test://embedded-resource", "text/plain", "This is an embedded resource content."),
      ]);
      expect(await contentOf("test_multiple_content_types")).toEqual([
        text("Multiple content types test:"),
        image,
        embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}'),
      ]);
    });

    it("fails where it says so", async () => {
      const { client } = await open();
      expect(await client.tools.call("test_error_handling")).toMatchObject({
        isError: true,
        content: [text("This tool intentionally returns an error for testing")],
      });
    });

    it("reports progress and logs while it works", async () => {
      const { client, wire } = await open();
      const seen: number[] = [];
      const onProgress = ({ progress }: { progress: number }) => seen.push(progress);
      await client.tools.call("test_tool_with_progress", {}, { onProgress });
      expect(seen).toEqual([0, 50, 100]);
      await client.tools.call("test_tool_with_logging");
      await client.tools.call("test_logging_tool");
      expect(wire.told("notifications/message").map(({ data }) => data)).toEqual(
        since<string[]>({
          "2024-11-05": [
            "Tool execution started",
            "Tool processing data",
            "Tool execution completed",
            "A message for this call",
          ],
          "2026-07-28": [],
        }),
      );
    });

    it("has resources", async () => {
      const { client } = await open();
      const [first, ...others] = await client.resources.list().all();
      expect([first, ...others].map((resource) => resource?.uri)).toEqual([
        "test://static-text",
        "test://static-binary",
        "test://watched-resource",
      ]);
      const contentsOf = async (uri: string) => (await client.resources.read(uri)).contents;
      expect(await contentsOf("test://static-text")).toEqual([
        {
          uri: "test://static-text",
          mimeType: "text/plain",
          text: "This is the content of the static text resource.",
        },
      ]);
      expect(await contentsOf("test://static-binary")).toEqual([
        { uri: "test://static-binary", mimeType: "image/png", blob: image.data },
      ]);
      expect(await contentsOf("test://template/123/data")).toEqual([
        {
          uri: "test://template/123/data",
          mimeType: "application/json",
          text: '{"id":"123","templateTest":true,"data":"Data for ID: 123"}',
        },
      ]);
      const templates = await client.resources.templates().all();
      expect(templates.map(({ uriTemplate }) => uriTemplate)).toEqual(["test://template/{id}/data"]);
    });

    it("has prompts", async () => {
      const { client } = await open();
      const messagesOf = async (name: string, args = {}) =>
        (await client.prompts.get(name, args)).messages.map(({ content }) => content);
      expect(await messagesOf("test_simple_prompt")).toEqual([text("This is a simple prompt for testing.")]);
      expect(await messagesOf("test_prompt_with_arguments", { arg1: "one", arg2: "two" })).toEqual([
        text("Prompt with arguments: arg1='one', arg2='two'"),
      ]);
      expect(await messagesOf("test_prompt_with_embedded_resource", { resourceUri: "test://x" })).toEqual([
        embedded("test://x", "text/plain", "Embedded resource content for testing."),
        text("Please process the embedded resource above."),
      ]);
      expect(await messagesOf("test_prompt_with_image")).toEqual([
        image,
        text("Please analyze the image above."),
      ]);
      const ref = { type: "ref/prompt" as const, name: "test_prompt_with_arguments" };
      const { values } = await client.complete(ref, { name: "arg1", value: "test" });
      expect(values).toEqual(["testing", "tested"]);
    });

    it("tells of changes", async () => {
      const { client } = await open();
      const changes: unknown[] = [];
      const subscription = await client.subscribe(
        { tools: true, prompts: true, resources: ["test://watched-resource"] },
        (change) => changes.push(change),
      );
      const tools = ["tool_change", "prompt_change", "resource_update", "tool_change", "prompt_change"];
      for (const name of tools) await client.tools.call(`test_trigger_${name}`);
      await client.ping();
      expect(changes).toEqual([
        { kind: "tools" },
        { kind: "prompts" },
        { kind: "resource", uri: "test://watched-resource" },
        { kind: "tools" },
        { kind: "prompts" },
      ]);
      await subscription.close();
    });

    it("answers after a while", async () => {
      const { client } = await open();
      expect((await client.tools.call("test_reconnection")).content).toHaveLength(1);
    });
  },
  { target, where },
);

interface Asked {
  readonly requestedSchema: {
    readonly properties: { readonly [name: string]: { readonly default?: unknown } };
  };
}

const answers: { readonly [key: string]: JsonObject } = {
  username: { username: "testuser", email: "test@example.com" },
  name: { name: "Ada" },
  ok: { ok: true },
  color: { color: "green" },
  context: { context: "rain" },
};

/** Fills in the form that begins with a field known here, or leaves it as it is. */
function fillIn(ask: ElicitRequest): ElicitResult {
  if (ask.mode === "url") return { action: "cancel" };
  const fields = Object.keys(ask.requestedSchema.properties as object);
  const [first = ""] = fields;
  const content = fields.length > 2 ? {} : (answers[first] ?? {});
  return { action: "accept", content };
}

const asking = {
  elicit: fillIn,
  sample: () => ({
    role: "assistant" as const,
    content: { type: "text" as const, text: "Paris" },
    model: "test-model",
  }),
  roots: ["file:///work"],
};

describeMatrix(
  "the everything server asks",
  ({ open, revision, since, cantAsk }) => {
    it("the model", async () => {
      const { client, wire } = await open();
      const words = readText(await client.tools.call("test_sampling", { prompt: "Capital?" }));
      expect(words).toContain("LLM response: Paris");
      expect(wire.told("sampling/createMessage")).toEqual([
        { messages: [{ role: "user", content: text("Capital?") }], maxTokens: 100 },
      ]);
    });

    it("the user", async () => {
      const { client } = await open();
      const words = readText(await client.tools.call("test_elicitation", { message: "Who?" }));
      expect(words).toMatch(
        since<string | RegExp>({
          "2024-11-05": cantAsk,
          "2025-06-18": '{"username":"testuser","email":"test@example.com"}',
        }),
      );
    });

    it("with a form that is filled in already", async () => {
      const { client, wire } = await open();
      const words = readText(await client.tools.call("test_elicitation_sep1034_defaults"));
      expect(words).toMatch(
        since<string | RegExp>({
          "2024-11-05": cantAsk,
          "2025-06-18": "Elicitation completed: action=accept",
        }),
      );
      const [asked] = wire.told("elicitation/create") as unknown as Asked[];
      if (asked === undefined) return;
      const defaults = Object.values(asked.requestedSchema.properties).map((field) => field.default);
      expect(defaults).toEqual(
        since<unknown[]>({
          "2025-06-18": [undefined, undefined, undefined, undefined, true],
          "2025-11-25": ["John Doe", 30, 95.5, "active", true],
        }),
      );
      if (since({ "2024-11-05": true, "2025-11-25": false })) return;
      expect(asked.requestedSchema.properties).toMatchObject({
        name: { type: "string" },
        age: { type: "integer" },
        score: { type: "number" },
        status: { type: "string", enum: ["active", "inactive", "pending"] },
        verified: { type: "boolean" },
      });
      expect(words).toContain('"name":"John Doe","age":30,"score":95.5,"status":"active","verified":true');
    });

    it("with choices of every kind", async () => {
      const { client, wire } = await open();
      await client.tools.call("test_elicitation_sep1330_enums");
      const asked = wire.told("elicitation/create").map(({ requestedSchema }) => requestedSchema);
      const titles = ["First", "Second", "Third"].map((title, index) => ({
        const: `value${index + 1}`,
        title: `${title} Option`,
      }));
      const options = ["option1", "option2", "option3"];
      const properties = {
        untitledSingle: { type: "string", enum: options },
        titledSingle: { type: "string", oneOf: titles },
        legacyEnum: {
          type: "string",
          enum: ["opt1", "opt2", "opt3"],
          enumNames: ["Option One", "Option Two", "Option Three"],
        },
        untitledMulti: { type: "array", items: { type: "string", enum: options } },
        titledMulti: { type: "array", items: { anyOf: titles } },
      };
      expect(asked).toEqual(
        since<unknown[]>({
          "2024-11-05": [],
          "2025-11-25": [{ type: "object", properties, required: [] }],
        }),
      );
    });

    it("for a capability before it runs", async () => {
      const { client } = await open();
      expect((await client.tools.call("test_missing_capability")).isError).toBeFalsy();
    });

    it.each([
      ["elicitation", "Hello, Ada!"],
      ["sampling", "The model said: Paris"],
      ["list_roots", "Roots: file:///work"],
      ["request_state", 'state-ok: {"action":"accept","content":{"ok":true}}'],
      ["multiple_inputs", "Paris (for Ada, with 1 roots)"],
      ["multi_round", "Ada likes green."],
      ["tampered_state", 'state-ok: {"action":"accept","content":{"ok":true}}'],
      ["capabilities", "Thank you."],
    ])("in a straight line: %s", async (name, words) => {
      const { client } = await open();
      const asksTheUser = !["sampling", "list_roots", "capabilities"].includes(name);
      const can = !asksTheUser || since({ "2024-11-05": false, "2025-06-18": true });
      const said = readText(await client.tools.call(`test_input_required_result_${name}`));
      if (can) expect(said).toBe(words);
      else expect(said).toMatch(cantAsk);
    });

    it("for the context of a prompt", async () => {
      const { client } = await open();
      const getting = client.prompts.get("test_input_required_result_prompt");
      if (since({ "2024-11-05": true, "2025-06-18": false })) {
        await expect(getting).rejects.toThrow(cantAsk);
        return;
      }
      expect((await getting).messages).toMatchObject([{ content: text("Answer with this in mind: rain") }]);
    });

    it("again when the answers can't be read, and refuses state that was changed", async () => {
      const { client } = await open();
      if (revision !== "2026-07-28") return expect(client.server.revision).toBe(revision);
      const call = (name: string, params: object) =>
        client.request(
          "tools/call",
          { name: `test_input_required_result_${name}`, ...params },
          { rounds: "manual" },
        );
      for (const inputResponses of [
        undefined,
        null,
        {},
        { user_name: 12345 },
        { other: { action: "accept" } },
      ]) {
        const params = inputResponses === undefined ? {} : { inputResponses };
        expect(await call("elicitation", params)).toMatchObject({
          resultType: "input_required",
          inputRequests: {
            user_name: {
              method: "elicitation/create",
              params: {
                message: "What is your name?",
                requestedSchema: { properties: { name: { type: "string" } }, required: ["name"] },
              },
            },
          },
        });
      }
      allowViolations(
        "these answers can't be read on purpose",
        /"inputResponses":(null|\{"user_name":12345\})/,
      );
      const { requestState } = await call("tampered_state", {});
      const inputResponses = { confirm: { action: "accept", content: { ok: true } } };
      await expect(
        call("tampered_state", { requestState: `${requestState}-TAMPERED`, inputResponses }),
      ).rejects.toMatchObject({ wireCode: -32602 });
      await expect(call("request_state", { requestState, inputResponses })).rejects.toMatchObject({
        wireCode: -32602,
      });
    });
  },
  { target, where, connect: asking },
);
