import { memoryState } from "allspeak/http";
import { describeState } from "./state.ts";

describeState("memory", () => memoryState());
