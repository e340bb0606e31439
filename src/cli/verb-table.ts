import type { VerbRow } from "./verb.ts";

/** All verbs, in the order of the help. A new verb is a file in a folder of `verbs/` and a row here. */
export const verbTable: readonly VerbRow[] = [
  {
    name: "serve",
    summary: "Serve the server value that a module exports",
    load: async () => (await import("./verbs/serve/serve.ts")).serve,
  },
  {
    name: "everything",
    summary: "Serve the demo server of this package",
    load: async () => (await import("./verbs/serve/everything.ts")).everything,
  },
  {
    name: "bridge",
    summary: "Serve a server again: any revision, over any transport, in every revision",
    load: async () => (await import("./verbs/serve/bridge.ts")).bridge,
  },
  {
    name: "gateway",
    summary: "Serve all servers of a host's file behind one endpoint",
    load: async () => (await import("./verbs/serve/gateway.ts")).gateway,
  },
  {
    name: "list",
    summary: "Show what a server offers: tools, resources, prompts",
    load: async () => (await import("./verbs/request/list.ts")).list,
  },
  {
    name: "call",
    summary: "Call a tool",
    load: async () => (await import("./verbs/request/call.ts")).call,
  },
  {
    name: "read",
    summary: "Read a resource",
    load: async () => (await import("./verbs/request/read.ts")).read,
  },
  {
    name: "prompt",
    summary: "Get a prompt",
    load: async () => (await import("./verbs/request/prompt.ts")).prompt,
  },
  {
    name: "complete",
    summary: "Complete an argument of a prompt or a resource template",
    load: async () => (await import("./verbs/request/complete.ts")).complete,
  },
  {
    name: "subscribe",
    summary: "Watch for changes",
    load: async () => (await import("./verbs/request/subscribe.ts")).subscribe,
  },
  {
    name: "tasks",
    summary: "List, show, await or cancel tasks",
    load: async () => (await import("./verbs/request/tasks.ts")).tasks,
  },
  {
    name: "login",
    summary: "Log in to a server",
    load: async () => (await import("./verbs/auth/login.ts")).login,
  },
  {
    name: "logout",
    summary: "Forget the tokens for a server",
    load: async () => (await import("./verbs/auth/logout.ts")).logout,
  },
  {
    name: "whoami",
    summary: "Show who you are for a server",
    load: async () => (await import("./verbs/auth/whoami.ts")).whoami,
  },
  {
    name: "inspect",
    summary: "Open a page that shows a server, and every message",
    load: async () => (await import("./verbs/inspect/inspect.ts")).inspect,
  },
  {
    name: "doctor",
    summary: "Examine a server: revisions, safety, cost, what to fix first",
    load: async () => (await import("./verbs/inspect/doctor.ts")).doctor,
  },
  {
    name: "install",
    summary: "Add a server to the file of a host",
    load: async () => (await import("./verbs/setup/install.ts")).install,
  },
  {
    name: "uninstall",
    summary: "Take a server out of the file of a host",
    load: async () => (await import("./verbs/setup/uninstall.ts")).uninstall,
  },
  {
    name: "types",
    summary: "Write a typed client for a server",
    load: async () => (await import("./verbs/setup/types.ts")).types,
  },
  {
    name: "bench",
    summary: "Put load on a server, and show latencies",
    load: async () => (await import("./verbs/inspect/bench.ts")).bench,
  },
  {
    name: "new",
    summary: "Write a small, tested project",
    load: async () => (await import("./verbs/setup/new.ts")).newProject,
  },
  {
    name: "completion",
    summary: "Write the script that completes this command in a shell",
    load: async () => (await import("./verbs/setup/completion.ts")).completion,
  },
];
