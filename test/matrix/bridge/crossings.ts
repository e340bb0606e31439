import type { RevisionName } from "allspeak";

/** The two sides of a bridge: the revisions, and the transport of the server. */
export interface Pair {
  readonly client: RevisionName;
  readonly server: RevisionName;
  readonly far: "memory" | "http" | "stdio";
}

export interface Crossing {
  /**
   * `by the older`: the client sees what the older of the two revisions knows.
   * `by the server`: the revision of the server decides what the client sees.
   * `excepted`: the case is about something that ends at a bridge by its nature.
   */
  readonly kind: "by the older" | "by the server" | "excepted";
  readonly reason: string;
  /** True for a case that passes or not by chance, so that nothing follows from a run of it. */
  readonly isRace?: true;
  /** The pairs that it holds for. Default: all. */
  readonly where?: (pair: Pair) => boolean;
  /** The suites, or the cases of them, that it holds for. */
  readonly cases: { readonly [suite: string]: readonly string[] };
}

interface NamedTask {
  readonly name: string;
  readonly suite?: NamedTask | undefined;
}

/** The name of a case within its place. */
export function toCaseName(task: NamedTask): string {
  const { suite } = task;
  return suite === undefined || suite.name.includes(" through a bridge to ")
    ? task.name
    : `${toCaseName(suite)} > ${task.name}`;
}

/** The row of a case; undefined where the bridge changes nothing. */
export function findCrossing(suite: string, name: string, pair: Pair): Crossing | undefined {
  return crossings.find(
    ({ cases, where = () => true }) => cases[suite]?.includes(name) === true && where(pair),
  );
}

const since = (revision: RevisionName, first: RevisionName) => revision >= first;
const elicits = (revision: RevisionName) => since(revision, "2025-06-18");
const hasTasks = (revision: RevisionName) => since(revision, "2025-11-25");
const hasRounds = (revision: RevisionName) => since(revision, "2026-07-28");

const straightLine = ["elicitation", "request_state", "multiple_inputs", "multi_round", "tampered_state"];

const asksTheUser = {
  "asking the user": [
    "puts a form to the user and gives the handler the checked answer",
    "takes decline for an answer",
    "takes cancel for an answer",
    "puts choices into the words of the revision",
    "lets the user choose several where the revision has that",
    "takes the fallback where the user can't be asked",
  ],
  "the everything server asks": [
    "the user",
    "with a form that is filled in already",
    "with choices of every kind",
    ...straightLine.map((name) => `in a straight line: ${name}`),
    "for the context of a prompt",
  ],
  "a request of the server": ["asks the user"],
  "asking in a straight line": [
    "takes decline for an answer",
    "takes cancel for an answer",
    "fills in what the user left to the form",
  ],
};

const asksFirst = "ask before they become tasks";

const needsTasks = [
  "give the result of the call, be they tasks or not",
  "run where they must be tasks, or are refused in plain words",
  "run in mounted servers as well",
  "fail as calls do",
  asksFirst,
  "ask in their middle, and do once what is done once",
  "end when they are given up",
  "can be looked up, gone on with and cancelled by id",
];

/** Where the server decides on tasks, a client takes a plain answer as well. */
const runsWithoutTasks = [
  "run in mounted servers as well",
  "fail as calls do",
  "ask in their middle, and do once what is done once",
];

