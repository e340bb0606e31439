import { RpcError } from "../../../errors.ts";
import { isObject, type JsonObject } from "../../../lib/json.ts";
import { WireCode } from "../../../protocol/wire-error.ts";
import { rethrowClientRefusal } from "../../errors/rpc-error-origin.ts";
import type { EncodedQuestion } from "../../replay/ask-strategy.ts";
import { ReplayAskStrategy } from "../../replay/replay-ask-strategy.ts";

const refusal = "~refusal";

/** The stored answer to a question that the client refused with an error. */
export function toRefusedAnswer({ wireCode, message }: RpcError): JsonObject {
  return { [refusal]: { code: wireCode, message } };
}

/** The replay of a task. A question that the client refused throws, as it does during a call. */
export class TaskReplay extends ReplayAskStrategy {
  override ask<T>(question: EncodedQuestion<T>): Promise<T> {
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
