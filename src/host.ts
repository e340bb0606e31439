export type { Isolation } from "./contract/caller/isolation.ts";
export { ServerHeldError, ServerUnavailableError } from "./errors/host-errors.ts";
export type { HostAuditEntry } from "./host/audit-entry.ts";
export type { Caller } from "./host/caller.ts";
export type { HostCaller, HostCallOptions, ToolsOptions } from "./host/caller-host.ts";
export type { HostTool, ModelTool } from "./host/catalog/host-tool.ts";
export type { CatalogChange } from "./host/catalog/tool-catalog.ts";
export type { ToolRule, ToolRules } from "./host/catalog/tool-rules.ts";
export type {
  CommandEntry,
  ConfigInput,
  ConfigProblem,
  ConfiguredServer,
  HostConfig,
  ServerEntry,
  UrlEntry,
} from "./host/config/host-config.ts";
export { type ParseConfigOptions, parseHostConfig, readHostConfig } from "./host/config/parse-config.ts";
export { type ResolvedServer, resolveServer, type VariableOptions } from "./host/config/resolve-server.ts";
export type { Credentials, CredentialsRequest } from "./host/credentials.ts";
export { type Host, openHost } from "./host/host.ts";
export type { HostResult } from "./host/host-result.ts";
export {
  type AiSdkOutput,
  type AiSdkTool,
  type ToolCaller,
  toAiSdkTools,
} from "./host/models/ai-sdk.ts";
export {
  type AnthropicContent,
  type AnthropicResult,
  type AnthropicTool,
  toAnthropicResult,
  toAnthropicTools,
} from "./host/models/anthropic.ts";
export { type FittedSchema, fitSchema, type SchemaChange } from "./host/models/fit-schema.ts";
export {
  type GeminiCall,
  type GeminiPart,
  type GeminiTool,
  toGeminiParts,
  toGeminiTools,
} from "./host/models/gemini.ts";
export {
  type AnsweredCall,
  type OpenAIChatMessage,
  type OpenAIChatTool,
  type OpenAIResponsesResult,
  type OpenAIResponsesTool,
  toOpenAIChatMessages,
  toOpenAIChatTools,
  toOpenAIResponsesResult,
  toOpenAIResponsesTools,
} from "./host/models/openai.ts";
export type { ResultOptions } from "./host/models/result-parts.ts";
export type { ModelProvider } from "./host/models/schema-profile.ts";
export type { HostAskContext, HostConsentRequest, HostOptions } from "./host/options.ts";
export type { FoundTool, SearchOptions } from "./host/search/tool-search.ts";
export type { HostServer, ServerState } from "./host/server/managed-server.ts";
export type { ServerApproval } from "./host/trust/config-approval.ts";
export { type InspectedServer, inspectServer } from "./host/trust/inspect-server.ts";
export type { BackOffOptions } from "./lib/async/back-off.ts";
