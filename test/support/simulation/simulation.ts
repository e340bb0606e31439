export { SeededRandom } from "../../../src/testing/seeded-random.ts";
export { calmStore, type Fault, faultKinds, planFaults } from "./fault-plan.ts";
export { simulate } from "./simulate.ts";
