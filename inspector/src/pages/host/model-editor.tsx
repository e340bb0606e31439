import { useState } from "preact/hooks";
import type { ScriptedModel, ScriptedRule } from "../../../../src/inspector/messages/question.ts";
import type { Failure } from "../../../../src/inspector/messages/reply.ts";
import { JsonEditor } from "../../form/json-editor.tsx";
import { isRecord } from "../../form/schema.ts";
import { Button } from "../../parts/button.tsx";
import { FailureNote } from "../../parts/failure-note.tsx";
import { request, toFailure } from "../../state/link.ts";
import { model } from "../../state/session.ts";

/** The script of the model: the first rule whose words are in the last message replies. */
export function ModelEditor() {
  const [failure, setFailure] = useState<Failure>();
  const [isOpen, setOpen] = useState(true);
  const current = model.value;
  if (!current) return null;
  const change = (changes: Partial<ScriptedModel>) => {
    const next = { ...current, ...changes };
    model.value = next;
    request("set-model", { model: next }).then(
      () => setFailure(undefined),
      (error: unknown) => setFailure(toFailure(error)),
    );
  };
  const changeRule = (at: number, rule: ScriptedRule) => change({ rules: current.rules.with(at, rule) });
  return (
    <details class="card more" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <strong>The scripted model</strong> <span class="faint small">{current.rules.length} rules</span>
      </summary>
      <div class="stack">
        <label class="row small">
          When a server asks for a model
          <select
            value={current.sampling}
            onChange={(event) => change({ sampling: event.currentTarget.value as ScriptedModel["sampling"] })}
          >
            <option value="ask">ask me, with the reply at hand</option>
            <option value="automatic">answer by itself</option>
          </select>
        </label>
        <ol class="stack">
          {current.rules.map((rule, at) => (
            <li key={at} class="nested">
              <Rule
                rule={rule}
                number={at + 1}
                onChange={(next) => changeRule(at, next)}
                onRemove={() => change({ rules: current.rules.toSpliced(at, 1) })}
              />
            </li>
          ))}
        </ol>
        <div>
          <Button icon="plus" onPress={() => change({ rules: [...current.rules, { when: "", reply: "" }] })}>
            Add a rule
          </Button>
        </div>
        <label class="stack tight small">
          Otherwise it says
          <input
            type="text"
            value={current.otherwise}
            onInput={(event) => change({ otherwise: event.currentTarget.value })}
          />
        </label>
        <p class="tiny faint">{"{last}"} stands for the last message.</p>
        {failure && <FailureNote failure={failure} />}
      </div>
    </details>
  );
}

interface RuleProps {
  readonly rule: ScriptedRule;
  readonly number: number;
  readonly onChange: (rule: ScriptedRule) => void;
  readonly onRemove: () => void;
}

function Rule({ rule, number, onChange, onRemove }: RuleProps) {
  const { call, reply, when } = rule;
  return (
    <div class="stack tight">
      <div class="row">
        <span class="tiny faint number">{number}</span>
        <label class="row small grow">
          if it says
          <input
            type="text"
            class="grow"
            value={when}
            onInput={(event) => onChange({ ...rule, when: event.currentTarget.value })}
          />
        </label>
        <Button look="quiet" icon="close" label={`Remove rule ${number}`} onPress={onRemove} />
      </div>
      <div class="row small">
        then
        <select
          aria-label={`What rule ${number} does`}
          value={call ? "call" : "reply"}
          onChange={(event) =>
            onChange(
              event.currentTarget.value === "call"
                ? { when, call: { tool: "", arguments: {} } }
                : { when, reply: "" },
            )
          }
        >
          <option value="reply">say</option>
          <option value="call">call a tool</option>
        </select>
        <input
          type="text"
          class="grow"
          aria-label={call ? `Tool of rule ${number}` : `Reply of rule ${number}`}
          value={call ? call.tool : (reply ?? "")}
          onInput={(event) =>
            onChange(
              call
                ? { when, call: { ...call, tool: event.currentTarget.value } }
                : { when, reply: event.currentTarget.value },
            )
          }
        />
      </div>
      {call && (
        <JsonEditor
          label={`Arguments of rule ${number} as JSON`}
          value={call.arguments}
          onChange={(value) =>
            isRecord(value) &&
            onChange({ when, call: { ...call, arguments: value as typeof call.arguments } })
          }
        />
      )}
    </div>
  );
}
