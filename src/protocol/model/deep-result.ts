import type { JsonObject } from "../../lib/json.ts";

/** The result of a response that is nested too deep to be used as a whole: the cause of the error of its request. */
export class DeepResult {
  readonly result: JsonObject;
  /** The characters of its message. */
  readonly size: number;

  constructor(result: JsonObject, size: number) {
    this.result = result;
    this.size = size;
  }
}
