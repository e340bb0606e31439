export { TaskRunner, type TaskRunnerOptions } from "./server/tasks/task-runner.ts";
