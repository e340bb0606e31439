import { useEffect, useState } from "preact/hooks";
import { escapeInvisible } from "../../../../../src/client/trust/definition-diff.ts";
import type { RequestResult } from "../../../../../src/inspector/messages.ts";
import type { JsonObject } from "../../../../../src/lib/json.ts";
import type { Tool } from "../../../../../src/protocol/model/tool.ts";
import { issuesOf } from "../../../form/issues.ts";
import { isRecord, toSchema } from "../../../form/schema.ts";
import { hasForm, SchemaForm } from "../../../form/schema-form.tsx";
import { startValue, withoutSecrets } from "../../../form/start-value.ts";
import { Badge } from "../../../parts/badge.tsx";
import { Button } from "../../../parts/button.tsx";
import { JsonText } from "../../../parts/json-text.tsx";
import { More } from "../../../parts/more.tsx";
import { cancel, run, useOutcome } from "../../../state/calls.ts";
import { recall, remember } from "../../../state/remember.ts";
import { hrefOf, route, setQuery } from "../../../state/route.ts";
import { isPlainEnter, isSendKey } from "../../../state/shortcuts.ts";
import { commandWithoutSecrets } from "../../../state/without-secrets.ts";
import type { ServerViewProps } from "../server-page.tsx";
import { ToolResult } from "./tool-result.tsx";

/** Characters of arguments that an address carries. */
const maxInAddress = 1500;

export function ToolDetail({ connection, tool }: ServerViewProps & { readonly tool: Tool }) {
  const schema = toSchema(tool.inputSchema);
  const memory = `tool ${commandWithoutSecrets(connection.label)} ${tool.name}`;
  const [value, setValue] = useState<unknown>(() => argumentsOf(memory) ?? startValue(schema, schema) ?? {});
  const [tried, setTried] = useState<"sent" | "held">();
  const [problem, setProblem] = useState<string>();
  const [asTask, setAsTask] = useState(tool.execution?.taskSupport === "required");
  const [outcome, setOutcome] = useOutcome<RequestResult<"call-tool">>(`tool ${connection.id} ${tool.name}`);

  useEffect(() => {
    const safe = withoutSecrets(value, schema, schema);
    const text = JSON.stringify(safe);
    remember(memory, safe);
    const isFirst = route.value.path[1] === connection.id && route.value.path[3] === tool.name;
    if (isFirst) setQuery({ args: text !== "{}" && text.length <= maxInAddress ? text : undefined });
  }, [value]);

  const call = () => {
    if (problem !== undefined || !isRecord(value)) return setTried("held");
    setTried("sent");
    const params = { connection: connection.id, name: tool.name, arguments: value as JsonObject };
    void run("call-tool", asTask ? { ...params, task: {} } : params, tool.name, setOutcome);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (isSendKey(event)) return call();
    if (!isPlainEnter(event) || outcome.state === "running") return;
    if (issues.length === 0 || problem !== undefined) call();
    else setTried("held");
  };
  const operation = JSON.stringify({
    kind: "call-tool",
    name: tool.name,
    arguments: withoutSecrets(value, schema, schema),
  });
  const elsewhere = { server: connection.id, operation };
  const issues = issuesOf(value, schema, schema);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: one key for all fields of the form inside.
    <div class="stack detail" onKeyDown={onKeyDown}>
      <ToolHead tool={tool} />
      <SchemaForm
        schema={tool.inputSchema}
        value={value}
        showsIssues={tried !== undefined}
        onChange={setValue}
        onProblem={setProblem}
      />
      <div class="row wraps run-row">
        <Button look="main" icon="play" onPress={call} disabled={outcome.state === "running"}>
          Run
        </Button>
        {outcome.state === "running" && (
          <Button icon="stop" onPress={() => cancel(outcome.id)}>
            Cancel
          </Button>
        )}
        {tool.execution?.taskSupport && tool.execution.taskSupport !== "forbidden" && (
          <label class="check">
            <input type="checkbox" checked={asTask} onChange={() => setAsTask(!asTask)} /> as a task
          </label>
        )}
        <Button look="quiet" onPress={() => setValue(startValue(schema, schema) ?? {})}>
          Reset
        </Button>
        <span class="grow" />
        <a class="small" href={hrefOf(["revisions"], elsewhere)}>
          In five revisions
        </a>
        <a class="small" href={hrefOf(["judge", "load"], elsewhere)}>
          Load test
        </a>
      </div>
      {tried === "held" && problem !== undefined && (
        <p class="small warn" role="status">
          The arguments are not JSON; nothing was sent.
        </p>
      )}
      {tried && problem === undefined && issues.length > 0 && (
        <p class="small warn" role="status">
          {issues.length === 1 ? "One value does" : `${issues.length} values do`} not fit the schema;{" "}
          {tried === "sent"
            ? "the call was sent all the same, to see what the server says."
            : "it was not sent. Run sends it all the same."}
        </p>
      )}
      <ToolResult connection={connection.id} outcome={outcome} />
      <More title="Definition" startsOpen={!hasForm(tool.inputSchema)}>
        {() => <JsonText value={tool} label="Definition of the tool" />}
      </More>
    </div>
  );
}

function argumentsOf(memory: string): unknown {
  const text = route.value.query.get("args");
  if (text === null) return recall(memory);
  try {
    return JSON.parse(text);
  } catch {
    // An address that was cut off while it was copied.
    return recall(memory);
  }
}

function ToolHead({ tool }: { readonly tool: Tool }) {
  const hints = Object.entries(tool.annotations ?? {}).filter(([, value]) => value === true);
  return (
    <header class="stack tight">
      <div class="row wraps">
        <h2 class="mono wrap">{escapeInvisible(tool.name)}</h2>
        {tool.title && <span class="soft">{tool.title}</span>}
        {hints.map(([hint]) => (
          <Badge key={hint} tone={hint === "destructiveHint" ? "warn" : "plain"}>
            {hint.replace(/Hint$/, "").replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)}
          </Badge>
        ))}
      </div>
      {tool.description && <p class="soft small plain-text">{tool.description.slice(0, 4000)}</p>}
    </header>
  );
}
