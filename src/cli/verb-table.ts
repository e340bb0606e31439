import type { VerbRow } from "./verb.ts";

/** All verbs, in the order of the help. A new verb is a file in `verbs/` and a row here. */
export const verbTable: readonly VerbRow[] = [
  {
    name: "serve",
    summary: "Serve the server value that a module exports",
    load: async () => (await import("./verbs/serve.ts")).serve,
  },
  {
    name: "everything",
    summary: "Serve the demo server of this package",
    load: async () => (await import("./verbs/everything.ts")).everything,
  },
  {
    name: "bridge",
    summary: "Serve a server again: any revision, over any transport, in every revision",
    load: async () => (await import("./verbs/bridge.ts")).bridge,
  },
  {
    name: "gateway",
    summary: "Serve all servers of a host's file behind one endpoint",
    load: async () => (await import("./verbs/gateway.ts")).gateway,
  },
  {
    name: "list",
    summary: "Show what a server offers: tools, resources, prompts",
    load: async () => (await import("./verbs/list.ts")).list,
  },
  {
    name: "call",
    summary: "Call a tool",
    load: async () => (await import("./verbs/call.ts")).call,
  },
  {
    name: "read",
    summary: "Read a resource",
    load: async () => (await import("./verbs/read.ts")).read,
  },
  {
    name: "prompt",
    summary: "Get a prompt",
    load: async () => (await import("./verbs/prompt.ts")).prompt,
  },
  {
    name: "complete",
    summary: "Complete an argument of a prompt or a resource template",
    load: async () => (await import("./verbs/complete.ts")).complete,
  },
  {
    name: "subscribe",
    summary: "Watch for changes",
    load: async () => (await import("./verbs/subscribe.ts")).subscribe,
  },
  {
    name: "tasks",
    summary: "List, show, await or cancel tasks",
    load: async () => (await import("./verbs/tasks.ts")).tasks,
  },
  {
    name: "login",
    summary: "Log in to a server",
    load: async () => (await import("./verbs/login.ts")).login,
  },
  {
    name: "logout",
    summary: "Forget the tokens for a server",
    load: async () => (await import("./verbs/logout.ts")).logout,
  },
  {
    name: "whoami",
    summary: "Show who you are for a server",
    load: async () => (await import("./verbs/whoami.ts")).whoami,
  },
  {
    name: "inspect",
    summary: "Open a page that shows a server, and every message",
    load: async () => (await import("./verbs/inspect.ts")).inspect,
  },
  {
    name: "doctor",
    summary: "Examine a server: revisions, safety, cost, what to fix first",
    load: async () => (await import("./verbs/doctor.ts")).doctor,
  },
  {
    name: "install",
    summary: "Add a server to the file of a host",
    load: async () => (await import("./verbs/install.ts")).install,
  },
  {
    name: "uninstall",
    summary: "Take a server out of the file of a host",
    load: async () => (await import("./verbs/uninstall.ts")).uninstall,
  },
  {
    name: "types",
    summary: "Write a typed client for a server",
    load: async () => (await import("./verbs/types.ts")).types,
  },
  {
    name: "bench",
    summary: "Put load on a server, and show latencies",
    load: async () => (await import("./verbs/bench.ts")).bench,
  },
  {
    name: "new",
    summary: "Write a small, tested project",
    load: async () => (await import("./verbs/new.ts")).newProject,
  },
  {
    name: "completion",
    summary: "Write the script that completes this command in a shell",
    load: async () => (await import("./verbs/completion.ts")).completion,
  },
];
