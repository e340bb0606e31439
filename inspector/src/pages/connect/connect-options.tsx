import type { ConnectChoice } from "../../../../src/inspector/messages/connection.ts";
import { about } from "../../state/session.ts";
import { Line } from "./target-forms.tsx";

interface ConnectOptionsProps {
  readonly options: ConnectChoice;
  readonly isUrl: boolean;
  readonly onChange: (options: ConnectChoice) => void;
}

const asks = ["elicitation", "sampling", "roots", "tasks"] as const;
const transports = [
  ["", "found out"],
  ["streamable-http", "Streamable HTTP"],
  ["http-sse-2024", "HTTP with SSE of 2024"],
  ["websocket", "WebSocket"],
] as const;

/** What is usually negotiated, for those who want to choose. */
export function ConnectOptions({ options, isUrl, onChange }: ConnectOptionsProps) {
  const { revisions: _r, transport: _t, oauth: _o, label: _l, ...others } = options;
  const set = (changes: { readonly [Name in keyof ConnectChoice]?: ConnectChoice[Name] | undefined }) => {
    const next = Object.entries({ ...options, ...changes }).filter(([, value]) => value !== undefined);
    onChange(Object.fromEntries(next) as typeof others);
  };
  const without = new Set(options.without ?? []);
  const toggle = (ask: (typeof asks)[number]) => {
    const next = asks.filter((one) => without.has(one) !== (one === ask));
    set({ without: next.length > 0 ? next : undefined });
  };
  const oauth = (name: "clientId" | "clientSecret" | "scope", value: string) => {
    const { [name]: _, ...rest } = options.oauth ?? {};
    const next = value ? { ...rest, [name]: value } : rest;
    set({ oauth: Object.keys(next).length > 0 ? next : undefined });
  };
  return (
    <details class="more">
      <summary>Revision, transport, capabilities{isUrl && ", login"}</summary>
      <div class="options">
        <label class="stack tight small">
          Revision
          <select
            value={options.revisions?.[0] ?? ""}
            onChange={(event) =>
              set({ revisions: event.currentTarget.value ? [event.currentTarget.value] : undefined })
            }
          >
            <option value="">negotiated, newest first</option>
            {about.value.revisions.map((revision) => (
              <option key={revision}>{revision}</option>
            ))}
          </select>
        </label>
        {isUrl && (
          <label class="stack tight small">
            Transport
            <select
              value={options.transport ?? ""}
              onChange={(event) =>
                set({
                  transport: (event.currentTarget.value || undefined) as
                    | ConnectChoice["transport"]
                    | undefined,
                })
              }
            >
              {transports.map(([value, title]) => (
                <option key={value} value={value}>
                  {title}
                </option>
              ))}
            </select>
          </label>
        )}
        <fieldset class="row wraps">
          <legend class="small">The server may ask for</legend>
          {asks.map((ask) => (
            <label class="check" key={ask}>
              <input type="checkbox" checked={!without.has(ask)} onChange={() => toggle(ask)} />
              {ask}
            </label>
          ))}
        </fieldset>
        <Line
          label="Label"
          value={options.label ?? ""}
          placeholder="the name of the server"
          onChange={(label) => set({ label: label || undefined })}
        />
        {isUrl && (
          <>
            <Line
              label="OAuth client id"
              value={options.oauth?.clientId ?? ""}
              placeholder="registered by itself"
              onChange={(value) => oauth("clientId", value)}
            />
            <Line
              label="OAuth scope"
              value={options.oauth?.scope ?? ""}
              placeholder="what the server asks for"
              onChange={(value) => oauth("scope", value)}
            />
          </>
        )}
      </div>
    </details>
  );
}
