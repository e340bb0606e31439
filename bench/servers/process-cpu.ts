import { readdirSync, readFileSync } from "node:fs";

/** The processor time of a process so far, of all its threads; time that it waited for a processor does not count. */
export function cpuMsOf(pid: number): number {
  let nanoseconds = 0;
  for (const thread of readdirSync(`/proc/${pid}/task`))
    nanoseconds += Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]);
  return nanoseconds / 1e6;
}
