import { useState } from "preact/hooks";
import type { Answer } from "../../../../src/inspector/messages/question.ts";
import type { JsonObject } from "../../../../src/lib/json.ts";
import type { ElicitForm } from "../../../../src/protocol/model/elicitation.ts";
import { issuesOf } from "../../form/issues.ts";
import { isRecord, toSchema } from "../../form/schema.ts";
import { SchemaForm } from "../../form/schema-form.tsx";
import { startValue } from "../../form/start-value.ts";
import { Button } from "../../parts/button.tsx";
import { Form } from "../../parts/form.tsx";

export interface AnswerProps {
  readonly onAnswer: (answer: Answer) => void;
}

export function FormQuestion({ ask, onAnswer }: AnswerProps & { readonly ask: ElicitForm }) {
  const schema = toSchema(ask.requestedSchema);
  const [value, setValue] = useState<unknown>(() => startValue(schema, schema) ?? {});
  const [isTried, setTried] = useState(false);
  const [problem, setProblem] = useState<string>();
  const accept = () => {
    setTried(true);
    if (problem !== undefined) return;
    if (issuesOf(value, schema, schema).length > 0 || !isRecord(value)) return;
    onAnswer({ kind: "form", result: { action: "accept", content: value as JsonObject } });
  };
  const end = (action: "decline" | "cancel") => onAnswer({ kind: "form", result: { action } });
  return (
    <Form onSubmit={accept}>
      <p class="plain-text">{ask.message}</p>
      <SchemaForm
        schema={schema}
        value={value}
        showsIssues={isTried}
        onChange={setValue}
        onProblem={setProblem}
      />
      <div class="row wraps">
        <Button look="main" type="submit">
          Accept
        </Button>
        <Button onPress={() => end("decline")}>Decline</Button>
        <Button look="quiet" onPress={() => end("cancel")}>
          Cancel
        </Button>
      </div>
    </Form>
  );
}
