import type { Operation } from "../../../src/inspector/messages/revisions.ts";
import type { JsonObject } from "../../../src/lib/json.ts";
import { isRecord, type Schema, toSchema } from "../form/schema.ts";
import { SchemaForm } from "../form/schema-form.tsx";
import { startValue, withoutSecrets } from "../form/start-value.ts";
import { useRequest } from "../state/use-request.ts";

interface OperationPickerProps {
  readonly connection: string;
  readonly operation: Operation;
  readonly onChange: (operation: Operation, withoutSecrets: Operation) => void;
  /** Told why the arguments are not JSON, and of undefined once they are. */
  readonly onProblem: (problem: string | undefined) => void;
}

const plain = [
  ["list-tools", "List the tools"],
  ["list-resources", "List the resources"],
  ["list-prompts", "List the prompts"],
  ["ping", "Ping"],
] as const;

/** One thing to do on a server: a tool with its arguments, or a list. */
export function OperationPicker({ connection, operation, onChange, onProblem }: OperationPickerProps) {
  const { result } = useRequest("list-tools", { connection });
  const tools = result?.items ?? [];
  const tool = operation.kind === "call-tool" ? tools.find(({ name }) => name === operation.name) : undefined;
  const choose = (value: string) => {
    const simple = plain.find(([kind]) => kind === value);
    if (simple) return onChange({ kind: simple[0] }, { kind: simple[0] });
    const name = value.slice("tool ".length);
    const schema = toSchema(tools.find((one) => one.name === name)?.inputSchema);
    changeCall(name, startValue(schema, schema), schema);
  };
  const changeCall = (name: string, value: unknown, schema: Schema) => {
    const toCall = (given: unknown): Operation => ({
      kind: "call-tool",
      name,
      arguments: (isRecord(given) ? given : {}) as JsonObject,
    });
    onChange(toCall(value), toCall(withoutSecrets(value, schema, schema)));
  };
  return (
    <>
      <label class="row small">
        Do
        <select
          value={operation.kind === "call-tool" ? `tool ${operation.name}` : operation.kind}
          onChange={(event) => choose(event.currentTarget.value)}
        >
          {plain.map(([kind, title]) => (
            <option key={kind} value={kind}>
              {title}
            </option>
          ))}
          <optgroup label="Call a tool">
            {tools.slice(0, 1000).map(({ name }) => (
              <option key={name} value={`tool ${name}`}>
                {name}
              </option>
            ))}
          </optgroup>
        </select>
      </label>
      {operation.kind === "call-tool" && tool && (
        <div class="operation-form">
          <SchemaForm
            schema={tool.inputSchema}
            value={operation.arguments}
            showsIssues={false}
            onChange={(value) => changeCall(operation.name, value, toSchema(tool.inputSchema))}
            onProblem={onProblem}
          />
        </div>
      )}
    </>
  );
}
