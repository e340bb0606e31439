import type { NegotiationStep } from "../../doctor/negotiation.ts";
import type { AuthHop } from "../../errors.ts";
import type { Implementation, ServerCapabilities } from "../../protocol/model/identity.ts";
import type { Root } from "../../protocol/model/root.ts";
import type { Failure, Nothing } from "./reply.ts";

export interface ConnectionRequests {
  /** The servers of the usual `mcpServers` files of this person and of the folder where the inspector runs. */
  "list-configured": {
    readonly params: Nothing;
    readonly result: { readonly files: readonly ConfigFile[] };
  };
  /**
   * Connects. The connection exists from the start, with its id in `connection` events; the reply comes when it is
   * open. A program, or a module, first becomes a `run` question: nothing runs before the person has agreed.
   */
  connect: {
    readonly params: { readonly target: TargetChoice; readonly options?: ConnectChoice };
    readonly result: { readonly connection: ConnectionView };
  };
  /** Connects to the target of a connection once more, with its options: a new connection, as of `connect`. */
  "connect-again": {
    readonly params: { readonly connection: string };
    readonly result: { readonly connection: ConnectionView };
  };
  disconnect: { readonly params: { readonly connection: string }; readonly result: Nothing };
  /** Removes a closed connection from the list. Its wire entries stay. */
  forget: { readonly params: { readonly connection: string }; readonly result: Nothing };
}

export interface ConnectionEvents {
  /** A connection that is new, or has changed. */
  connection: { readonly connection: ConnectionView };
  "negotiation-step": { readonly connection: string; readonly step: NegotiationStepView };
  /** A step of OAuth, or a change of the last one. */
  "auth-hop": { readonly connection: string; readonly index: number; readonly hop: AuthHop };
}

export type TargetChoice =
  | { readonly kind: "url"; readonly url: string; readonly headers?: Readonly<Record<string, string>> }
  | ({ readonly kind: "command" } & CommandChoice)
  | { readonly kind: "module"; readonly path: string; readonly exportName?: string }
  | { readonly kind: "configured"; readonly file: string; readonly name: string }
  | { readonly kind: "offered"; readonly name: string }
  /** A recording of the session that plays the server. */
  | { readonly kind: "recording"; readonly recording: string };

export interface CommandChoice {
  /** A program, or a whole command line if there are no `args`; no shell reads it. */
  readonly command: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

export type TransportName = "streamable-http" | "http-sse-2024" | "websocket" | "stdio" | "memory";

export interface ConnectChoice {
  /** A label for the person. Default: the title of the offer, else the name of the server. */
  readonly label?: string;
  /** The revisions that may be spoken. Default: all; the newest common one is negotiated. */
  readonly revisions?: readonly string[];
  /** The transport of a URL. Default: found out. */
  readonly transport?: "streamable-http" | "http-sse-2024" | "websocket";
  /** Capabilities that are not declared, so that the server can't ask. Default: all are declared. */
  readonly without?: readonly ("elicitation" | "sampling" | "roots" | "tasks")[];
  readonly roots?: readonly Root[];
  /** OAuth settings of a URL. Default: a login where the server wants one, as a client that registers itself. */
  readonly oauth?: {
    readonly clientId?: string;
    readonly clientSecret?: string;
    readonly scope?: string;
  };
  /** The longest silence of a call, in milliseconds. Default: 60,000. */
  readonly idleMs?: number;
}

/** A connection to one server, in whatever state. */
export interface ConnectionView {
  readonly id: string;
  readonly label: string;
  readonly target: TargetChoice;
  /** The purpose of a connection that the person did not make; it is closed when that is done. */
  readonly purpose?: "revisions" | "doctor" | "replay";
  readonly state: "connecting" | "open" | "closed" | "failed";
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly openedAfterMs?: number;
  readonly steps: readonly NegotiationStepView[];
  readonly authHops: readonly AuthHop[];
  /** Set once it is open. */
  readonly server?: {
    readonly info?: Implementation;
    readonly capabilities: ServerCapabilities;
    readonly instructions?: string;
  };
  readonly revision?: string;
  readonly transport?: TransportName;
  /** The reason why it failed, or was closed by the other side. */
  readonly failure?: Failure;
  /** The last lines that a program wrote to its standard error. */
  readonly stderr?: readonly string[];
}

/** A step of the negotiation as the page shows it. */
export interface NegotiationStepView extends NegotiationStep {
  /** The entry of the wire, where it is one. */
  readonly seq?: number;
}

/** A server that was handed in where the inspector was started: `allspeak inspect`, `npm start`, `serveHttp`. */
export interface OfferedServer {
  readonly name: string;
  readonly title: string;
  readonly description?: string;
  /** Its address, where it has one. */
  readonly url?: string;
  /** True for the one to connect to at once. */
  readonly isFirst?: boolean;
}

/** One file in which a host keeps its servers. */
export interface ConfigFile {
  readonly path: string;
  /** The host that it belongs to, as people call it. */
  readonly host: string;
  readonly servers: readonly ConfiguredServerView[];
  readonly problems: readonly { readonly server?: string; readonly message: string }[];
}

export interface ConfiguredServerView {
  readonly name: string;
  readonly isDisabled: boolean;
  /** The entry as it is written, with values of variables and headers masked. */
  readonly entry:
    | {
        readonly command: string;
        readonly args: readonly string[];
        readonly envNames: readonly string[];
        readonly cwd?: string;
      }
    | { readonly url: string; readonly headerNames: readonly string[] };
}
