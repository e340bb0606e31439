/** What waits for tasks, loaded together by the first of them. */
export { driveTask } from "./drive-task.ts";
export { fetchTask } from "./task-requests.ts";
