import type { AuthHop } from "allspeak/auth";
import type { Change, LogMessage } from "allspeak/client";
import type { ConnectionView, NegotiationStepView } from "../messages/connection.ts";
import type { Answer, QuestionBody, ScriptedModel } from "../messages/question.ts";

/** The session, as its connections see it. */
export interface ConnectionListener {
  onConnection(view: ConnectionView): void;
  onStep(connection: string, step: NegotiationStepView): void;
  onHop(connection: string, index: number, hop: AuthHop): void;
  onChange(connection: string, change: Change): void;
  onLog(connection: string, message: LogMessage): void;
  onProblem(connection: string, message: string): void;
  ask(connection: string, body: QuestionBody, signal: AbortSignal, seq?: number): Promise<Answer>;
  model(): ScriptedModel;
}
