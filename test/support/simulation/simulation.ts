export { calmStore, type Fault, faultKinds, planFaults } from "./fault-plan.ts";
export { SeededRandom } from "./seeded-random.ts";
export { simulate } from "./simulate.ts";
