export { TaskRunner, type TaskRunnerOptions } from "./server/tasks/worker/task-runner.ts";
