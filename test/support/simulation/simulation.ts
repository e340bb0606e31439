export { createServer, tool } from "allspeak";
export { faultKinds } from "./fault-plan.ts";
export { toCalm, toLarge, toSmall } from "./schedules.ts";
export { simulate } from "./simulate.ts";
export { inSimulation, type SimulatedCluster } from "./simulated-cluster.ts";
