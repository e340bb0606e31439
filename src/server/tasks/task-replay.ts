import { RpcError } from "../../errors.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { WireCode } from "../../protocol/wire-error.ts";
import type { Question } from "../replay/ask-strategy.ts";
import { rethrowClientRefusal } from "../replay/client-refusal.ts";
import { Replay } from "../replay/replay.ts";

const refusal = "~refusal";

/** What stands for an answer where the client refused to give one. */
export function toRefusedAnswer({ wireCode, message }: RpcError): JsonObject {
  return { [refusal]: { code: wireCode, message } };
}

/** A run within a task. A question that the client refused to answer throws, as it does in the middle of a call. */
export class TaskReplay extends Replay {
  override ask<T>(question: Question<T>): Promise<T> {
    return super.ask({
      ...question,
      read: (answer) => {
        const refused = answer[refusal];
        if (!isObject(refused)) return question.read(answer);
        return rethrowClientRefusal(
          new RpcError(Number(refused.code ?? WireCode.internal), String(refused.message)),
        );
      },
    });
  }
}
