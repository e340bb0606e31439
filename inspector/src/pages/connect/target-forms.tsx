import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import type { TargetChoice } from "../../../../src/inspector/messages/connection.ts";
import { Button } from "../../parts/button.tsx";
import { Form } from "../../parts/form.tsx";
import { Input } from "../../parts/input.tsx";
import { recall, remember } from "../../state/remember.ts";
import { connections } from "../../state/session.ts";
import { commandWithoutSecrets, urlWithoutSecrets } from "../../state/without-secrets.ts";
import { type Pairs, PairsEditor } from "./pairs-editor.tsx";

interface TargetFormProps {
  readonly onConnect: (target: TargetChoice) => void;
}

export function UrlForm({ onConnect }: TargetFormProps) {
  const [url, setUrl] = useState(recall<string>("url") ?? "");
  const [headers, setHeaders] = useState<Pairs>({});
  const submit = () => {
    remember("url", urlWithoutSecrets(url));
    onConnect({ kind: "url", url: url.trim(), ...(Object.keys(headers).length > 0 && { headers }) });
  };
  return (
    <ConnectForm onSubmit={submit} isReady={url.trim() !== ""} action="Connect">
      <Line label="Address" value={url} placeholder="https://example.com/mcp" type="url" onChange={setUrl} />
      <PairsEditor label="Headers" nameLabel="Header" isSecret onChange={setHeaders} />
    </ConnectForm>
  );
}

export function CommandForm({ onConnect }: TargetFormProps) {
  const [command, setCommand] = useState(recall<string>("command") ?? "");
  const [cwd, setCwd] = useState(recall<string>("cwd") ?? "");
  const [env, setEnv] = useState<Pairs>({});
  const target: TargetChoice = {
    kind: "command",
    command: command.trim(),
    ...(cwd.trim() && { cwd: cwd.trim() }),
    ...(Object.keys(env).length > 0 && { env }),
  };
  const submit = () => {
    remember("command", commandWithoutSecrets(command));
    remember("cwd", commandWithoutSecrets(cwd));
    onConnect(target);
  };
  return (
    <ConnectForm onSubmit={submit} isReady={command.trim() !== ""} action={actionOf(target)}>
      <Line
        label="Command"
        value={command}
        placeholder="npx -y @modelcontextprotocol/server-everything"
        onChange={setCommand}
      />
      <Line label="Folder" value={cwd} placeholder="where the inspector was started" onChange={setCwd} />
      <PairsEditor label="Environment" nameLabel="Variable" isSecret onChange={setEnv} />
    </ConnectForm>
  );
}

export function ModuleForm({ onConnect }: TargetFormProps) {
  const [path, setPath] = useState(recall<string>("module") ?? "");
  const [exportName, setExportName] = useState(recall<string>("export") ?? "");
  const target: TargetChoice = {
    kind: "module",
    path: path.trim(),
    ...(exportName.trim() && { exportName: exportName.trim() }),
  };
  const submit = () => {
    remember("module", commandWithoutSecrets(path));
    remember("export", exportName);
    onConnect(target);
  };
  return (
    <ConnectForm onSubmit={submit} isReady={path.trim() !== ""} action={actionOf(target)}>
      <Line
        label="Module"
        value={path}
        placeholder="./server.js, which exports a server"
        onChange={setPath}
      />
      <Line
        label="Export"
        value={exportName}
        placeholder="server, or the default export"
        onChange={setExportName}
      />
    </ConnectForm>
  );
}

/** A program that ran already, as it is written here, is not asked about again. */
function actionOf(target: TargetChoice): string {
  const wish = JSON.stringify(target);
  const hasRun = connections.value.some((one) => one.steps.length > 0 && JSON.stringify(one.target) === wish);
  return hasRun ? "Run it again" : "Show what would run";
}

interface ConnectFormProps {
  readonly action: string;
  readonly isReady: boolean;
  readonly children: ComponentChildren;
  readonly onSubmit: () => void;
}

function ConnectForm({ action, isReady, children, onSubmit }: ConnectFormProps) {
  return (
    <Form onSubmit={() => isReady && onSubmit()}>
      {children}
      <div>
        <Button look="main" icon="plug" type="submit" disabled={!isReady}>
          {action}
        </Button>
      </div>
    </Form>
  );
}

interface LineProps {
  readonly label: string;
  readonly value: string;
  readonly placeholder: string;
  readonly type?: "text" | "url";
  readonly onChange: (value: string) => void;
}

export function Line({ label, value, placeholder, type = "text", onChange }: LineProps) {
  const id = useId();
  return (
    <div class="field">
      <label class="field-label" for={id}>
        <span class="field-name">{label}</span>
      </label>
      <Input
        id={id}
        class="mono"
        type={type}
        value={value}
        placeholder={placeholder}
        spellcheck={false}
        autocomplete="off"
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    </div>
  );
}
