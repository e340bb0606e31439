import { useState } from "preact/hooks";
import { Button } from "../../parts/button.tsx";
import { Input } from "../../parts/input.tsx";

interface PairsEditorProps {
  readonly label: string;
  readonly nameLabel: string;
  /** Hides the values, which are never remembered. */
  readonly isSecret?: boolean;
  readonly onChange: (pairs: Pairs) => void;
}

export type Pairs = Readonly<Record<string, string>>;

/** Names with their values: headers, variables. A pair counts as soon as it has a name, also before it is added. */
export function PairsEditor({ label, nameLabel, isSecret, onChange }: PairsEditorProps) {
  const [pairs, setPairs] = useState<Pairs>({});
  const [name, setName] = useState("");
  const [value, setValue] = useState("");
  const type = (nextName: string, nextValue: string) => {
    setName(nextName);
    setValue(nextValue);
    onChange(withPair(pairs, nextName, nextValue));
  };
  const add = () => {
    setPairs(withPair(pairs, name, value));
    setName("");
    setValue("");
  };
  const takeOut = (gone: string) => {
    const { [gone]: _, ...rest } = pairs;
    setPairs(rest);
    onChange(withPair(rest, name, value));
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
            onInput={(event) => type(event.currentTarget.value, value)}
          />
          <Input
            class="mono"
            type={isSecret ? "password" : "text"}
            autocomplete="off"
            aria-label={`Value of the new ${nameLabel.toLowerCase()}`}
            placeholder="value"
            value={value}
            onInput={(event) => type(name, event.currentTarget.value)}
          />
          <Button icon="plus" onPress={add} disabled={name.trim() === ""}>
            Add
          </Button>
        </div>
      </div>
    </details>
  );
}

function withPair(pairs: Pairs, name: string, value: string): Pairs {
  return name.trim() === "" ? pairs : { ...pairs, [name.trim()]: value };
}
