export { TaskRunner, type TaskRunnerOptions } from "./task-runner.ts";
