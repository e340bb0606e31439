import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

interface MoreProps {
  readonly title: string;
  readonly children: () => ComponentChildren;
}

/** Something that is made only when the person opens it. */
export function More({ title, children }: MoreProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="more" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && children()}
    </details>
  );
}
