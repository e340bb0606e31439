import type { Promised } from "../contract-case.ts";
import { type FuzzOptions, toPromised } from "./fast-check.ts";
import { races } from "./races.ts";
import { eventModel, sessionModel, valueModel } from "./store-models.ts";
import { taskModel } from "./task-model.ts";

/** Cases whose steps, or whose schedule, are drawn at random. */
export function toFuzzCases(options: FuzzOptions): readonly Promised[] {
  const { runs = 20, schedules = runs } = options;
  const models = [sessionModel, eventModel, valueModel, taskModel];
  return [
    ...models.map((model) => toPromised(model, runs, options)),
    ...races.map((race) => toPromised(race, schedules, options)),
  ];
}
