import type { OnDemand } from "../../../../lib/async/on-demand.ts";
import type { AdmittedRequest, HttpAdmission } from "../admission/admission.ts";
import type { EndpointContext } from "../endpoint-context.ts";
import { jsonHeaders } from "../error-response.ts";
import type { HttpReply } from "../http-interface.ts";
import type { HttpSettings } from "../http-options.ts";
import type { HttpSse2024Endpoint } from "../http-sse-2024.ts";
import type { SessionEndpoint } from "../session/session-endpoint.ts";
import { StreamableHttpEndpoint } from "../streamable-http.ts";
import { admittedRoute, type HttpRoute, publicRoutes } from "./routes.ts";

const documentHeaders = { ...jsonHeaders, "cache-control": "max-age=3600" };

/** The parts of an endpoint that its routes lead to. */
export interface RoutedParts {
  readonly context: EndpointContext;
  readonly admission: HttpAdmission;
  readonly sessions: OnDemand<SessionEndpoint>;
  readonly sse2024: OnDemand<HttpSse2024Endpoint>;
}

/** All that an endpoint serves, and to whom. */
export function toEndpointRoutes(parts: RoutedParts, settings: HttpSettings): readonly HttpRoute[] {
  return [
    ...healthRoutes(parts, settings),
    ...documentRoutes(parts),
    ...streamableHttpRoutes(parts, settings),
    ...sse2024Routes(parts, settings),
  ];
}

function healthRoutes({ context }: RoutedParts, { healthPath }: HttpSettings): readonly HttpRoute[] {
  if (healthPath === undefined) return [];
  return publicRoutes(healthPath, ({ reply }) => sendHealth(reply, context.closing.aborted));
}

function sendHealth(reply: HttpReply, closing: boolean): void {
  reply.send(closing ? 503 : 200, jsonHeaders, closing ? '{"status":"closing"}' : '{"status":"ok"}');
}

function documentRoutes({ context }: RoutedParts): readonly HttpRoute[] {
  const documents = [...(context.authenticator?.documents ?? [])];
  return documents.flatMap(([path, text]) =>
    publicRoutes(path, ({ reply }) => reply.send(200, documentHeaders, text)),
  );
}

function streamableHttpRoutes(
  { context, sessions }: RoutedParts,
  { path }: HttpSettings,
): readonly HttpRoute[] {
  const endpoint = new StreamableHttpEndpoint(context, sessions);
  const post = admittedRoute("POST", path, (admitted) => endpoint.post(admitted));
  if (!context.requestRevision.opensSessions || context.sessions.stateless) return [post];
  return [
    admittedRoute("GET", path, (admitted) => endpoint.get(admitted)),
    post,
    admittedRoute("DELETE", path, (admitted) => endpoint.delete(admitted)),
  ];
}

function sse2024Routes(
  { context, admission, sse2024 }: RoutedParts,
  { sse }: HttpSettings,
): readonly HttpRoute[] {
  if (sse === undefined || !context.requestRevision.opensSessions) return [];
  const openStream = async (admitted: AdmittedRequest) => {
    if (await admission.mayConnect(admitted)) await sse2024.use((part) => part.openStream(admitted));
  };
  return [
    admittedRoute("GET", sse.path, openStream),
    admittedRoute("POST", sse.messagesPath, (admitted) => sse2024.use((part) => part.post(admitted))),
  ];
}
