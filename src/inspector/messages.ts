import type { ConnectionEvents, ConnectionRequests } from "./messages/connection.ts";
import type { ConversationEvents, ConversationRequests } from "./messages/conversation.ts";
import type { JudgeEvents, JudgeRequests } from "./messages/judge.ts";
import type { QuestionEvents, QuestionRequests } from "./messages/question.ts";
import type { RecordingRequests } from "./messages/recording.ts";
import type { ServerReply } from "./messages/reply.ts";
import type { RevisionEvents, RevisionRequests } from "./messages/revisions.ts";
import type { SessionEvents, SessionRequests } from "./messages/session.ts";
import type { UseEvents, UseRequests } from "./messages/use.ts";
import type { WireEvents, WireRequests } from "./messages/wire.ts";

/*
 * The page and its server talk over one WebSocket, at `socket` beside the page. Every message is one JSON text.
 *
 * The page sends requests, `{ type, id, params }`; each has an `id` of its own, a number, and gets exactly one reply, a result or a failure.
 * The server pushes events. The first request of a socket is `open-session`; anything else before it ends the socket.
 */

/** Every request of the page: what it sends (`params`) and what it gets (`result`), by its type. */
export interface PageRequests
  extends SessionRequests,
    ConnectionRequests,
    UseRequests,
    QuestionRequests,
    WireRequests,
    RevisionRequests,
    RecordingRequests,
    JudgeRequests,
    ConversationRequests {}

/** Every event of the server: its members, by its type. */
export interface Events
  extends SessionEvents,
    ConnectionEvents,
    UseEvents,
    QuestionEvents,
    WireEvents,
    RevisionEvents,
    JudgeEvents,
    ConversationEvents {}

export type RequestType = keyof PageRequests;
export type RequestParams<Type extends RequestType> = PageRequests[Type]["params"];
export type RequestResult<Type extends RequestType> = PageRequests[Type]["result"];

export type EventType = keyof Events;

export type PageEvent = {
  readonly [Type in EventType]: { readonly type: Type } & Events[Type];
}[EventType];

export type ServerMessage = ServerReply | PageEvent;
