import { openConnections } from "../state/session.ts";

interface ServerSelectProps {
  readonly chosen: string;
  readonly label?: string;
  readonly onChoose: (id: string) => void;
}

export function ServerSelect({ chosen, label = "Server", onChoose }: ServerSelectProps) {
  return (
    <label class="row small">
      {label}
      <select value={chosen} onChange={(event) => onChoose(event.currentTarget.value)}>
        {openConnections.value.map(({ id, label: name, revision }) => (
          <option key={id} value={id}>
            {name} ({revision})
          </option>
        ))}
      </select>
    </label>
  );
}
