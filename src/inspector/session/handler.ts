import type { Events, EventType, RequestParams, RequestResult, RequestType } from "../messages.ts";
import type { InspectorSession } from "./session.ts";

/** One request of a page while it is carried out. */
export interface PageCall {
  readonly session: InspectorSession;
  readonly id: number;
  /** Aborted when the page cancels the request, or is gone. */
  readonly signal: AbortSignal;
  /** Sends an event to the page that asked, and to no other. */
  push<Type extends EventType>(type: Type, members: Events[Type]): void;
}

export type Handler<Type extends RequestType> = (
  params: RequestParams<Type>,
  call: PageCall,
) => RequestResult<Type> | Promise<RequestResult<Type>>;

export type Handlers<Types extends RequestType> = { readonly [Type in Types]: Handler<Type> };
