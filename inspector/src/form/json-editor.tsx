import { useEffect, useId, useState } from "preact/hooks";

interface JsonEditorProps {
  readonly value: unknown;
  readonly label?: string;
  readonly onChange: (value: unknown) => void;
  /** Told why the text is not JSON, and of undefined once it is: until then, the value is not what the person sees. */
  readonly onProblem?: ((problem: string | undefined) => void) | undefined;
}

interface Typed {
  readonly text: string;
  readonly problem?: string;
  /** The value beside which it was typed. */
  readonly beside: unknown;
}

/** A value as editable JSON. A text that is not JSON yet stays here until the value changes elsewhere. */
export function JsonEditor({ value, label = "Arguments as JSON", onChange, onProblem }: JsonEditorProps) {
  const id = useId();
  const [last, setTyped] = useState<Typed>();
  const isShown = last && (last.problem ? last.beside === value : isOf(last.text, value));
  const typed = isShown ? last : undefined;
  const text = typed?.text ?? JSON.stringify(value ?? {}, null, 2);
  const problem = typed?.problem;
  useEffect(() => {
    onProblem?.(problem);
    return () => onProblem?.(undefined);
  }, [problem]);
  const onInput = (next: string) => {
    try {
      const parsed: unknown = JSON.parse(next);
      setTyped({ text: next, beside: parsed });
      onChange(parsed);
    } catch (error) {
      setTyped({
        text: next,
        problem: error instanceof Error ? error.message : String(error),
        beside: value,
      });
    }
  };
  return (
    <div class="json-editor">
      <textarea
        class="mono"
        aria-label={label}
        aria-invalid={problem !== undefined}
        aria-describedby={problem && `${id}-problem`}
        spellcheck={false}
        rows={Math.min(24, Math.max(6, text.split("\n").length + 1))}
        value={text}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
      {problem && (
        <p class="field-issue" id={`${id}-problem`}>
          {problem}
        </p>
      )}
    </div>
  );
}

function isOf(text: string, value: unknown): boolean {
  return JSON.stringify(JSON.parse(text)) === JSON.stringify(value);
}
