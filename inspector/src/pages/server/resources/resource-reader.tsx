import { useEffect, useState } from "preact/hooks";
import type { Failure } from "../../../../../src/inspector/messages/reply.ts";
import type { RequestResult } from "../../../../../src/inspector/messages.ts";
import { toPrintableLine } from "../../../../../src/lib/text/printable.ts";
import type { Resource } from "../../../../../src/protocol/model/resource.ts";
import { ResourceView } from "../../../content/content-block.tsx";
import { Badge } from "../../../parts/badge.tsx";
import { Button } from "../../../parts/button.tsx";
import { FailureNote } from "../../../parts/failure-note.tsx";
import { toClock, toDuration } from "../../../parts/format.ts";
import { run, useOutcome } from "../../../state/calls.ts";
import { type Followed, follow, isFollowed, unfollow, whyEnded } from "../../../state/following.ts";
import { useKept } from "../../../state/kept.ts";
import { toFailure } from "../../../state/link.ts";
import { hrefOf } from "../../../state/route.ts";
import { changes } from "../../../state/session.ts";
import type { ServerViewProps } from "../server-page.tsx";

interface ResourceReaderProps extends ServerViewProps {
  readonly uri: string;
  readonly resource: Resource | undefined;
}

/** The contents of a resource; while it is followed, each change reads it again. */
export function ResourceReader({ connection, uri, resource }: ResourceReaderProps) {
  const part = `resource ${connection.id} ${uri}`;
  const [outcome, setOutcome] = useOutcome<RequestResult<"read-resource">>(part);
  const [readUpdates, setReadUpdates] = useKept(`updates of ${part}`, -1);
  const followed: Followed = { connection: connection.id, uris: [uri] };
  const isFollowing = isFollowed(followed);
  const ended = whyEnded(followed);
  const [failure, setFailure] = useState<Failure>();
  const updates = changes.value.filter(
    ({ connection: id, change }) => id === connection.id && change.kind === "resource" && change.uri === uri,
  );
  const read = () => void run("read-resource", { connection: connection.id, uri }, "read", setOutcome);
  useEffect(() => {
    if (readUpdates === updates.length) return;
    setReadUpdates(updates.length);
    read();
  }, [uri, updates.length]);
  const change = () => {
    setFailure(undefined);
    const changed = isFollowing ? unfollow(followed) : follow(followed);
    changed.catch((error: unknown) => setFailure(toFailure(error)));
  };
  const last = updates.at(-1);
  return (
    <div class="stack detail">
      <header class="stack tight">
        <h2>{toPrintableLine(resource?.title ?? resource?.name ?? "Resource")}</h2>
        <code class="wrap small">{uri}</code>
        {resource?.description && <p class="soft plain-text">{resource.description.slice(0, 2000)}</p>}
      </header>
      <div class="row wraps">
        <Button icon="reload" onPress={read}>
          Read again
        </Button>
        <Button icon="bell" pressed={isFollowing} onPress={change}>
          {isFollowing ? "Following" : "Follow changes"}
        </Button>
        {last && (
          <span class="small soft" role="status">
            {updates.length} {updates.length === 1 ? "change" : "changes"}, last at {toClock(last.at)}
          </span>
        )}
      </div>
      {ended && <FailureNote failure={{ code: "subscription-ended", message: ended }} />}
      {failure && <FailureNote failure={failure} />}
      {outcome.state === "failed" && <FailureNote failure={outcome.failure} />}
      {outcome.state === "done" && <Contents {...outcome.result} />}
    </div>
  );
}

function Contents({ result, ms, wire }: RequestResult<"read-resource">) {
  return (
    <section class="stack" aria-label="Contents">
      <div class="row wraps small faint">
        <span class="number">{toDuration(ms)}</span>
        {result.ttlMs !== undefined && result.ttlMs > 0 && (
          <Badge>fresh for {toDuration(result.ttlMs)}</Badge>
        )}
        {result.cacheScope && <Badge>cache: {result.cacheScope}</Badge>}
        {wire && <a href={hrefOf(["wire"], { between: wire.join("-") })}>On the wire</a>}
      </div>
      {result.contents.slice(0, 100).map((contents) => (
        <ResourceView key={contents.uri} contents={contents} />
      ))}
    </section>
  );
}
