export type { ContractCase } from "./testing/state/contract-case.ts";
export { type StateContractOptions, stateContract } from "./testing/state/state-contract.ts";
