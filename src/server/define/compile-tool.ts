import { RegistrationError } from "../../errors.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { Tool } from "../../protocol/model/tool.ts";
import { findParamHeaders, type ParamHeader } from "../../protocol/param-headers.ts";
import { type CompiledSchema, compileSchema, type SchemaInput } from "../../schema/compile.ts";
import type { Context } from "../context/context.ts";
import type { ToolDefinition, ToolOptions, UnknownArguments } from "./tool.ts";

/** A tool that is ready to be listed and called. */
export interface CompiledTool {
  readonly listed: Tool;
  readonly options: ToolOptions;
  readonly input: CompiledSchema | undefined;
  readonly output: CompiledSchema | undefined;
  /** The names that arguments may have; undefined when any may come. */
  readonly argumentNames: readonly string[] | undefined;
  readonly unknownArguments: UnknownArguments;
  /** The arguments that callers over HTTP repeat in headers. */
  readonly mirrored: readonly ParamHeader[];
  readonly run: (args: unknown, ctx: Context) => unknown;
}

const namePattern = /^[A-Za-z0-9_.-]{1,128}$/;

export function compileTool(definition: ToolDefinition, unknownArguments: UnknownArguments): CompiledTool {
  const { name, options } = definition;
  if (!namePattern.test(name)) {
    throw new RegistrationError(
      `Tool name ${JSON.stringify(name)} is not allowed; use 1 to 128 letters, digits, "_", "-" or ".".`,
    );
  }
  const input = options.input && compile(name, options.input, "input");
  const output = options.output && compile(name, options.output, "output");
  return {
    listed: describe(definition, input, output),
    options,
    input,
    output,
    argumentNames: input && closedNames(input.jsonSchema),
    unknownArguments: options.unknownArguments ?? unknownArguments,
    mirrored: input ? mirroredParams(name, input) : [],
    run: definition.handler as CompiledTool["run"],
  };
}

function compile(name: string, schema: SchemaInput, direction: "input" | "output"): CompiledSchema {
  try {
    return compileSchema(schema, direction);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new RegistrationError(`Tool "${name}" has an ${direction} schema that can't be used: ${reason}`, {
      cause: error,
    });
  }
}

function mirroredParams(name: string, input: CompiledSchema): readonly ParamHeader[] {
  const mirroring = findParamHeaders(input.jsonSchema);
  if (mirroring.ok) return mirroring.params;
  throw new RegistrationError(`Tool "${name}" has an input schema that can't be used: ${mirroring.problem}.`);
}

function describe(definition: ToolDefinition, input?: CompiledSchema, output?: CompiledSchema): Tool {
  const { title, description, annotations, icons, meta, task = "never" } = definition.options;
  return {
    name: definition.name,
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    inputSchema: input?.jsonSchema ?? { type: "object", additionalProperties: false },
    ...(output && { outputSchema: output.jsonSchema }),
    ...(annotations && { annotations }),
    ...(task !== "never" && { execution: { taskSupport: task } }),
    ...(icons && { icons }),
    ...(meta && { _meta: meta }),
  };
}

/** The property names of a schema that gives all of them in plain sight. */
function closedNames(schema: JsonObject): readonly string[] | undefined {
  const open = schema.additionalProperties;
  if (open !== undefined && open !== false) return undefined;
  const elsewhere = ["patternProperties", "$ref", "allOf", "anyOf", "oneOf", "if", "dependentSchemas"];
  if (elsewhere.some((keyword) => keyword in schema)) return undefined;
  return Object.keys((schema.properties as JsonObject | undefined) ?? {});
}
