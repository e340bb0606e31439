import { tool } from "allspeak";

/** Over HTTP its region is also in a header, so that a proxy can route by it without reading the body. */
export const headerTool = tool(
  "test_x_mcp_header",
  {
    description: "Answers with the region it was given",
    input: {
      type: "object",
      properties: {
        region: { type: "string", "x-mcp-header": "Region" },
        level: { type: "integer" },
      },
    },
  },
  ({ region }) => `region=${String(region ?? "")}`,
);

/** A schema with every keyword that is easily lost on the way to the client. */
export const schemaTool = tool(
  "json_schema_2020_12_tool",
  {
    description: "Takes arguments that need the whole of JSON Schema 2020-12 to describe",
    input: {
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
    },
  },
  (args) => `Received ${JSON.stringify(args)}`,
);
