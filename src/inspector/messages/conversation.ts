import type { ModelTool } from "../../host/catalog/host-tool.ts";
import type { JsonObject } from "../../lib/json.ts";
import type { CallToolResult } from "../../protocol/model/tool.ts";
import type { Nothing } from "./reply.ts";

export interface ConversationRequests {
  /** Puts servers of open connections behind one host. The scripted model (`set-model`) talks. */
  "open-conversation": {
    readonly params: {
      readonly connections: readonly string[];
      /** More tools than this are replaced by `search_tools` and `call_tool`. Default: 40. */
      readonly searchAbove?: number;
    };
    readonly result: { readonly conversation: string; readonly view: ConversationView };
  };
  /** Sends a message as the user. The reply comes when the model is done; its steps arrive as events. */
  say: {
    readonly params: { readonly conversation: string; readonly text: string };
    readonly result: { readonly steps: readonly ConversationStep[] };
  };
  /** The tools that a search of the host returns, best first. */
  "search-tools": {
    readonly params: { readonly conversation: string; readonly query: string };
    readonly result: {
      readonly found: readonly {
        readonly name: string;
        readonly server: string;
        readonly description?: string;
        readonly score: number;
      }[];
    };
  };
  "close-conversation": { readonly params: { readonly conversation: string }; readonly result: Nothing };
}

export interface ConversationEvents {
  "conversation-step": { readonly conversation: string; readonly step: ConversationStep };
}

export interface ConversationView {
  /** The tools that the model sees, with what each costs in its context. */
  readonly tools: readonly { readonly tool: ModelTool; readonly server?: string; readonly tokens: number }[];
  readonly servers: readonly { readonly name: string; readonly connection: string; readonly tools: number }[];
}

/** One step of a conversation. Tokens are estimates: one for four characters. */
export type ConversationStep = {
  readonly index: number;
  readonly at: number;
  readonly tokens: number;
  readonly ms?: number;
} & (
  | { readonly kind: "user"; readonly text: string }
  | { readonly kind: "model"; readonly text: string; readonly rule?: number }
  | { readonly kind: "call"; readonly tool: string; readonly server?: string; readonly arguments: JsonObject }
  | { readonly kind: "result"; readonly tool: string; readonly result: CallToolResult }
  | { readonly kind: "asked"; readonly question: string; readonly what: string }
);
