import type { Promised } from "../contract-case.ts";
import { type FuzzOptions, toPromised } from "./fast-check.ts";
import { races } from "./races.ts";
import { eventModel, sessionModel, valueModel } from "./store-models.ts";
import { taskModel } from "./task-model.ts";

/** Cases whose steps, or whose schedule, are drawn at random. */
export function toFuzzCases(options: FuzzOptions): readonly Promised[] {
  const fuzzed = [sessionModel, eventModel, valueModel, taskModel, ...races];
  return fuzzed.map((one) => toPromised(one, options));
}
