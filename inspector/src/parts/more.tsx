import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

interface MoreProps {
  readonly title: string;
  readonly startsOpen?: boolean;
  readonly children: () => ComponentChildren;
}

/** Something that is made only when the person opens it. */
export function More({ title, startsOpen = false, children }: MoreProps) {
  const [isOpen, setOpen] = useState(startsOpen);
  return (
    <details class="more" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && children()}
    </details>
  );
}
