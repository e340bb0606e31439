import { RpcError } from "../../protocol/errors.ts";
import { isObject, type JsonObject } from "../../protocol/json.ts";
import { WireCode } from "../../protocol/wire-error.ts";
import type { Question } from "../replay/asking.ts";
import { noteRefusal } from "../replay/refusal.ts";
import { Replay } from "../replay/replay.ts";

const refusal = "~refusal";

/** What stands for an answer where the client refused to give one. */
export function toRefusal({ wireCode, message }: RpcError): JsonObject {
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
        return noteRefusal(new RpcError(Number(refused.code ?? WireCode.internal), String(refused.message)));
      },
    });
  }
}
