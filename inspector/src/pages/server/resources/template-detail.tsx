import { toPrintableLine } from "../../../../../src/lib/text/printable.ts";
import type { ResourceTemplate } from "../../../../../src/protocol/model/resource.ts";
import { Button } from "../../../parts/button.tsx";
import { Form } from "../../../parts/form.tsx";
import { useKept } from "../../../state/kept.ts";
import { recall, remember } from "../../../state/remember.ts";
import { commandWithoutSecrets, membersWithoutSecrets } from "../../../state/without-secrets.ts";
import { CompletedInput } from "../completed-input.tsx";
import type { ServerViewProps } from "../server-page.tsx";
import { ResourceReader } from "./resource-reader.tsx";
import { expand, variablesOf } from "./uri-template.ts";

type Values = Readonly<Record<string, string>>;

interface TemplateDetailProps extends ServerViewProps {
  readonly template: ResourceTemplate;
}

/** A template with its variables; the server completes what is typed. */
export function TemplateDetail({ connection, place, template }: TemplateDetailProps) {
  const memory = `template ${commandWithoutSecrets(connection.label)} ${template.uriTemplate}`;
  const part = `template ${connection.id} ${template.uriTemplate}`;
  const [typed, setValues] = useKept<Values | undefined>(`values of ${part}`, undefined);
  const values = typed ?? recall<Values>(memory) ?? {};
  const [uri, setUri] = useKept<string | undefined>(`uri of ${part}`, undefined);
  const next = expand(template.uriTemplate, values);
  const read = () => {
    remember(memory, membersWithoutSecrets(values));
    setUri(next);
  };
  return (
    <div class="stack detail">
      <header class="stack tight">
        <h2>{toPrintableLine(template.title ?? template.name)}</h2>
        <code class="wrap small">{template.uriTemplate}</code>
        {template.description && <p class="soft plain-text">{template.description.slice(0, 2000)}</p>}
      </header>
      <Form onSubmit={read}>
        {variablesOf(template.uriTemplate).map((name) => (
          <CompletedInput
            key={name}
            connection={connection.id}
            target={{ type: "ref/resource", uri: template.uriTemplate }}
            name={name}
            value={values[name] ?? ""}
            others={values}
            onChange={(value) => setValues({ ...values, [name]: value })}
          />
        ))}
        <div class="row wraps">
          <Button look="main" type="submit">
            Read
          </Button>
          <code class="small wrap soft">{next}</code>
        </div>
      </Form>
      {uri && (
        <ResourceReader key={uri} connection={connection} place={place} uri={uri} resource={undefined} />
      )}
    </div>
  );
}
