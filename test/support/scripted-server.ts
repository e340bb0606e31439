import {
  ScriptedServer as BaseServer,
  discoverScript,
  everyCapability,
  handshakeScript,
  type ScriptedAnswer,
  type ScriptedConnection,
  type ServerScript,
  silence,
} from "../../src/testing/zoo/scripted-server.ts";

export { everyCapability, silence };

// biome-ignore lint/suspicious/noExplicitAny: what a script looks at is whatever came over the wire.
export type Wire = any;
export type Answer = ScriptedAnswer<Wire>;
export type Script = ServerScript<Wire>;
export type Line = ScriptedConnection<Wire>;

/** The answer of a server that speaks every version which a client asks for. */
export const initialize: Answer = ({ protocolVersion }) => ({
  protocolVersion,
  capabilities: everyCapability,
  serverInfo: { name: "scripted", version: "1" },
});

/** A server that does exactly what its script says; messages have any type. */
export class ScriptedServer extends BaseServer<Wire> {
  get lines(): Line[] {
    return this.connections;
  }

  get line(): Line {
    return this.connection;
  }
}

export interface Offer {
  readonly capabilities?: object;
  readonly script?: Script;
}

/** A server that opens by `initialize`, always in one version. */
export function handshakeServer(version: string, offer: Offer = {}): ScriptedServer {
  return new ScriptedServer(handshakeScript<Wire>({ revision: version, ...offer }));
}

/** A server that has no handshake and speaks these versions. */
export function discoverServer(
  offer: Offer & { readonly versions?: readonly string[] } = {},
): ScriptedServer {
  const { versions, ...others } = offer;
  return new ScriptedServer(discoverScript<Wire>({ ...others, ...(versions && { revisions: versions }) }));
}
