import { useId, useState } from "preact/hooks";

interface JsonEditorProps {
  readonly value: unknown;
  readonly label?: string;
  readonly onChange: (value: unknown) => void;
}

/** A value as editable JSON. A text that is not JSON yet stays here and changes nothing. */
export function JsonEditor({ value, label = "Arguments as JSON", onChange }: JsonEditorProps) {
  const id = useId();
  const [typed, setTyped] = useState<{ readonly text: string; readonly problem?: string }>();
  const text =
    typed && (typed.problem || isOf(typed.text, value)) ? typed.text : JSON.stringify(value ?? {}, null, 2);
  const onInput = (next: string) => {
    try {
      const parsed: unknown = JSON.parse(next);
      setTyped({ text: next });
      onChange(parsed);
    } catch (error) {
      setTyped({ text: next, problem: error instanceof Error ? error.message : String(error) });
    }
  };
  return (
    <div class="json-editor">
      <textarea
        class="mono"
        aria-label={label}
        aria-invalid={typed?.problem !== undefined}
        aria-describedby={typed?.problem && `${id}-problem`}
        spellcheck={false}
        rows={Math.min(24, Math.max(6, text.split("\n").length + 1))}
        value={text}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      {typed?.problem && (
        <p class="field-issue" id={`${id}-problem`}>
          {typed.problem}
        </p>
      )}
    </div>
  );
}

function isOf(text: string, value: unknown): boolean {
  return JSON.stringify(JSON.parse(text)) === JSON.stringify(value);
}
