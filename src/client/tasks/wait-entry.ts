/** What waits for tasks, loaded together by the first of them. */

export { fetchTask } from "./task-requests.ts";
export { waitForTask } from "./wait-for-task.ts";
