import type { RequestResult } from "../../../../../src/inspector/messages.ts";
import type { ContentBlock } from "../../../../../src/protocol/model/content.ts";
import { ContentBlockView } from "../../../content/content-block.tsx";
import { StructuredView } from "../../../content/structured-view.tsx";
import { Badge } from "../../../parts/badge.tsx";
import { FailureNote } from "../../../parts/failure-note.tsx";
import { toDuration } from "../../../parts/format.ts";
import { JsonText } from "../../../parts/json-text.tsx";
import { More } from "../../../parts/more.tsx";
import { type Outcome, openCalls } from "../../../state/calls.ts";
import { hrefOf } from "../../../state/route.ts";

interface ToolResultProps {
  readonly connection: string;
  /** The result of a task comes without a check of its output. */
  readonly outcome: Outcome<RequestResult<"call-tool"> | RequestResult<"await-task">>;
}

/** The result of a call as people see it. */
export function ToolResult({ connection, outcome }: ToolResultProps) {
  if (outcome.state === "idle") return null;
  if (outcome.state === "running") return <Running id={outcome.id} />;
  if (outcome.state === "failed") return <FailureNote failure={outcome.failure} />;
  const { result, ms, wire } = outcome.result;
  const output = "output" in outcome.result ? outcome.result.output : undefined;
  const content = Array.isArray(result.content) ? result.content : [];
  const shown = content.filter((block) => !repeats(block, result.structuredContent));
  return (
    <section class="result stack" aria-label="Result" aria-live="polite">
      <header class="row wraps">
        <h3>Result</h3>
        <Badge tone={result.isError ? "bad" : "good"}>{result.isError ? "tool error" : "success"}</Badge>
        <span class="small faint number">{toDuration(ms)}</span>
        <span class="grow" />
        {wire && (
          <a class="small" href={hrefOf(["wire"], { between: wire.join("-") })}>
            On the wire
          </a>
        )}
      </header>
      {result.structuredContent !== undefined ? (
        <StructuredView value={result.structuredContent} {...(output && { check: output })} />
      ) : (
        output?.state === "invalid" && (
          <FailureNote failure={{ code: "output", message: output.problems.join("\n") }} />
        )
      )}
      {shown.slice(0, 200).map((block, at) => (
        <ContentBlockView key={at} block={block} connection={connection} />
      ))}
      {shown.length < content.length && (
        <p class="tiny faint">
          A text that repeats the structured content is left out here; the JSON below has it.
        </p>
      )}
      {content.length > 200 && <p class="small soft">{content.length} parts; the rest is in the JSON.</p>}
      {content.length === 0 && result.structuredContent === undefined && (
        <p class="soft small">The result is empty.</p>
      )}
      <More title="Result as JSON">{() => <JsonText value={result} label="Result as JSON" />}</More>
    </section>
  );
}

/** Tells a text that only repeats the structured content, for clients that do not know it. */
function repeats(block: ContentBlock, structured: unknown): boolean {
  if (structured === undefined || block.type !== "text" || block.text.length > 1_000_000) return false;
  try {
    return JSON.stringify(JSON.parse(block.text)) === JSON.stringify(structured);
  } catch {
    return false;
  }
}

function Running({ id }: { readonly id: number }) {
  const call = openCalls.value.find((one) => one.id === id);
  const { progress, total, message } = call?.progress ?? {};
  const share = progress !== undefined && total ? { value: Math.min(1, progress / total), max: 1 } : {};
  return (
    <section class="result stack" aria-label="Result">
      <div class="row">
        <progress class="grow" aria-label="Progress of the call" {...share} />
        {progress !== undefined && (
          <span class="small number soft">
            {progress}
            {total !== undefined && ` of ${total}`}
          </span>
        )}
      </div>
      {message && <p class="small soft">{message}</p>}
      {call?.task && (
        <p class="small soft">
          Task <code>{call.task.taskId}</code> is <Badge tone="info">{call.task.status}</Badge>{" "}
          {call.task.statusMessage}
        </p>
      )}
    </section>
  );
}