/** The first row that names a case, and holds for its pair, is the one that counts. */
export const crossings: readonly Crossing[] = [
  {
    kind: "excepted",
    reason: "changes come to the bridge by its subscription, maybe after the answers that the case waits for",
    isRace: true,
    where: ({ client, server }) => hasRounds(server) && !hasRounds(client),
    cases: { "changes of what is offered": ["come unasked, or only to those who listen"] },
  },
  {
    kind: "excepted",
    reason: "the server's client is the bridge, which has a name and sessions of its own",
    cases: {
      "access hooks": ["hide items from lists, whoever asked for the same list before", "let the others in"],
    },
  },
  {
    kind: "excepted",
    reason: "the server's client is the bridge, which speaks another revision than its callers",
    where: ({ client, server }) => client !== server,
    cases: { "a connection": ["tells a tool who calls"] },
  },
  {
    kind: "excepted",
    reason: "a bridge reads a list to its end and cuts pages of its own, with no metadata but its own",
    cases: {
      pagination: [
        "gives tools/list in pages of the chosen size",
        "gives prompts/list in pages of the chosen size",
        "gives resources/list in pages of the chosen size",
        "gives resources/templates/list in pages of the chosen size",
        "is of no concern to a client that wants all",
        "asks only for the pages that are needed",
        "refuses the cursor of another list",
      ],
      "every page": ["is the one that it is in memory"],
      middleware: ["stands around every request and may change its result"],
    },
  },
  {
    kind: "excepted",
    reason: "lists of a bridge depend on the caller, and may change at any time: they are not for caches",
    where: ({ client }) => hasRounds(client),
    cases: {
      "access hooks": ["make a list private, where lists say who may keep them"],
      "changes of what is offered": ["are cached as long as the server said, where it can say so"],
      "every method": ["is answered as it is in memory"],
    },
  },
  {
    kind: "excepted",
    reason: "a bridge passes two changes of a list at once, and then one a second",
    cases: {
      "changes of what is offered": [
        "are told, once for each list, when something is registered, disabled, enabled or removed",
      ],
    },
  },
  {
    kind: "excepted",
    reason: "each connection to a command is a process of its own, and one of them is heard for changes",
    where: ({ far }) => far === "stdio",
    cases: {
      "the everything server": ["tells of changes"],
      "changes of what is offered": ["come unasked, or only to those who listen"],
      subscriptions: [
        "tell of updates to the resources that were asked for, and of no others",
        "are acknowledged before anything else is told, and each notice names its subscription",
      ],
    },
  },
  {
    kind: "excepted",
    reason: "progress that arrives while older progress waits to be written takes its place",
    where: ({ far }) => far !== "memory",
    cases: {
      progress: [
        "reaches the caller while the call runs, growing, with a message where the revision has one",
        "of calls at the same time reaches each caller its own",
      ],
    },
  },
  {
    kind: "excepted",
    reason:
      "it compares everything with the answers of the client's revision; what differs is a case by itself",
    where: ({ client, server }) => client !== server && (client > server || hasTasks(server)),
    cases: { "every method": ["is answered as it is in memory"] },
  },
  {
    kind: "excepted",
    reason: "a server of 2026-07-28 does not list which tools become tasks, so all can be called as tasks",
    where: ({ client, server }) => client === "2025-11-25" && server === "2026-07-28",
    cases: {
      "the everything server": [
        "lists what a person calls first, describes every tool, and marks the parameter that is in a header",
      ],
    },
  },
  {
    kind: "excepted",
    reason: "the context of a completion does not reach a server that has no place for it",
    where: ({ client, server }) => since(client, "2025-06-18") && !since(server, "2025-06-18"),
    cases: {
      completion: ["knows the arguments that are filled in already, where the revision sends them"],
    },
  },
  {
    kind: "excepted",
    reason: "a server of 2026-07-28 refuses the call itself if its client can't be asked",
    where: ({ client, server }) => hasRounds(server) && !elicits(client),
    cases: {
      ...asksTheUser,
      "calls that may become tasks": ["ask in their middle, and do once what is done once"],
    },
  },
  {
    kind: "excepted",
    reason: "a server of 2026-07-28 refuses the call itself if its client can't be asked",
    where: ({ client, server }) => hasRounds(server) && !since(client, "2025-11-25"),
    cases: {
      "asking the user": [
        "lets the user choose several where the revision has that",
        "asks the user to visit a page where the revision has that",
      ],
      "asking the model": ["lends the model tools where the revision and the client can"],
    },
  },
  {
    kind: "excepted",
    reason: "a server that takes its client for one of its own revision learns by an error that it is older",
    where: ({ client, server }) => client === "2025-06-18" && server === "2025-11-25",
    cases: {
      "asking the user": ["lets the user choose several where the revision has that"],
      "the everything server asks": ["with choices of every kind"],
    },
  },
  {
    kind: "excepted",
    reason:
      "the form comes from the older revision, and the request that brings it has the form of the newer",
    where: ({ client, server }) => server === "2025-06-18" && since(client, "2025-11-25"),
    cases: { "asking the user": ["puts a form to the user and gives the handler the checked answer"] },
  },
  {
    kind: "excepted",
    reason: "a client of 2026-07-28 is told that it must not cache what a server says nothing of",
    where: ({ client, server }) => hasRounds(client) && !hasRounds(server),
    cases: { resources: ["say how long they may be kept where the revision lets them"] },
  },
  {
    kind: "excepted",
    reason: "a server that asks while a call runs names no questions: a bridge names them",
    where: ({ client, server }) => hasRounds(client) && !hasRounds(server),
    cases: {
      "the everything server asks": [
        "again when the answers can't be read, and refuses state that was changed",
      ],
    },
  },
  {
    kind: "excepted",
    reason: "a bridge asks each side in its own way, so that one side without rounds is no hindrance",
    where: ({ client, server }) => client !== server && (hasRounds(client) || hasRounds(server)),
    cases: {
      "a request of the server": ["asks by an unfinished result, which is answered and sent again"],
    },
  },
  {
    kind: "excepted",
    reason: "a bridge asks each side in its own way, so that one side without rounds is no hindrance",
    where: ({ client, server }) => client !== server,
    cases: {
      "asking by an unfinished result": [
        "is answered and sent again until the result is complete",
        "works for prompts too",
        "is refused to a client that can't answer",
      ],
    },
  },
  {
    kind: "excepted",
    reason: "the server has no tasks",
    where: ({ client, server }) => client === "2025-11-25" && !hasTasks(server),
    cases: { "calls that may become tasks": needsTasks },
  },
  {
    kind: "excepted",
    reason: "the server has no tasks",
    where: ({ client, server }) => hasRounds(client) && !hasTasks(server),
    cases: {
      "calls that may become tasks": needsTasks.filter(
        (name) => !runsWithoutTasks.includes(name) && name !== asksFirst,
      ),
    },
  },
  {
    kind: "excepted",
    reason: "the server has no tasks, so that the call in which it asks stays a call",
    where: ({ client, server }) => hasRounds(client) && elicits(server) && !hasTasks(server),
    cases: { "calls that may become tasks": [asksFirst] },
  },
  {
    kind: "excepted",
    reason: "a bridge waits for tasks in place of a client that has none",
    where: ({ client, server }) => !hasTasks(client) && hasTasks(server),
    cases: {
      "calls that may become tasks": ["run where they must be tasks, or are refused in plain words"],
    },
  },
  {
    kind: "excepted",
    reason: "a server of 2026-07-28 makes a task of the call by itself, and the bridge waits for its result",
    where: ({ client, server }) => !hasTasks(client) && hasRounds(server),
    cases: { "calls that may become tasks": [asksFirst] },
  },
  {
    kind: "excepted",
    reason: "a bridge waits for tasks in place of a client that has none, and hears of no progress meanwhile",
    where: ({ client, server }) => !hasTasks(client) && hasRounds(server),
    cases: { "calls that may become tasks": ["end when they are given up"] },
  },
  {
    kind: "by the server",
    reason: "what is new in 2025-03-26 and 2025-06-18 does not reach an older client",
    where: ({ client, server }) => client < server && !hasTasks(server),
    cases: { "every method": ["is answered as it is in memory"] },
  },
  {
    kind: "by the server",
    reason: "the server decides whether a call becomes a task",
    where: ({ client, server }) => elicits(client) && !hasTasks(client) && server === "2025-11-25",
    cases: { "calls that may become tasks": [asksFirst] },
  },
  {
    kind: "by the server",
    reason: "the server decides whether a call becomes a task",
    where: ({ client, server }) => !hasTasks(client) && server === "2025-11-25",
    cases: { "calls that may become tasks": ["end when they are given up"] },
  },
  {
    kind: "by the server",
    reason: "the server decides where it says that arguments are bad, or that its client lacks a capability",
    cases: {
      arguments: [
        "that do not fit are refused: to the model where it can mend them, else as an error",
        "that are missing are named",
        "that are misspelt come with a suggestion",
        "that a tool does not know are refused by a tool that says so",
      ],
      "unknown arguments to a server that refuses them": ["are refused for every tool"],
      schemas: ["zod", "zod3", "valibot", "arktype", "json"].map(
        (library) => `written with ${library} let the right arguments through and no others`,
      ),
      "asking the user of a client that can't": [
        "is an error that the tool tells the model, and nothing is sent",
      ],
      "asking the model of a client that can't": [
        "is refused before anything is sent",
        "refuses a tool that needs it, naming the capability",
      ],
      roots: ["of a client that has none can't be asked for"],
      "asking in a straight line": [
        "goes on with the fallback, or says what is missing, where the client can't be asked",
        "here > cleans up after every run",
        "in a mounted server > cleans up after every run",
      ],
    },
  },
  {
    kind: "by the older",
    reason: "one of the two has no such question; else it has the form of the client's revision",
    where: ({ server }) => !since(server, "2025-11-25"),
    cases: { "asking the user": ["asks the user to visit a page where the revision has that"] },
  },
  {
    kind: "by the older",
    reason: "what the older of the two revisions has no place for does not arrive",
    cases: {
      ...asksTheUser,
      "calls that may become tasks": needsTasks,
      "asking the model": [
        "splits a message of several blocks where a message has one",
        "lends the model tools where the revision and the client can",
      ],
      "the everything server": ["answers with every kind of content"],
      content: [
        "that a revision does not know becomes the nearest that it does",
        "of a prompt's messages is treated alike",
      ],
      "what a server says of itself and its items": [
        "names the server with what the revision knows of a name",
        "describes a tool",
        "describes a resource",
        "describes a template",
        "describes a prompt and its arguments",
      ],
      "structured output": [
        "comes with a text twin, and alone as text where the revision has no structure",
        "is promised by a schema where the revision has a place for it",
        "may be something else than an object only in the newest revision",
      ],
      resources: [
        "say how long they may be kept where the revision lets them",
        "are asked for again unless they may be kept",
      ],
      progress: [
        "reaches the caller while the call runs, growing, with a message where the revision has one",
      ],
      mounting: ["passes the progress of near back", "passes the progress of far back"],
    },
  },
];
