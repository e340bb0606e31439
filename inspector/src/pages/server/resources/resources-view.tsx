import type { Resource, ResourceTemplate } from "../../../../../src/protocol/model/resource.ts";
import { Badge, Empty } from "../../../parts/badge.tsx";
import { FailureNote } from "../../../parts/failure-note.tsx";
import { isFollowed } from "../../../state/following.ts";
import { changes } from "../../../state/session.ts";
import { useRequest } from "../../../state/use-request.ts";
import { ItemList } from "../item-list.tsx";
import type { ServerViewProps } from "../server-page.tsx";
import { ResourceReader } from "./resource-reader.tsx";
import { TemplateDetail } from "./template-detail.tsx";

const templateMark = "template:";

export function ResourcesView({ connection, place }: ServerViewProps) {
  const params = { connection: connection.id };
  const version = changes.value.filter(
    (line) => line.connection === connection.id && line.change.kind === "resources",
  ).length;
  const resources = useRequest("list-resources", params, version);
  const templates = useRequest("list-templates", params, version);
  const [, chosen] = place.path;
  const failure = resources.failure ?? (resources.result?.items.length ? undefined : templates.failure);
  if (failure) return <FailureNote failure={failure} />;
  if (!resources.result) return <p class="loading soft">Listing the resources…</p>;
  const template = templates.result?.items.find(({ uriTemplate }) => templateMark + uriTemplate === chosen);
  const items = [
    ...(templates.result?.items ?? []).map(fromTemplate),
    ...resources.result.items.map((resource) => fromResource(resource, connection.id)),
  ];
  return (
    <div class={`split${chosen ? " has-detail" : ""}`}>
      <ItemList
        label="Resources"
        items={items}
        problems={[...resources.result.problems, ...(templates.result?.problems ?? [])]}
        chosen={chosen}
        onChoose={(id) => place.go(["resources", id])}
      />
      <div class="split-detail">
        <a class="back" href={place.href(["resources"])}>
          ← All resources
        </a>
        {template ? (
          <TemplateDetail
            key={template.uriTemplate}
            connection={connection}
            place={place}
            template={template}
          />
        ) : chosen ? (
          <ResourceReader
            key={chosen}
            connection={connection}
            place={place}
            uri={chosen}
            resource={resources.result.items.find(({ uri }) => uri === chosen)}
          />
        ) : (
          <Empty title={items.length === 0 ? "This server has no resources" : "Choose a resource"} />
        )}
      </div>
    </div>
  );
}

function fromResource({ uri, name, title, mimeType }: Resource, connection: string) {
  const mark = isFollowed({ connection, uris: [uri] }) ? <Badge tone="good">followed</Badge> : undefined;
  return { id: uri, title: title ?? name, subtitle: mimeType ? `${uri} · ${mimeType}` : uri, mark };
}

function fromTemplate({ uriTemplate, name, title }: ResourceTemplate) {
  return {
    id: templateMark + uriTemplate,
    title: title ?? name,
    subtitle: uriTemplate,
    mark: <Badge tone="info">template</Badge>,
  };
}
