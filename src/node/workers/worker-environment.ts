/** The environment variable that distinguishes a worker of ours from one that the program started by itself. */
export const workerVariable = "ALLSPEAK_WORKER";

export function isOwnWorker(): boolean {
  return process.env[workerVariable] !== undefined;
}
