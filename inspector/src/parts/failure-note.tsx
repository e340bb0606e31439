import type { Failure } from "../../../src/inspector/messages/reply.ts";
import { hrefOf } from "../state/route.ts";
import { Note } from "./badge.tsx";
import { JsonText } from "./json-text.tsx";

/** A failure: what happened, what to do, and where it is on the wire. What the person gave up is no error. */
export function FailureNote({ failure }: { readonly failure: Failure }) {
  const { wire, rpc } = failure;
  return (
    <Note tone={failure.code === "cancelled" ? "info" : "bad"}>
      <p class="wrap plain-text">{failure.message.slice(0, 4000)}</p>
      {failure.hint && <p class="small">{failure.hint}</p>}
      <p class="tiny faint row wraps">
        <code>{failure.code}</code>
        {rpc && <code>{rpc.code}</code>}
        {wire && <a href={hrefOf(["wire"], { between: wire.join("-") })}>Show it on the wire</a>}
      </p>
      {rpc?.data !== undefined && <JsonText value={rpc.data} label="Data of the error" />}
    </Note>
  );
}
