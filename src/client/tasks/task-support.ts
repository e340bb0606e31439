/** What a client does with tasks. */
export interface ClientTaskOptions {
  /**
   * Whether a server may answer a call with a task, which is then waited for. Default true.
   *
   * In the revision where the client decides that, a call becomes one by its `task` option.
   */
  readonly calls?: boolean | undefined;
  /** Whether the server may put its own questions as tasks, where the revision has that. Default false. */
  readonly asks?: boolean | undefined;
}
