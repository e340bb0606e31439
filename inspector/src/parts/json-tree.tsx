import { useState } from "preact/hooks";
import { Icon } from "./icon.tsx";

/** Children of one node that are drawn before the person asks for more. */
const pageSize = 100;

interface TreeProps {
  readonly value: unknown;
  readonly name?: string;
  readonly depth?: number;
}

/** A JSON value as a tree; a branch draws its children once it is opened. */
export function JsonTree({ value, name, depth = 0 }: TreeProps) {
  const [isOpen, setOpen] = useState(depth < 2);
  const [shown, setShown] = useState(pageSize);
  const label = name !== undefined && <span class="json-key">{name}</span>;
  if (typeof value !== "object" || value === null) {
    return (
      <div class="tree-leaf">
        {label}
        <Scalar value={value} />
      </div>
    );
  }
  const entries = Object.entries(value);
  return (
    <div class="tree">
      <button type="button" class="tree-branch" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name={isOpen ? "down" : "right"} />
        {label}
        <span class="faint tiny">
          {Array.isArray(value) ? `list of ${entries.length}` : `${entries.length} members`}
        </span>
      </button>
      {isOpen && (
        <div class="tree-children">
          {entries.slice(0, shown).map(([key, child]) => (
            <JsonTree key={key} name={key} value={child} depth={depth + 1} />
          ))}
          {entries.length > shown && (
            <button type="button" class="button quiet" onClick={() => setShown(shown + pageSize)}>
              Show more of {entries.length.toLocaleString("en")}
            </button>
          )}
        </div>
      )}
    </div>
  );
}

/** Characters of one string that are shown here; the JSON beside has all of them. */
const maxLength = 20_000;

/** Strings that read like a value of another kind. */
const isMistakable = /^(?:-?\d|true$|false$|null$|["[{]|$)/;

interface ScalarProps {
  readonly value: unknown;
  /** Quotes a string that reads like a value of another kind: the colour alone tells "20" and 20 apart for few. */
  readonly tellsKind?: boolean;
}

/** A string, number, boolean or null, in the colour of its kind. */
export function Scalar({ value, tellsKind = false }: ScalarProps) {
  if (typeof value === "string" && value.length > maxLength)
    return (
      <span class="json-string wrap">
        {value.slice(0, maxLength)}
        <span class="faint"> … {value.length.toLocaleString("en")} characters in all</span>
      </span>
    );
  if (typeof value === "string")
    return (
      <span class="json-string wrap">
        {tellsKind && isMistakable.test(value) ? JSON.stringify(value) : value}
      </span>
    );
  if (typeof value === "number") return <span class="json-number">{String(value)}</span>;
  return <span class="json-word">{String(value)}</span>;
}
