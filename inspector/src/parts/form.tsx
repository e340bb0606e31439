import type { ComponentChildren } from "preact";
import { isSendKey } from "../state/shortcuts.ts";

interface FormProps {
  readonly children: ComponentChildren;
  readonly onSubmit: () => void;
}

/** A form that its main button sends, and Ctrl Enter from any of its fields. */
export function Form({ children, onSubmit }: FormProps) {
  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
      onKeyDown={(event) => {
        if (!isSendKey(event)) return;
        event.preventDefault();
        event.currentTarget.requestSubmit();
      }}
    >
      {children}
    </form>
  );
}
