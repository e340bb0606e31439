import { useState } from "preact/hooks";
import { Button } from "../../parts/button.tsx";
import { Input } from "../../parts/input.tsx";

interface PairsEditorProps {
  readonly label: string;
  readonly nameLabel: string;
  readonly pairs: Readonly<Record<string, string>>;
  /** Hides the values, which are never remembered. */
  readonly isSecret?: boolean;
  readonly onChange: (pairs: Readonly<Record<string, string>>) => void;
}

/** Names with their values: headers, variables. */
export function PairsEditor({ label, nameLabel, pairs, isSecret, onChange }: PairsEditorProps) {
  const [name, setName] = useState("");
  const [value, setValue] = useState("");
  const add = () => {
    if (name.trim() === "") return;
    onChange({ ...pairs, [name.trim()]: value });
    setName("");
    setValue("");
  };
  const takeOut = (gone: string) => {
    const { [gone]: _, ...rest } = pairs;
    onChange(rest);
  };
  return (
    <details class="more" open={Object.keys(pairs).length > 0}>
      <summary>{label}</summary>
      <div class="stack tight">
        {Object.keys(pairs).map((one) => (
          <div class="row" key={one}>
            <code class="grow clip">{one}</code>
            <span class="faint small">{isSecret ? "••••••" : pairs[one]}</span>
            <Button look="quiet" icon="close" label={`Take out ${one}`} onPress={() => takeOut(one)} />
          </div>
        ))}
        <div class="row">
          <input
            class="mono"
            type="text"
            aria-label={nameLabel}
            placeholder={nameLabel}
            value={name}
            onInput={(event) => setName(event.currentTarget.value)}
          />
          <Input
            class="mono"
            type={isSecret ? "password" : "text"}
            autocomplete="off"
            aria-label={`Value of the new ${nameLabel.toLowerCase()}`}
            placeholder="value"
            value={value}
            onInput={(event) => setValue(event.currentTarget.value)}
          />
          <Button icon="plus" onPress={add} disabled={name.trim() === ""}>
            Add
          </Button>
        </div>
      </div>
    </details>
  );
}
