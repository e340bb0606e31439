import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { LogLevel } from "allspeak";
import { type Client, type ConnectOptions, connect } from "allspeak/client";
import { isServable } from "../../contract/service.ts";
import { nextTurn } from "../../lib/async/yield-turn.ts";
import { isCanonicalLoopbackHost } from "../../lib/loopback.ts";
import { CommandError } from "../command-error.ts";
import { toExitCode } from "../error-exit-code.ts";
import { ExitCode } from "../exit-code.ts";
import { explainExit } from "../explain-exit.ts";
import { escapeLine } from "../show/escape.ts";
import { noteWait } from "../terminal/note-wait.ts";
import { TerminalQuestions } from "../terminal/questions.ts";
import type { Terminal } from "../terminal/terminal.ts";
import { askConsent } from "../terminal/tool-consent.ts";
import { explainUnanswered, UnansweredQuestions } from "../terminal/unanswered.ts";
import { withMissingVariables } from "./command-environment.ts";
import { createProblemNotes } from "./problem-notes.ts";
import type { Library } from "./project-library.ts";
import { readHeaders } from "./read-headers.ts";
import { resolveTarget } from "./resolve-target.ts";
import type { ResolvedTarget } from "./resolved-target.ts";
import { stateFolder } from "./state-folder.ts";
import type { TargetOptions } from "./target-options.ts";

/** A target on the command line, with the options that say how to talk to it. */
export interface TargetRequest {
  readonly target: string;
  readonly options: TargetOptions & { readonly debug?: boolean };
  readonly terminal: Terminal;
  /** Options of `connect` that win over those of the command line. */
  readonly connect?: ConnectOptions;
}

/** Connects, does the work, and closes the connection and its processes whatever happens. */
export async function withTarget<Result>(
  request: TargetRequest,
  work: (client: Client, resolved: ResolvedTarget) => Promise<Result>,
): Promise<Result> {
  const { terminal, options } = request;
  terminal.signal.throwIfAborted();
  const resolved = withStderr(await resolveTarget(request.target, options, terminal), request);
  const open = (await libraryFor(resolved))?.connect ?? connect;
  const stopWatching = watchModule(resolved, request);
  const questions = terminal.canAsk || options["no-input"] ? undefined : new UnansweredQuestions();
  try {
    const opening = open(resolved.target, {
      ...(questions && { elicit: (ask) => questions.answer(ask) }),
      ...(await toConnectOptions(resolved, request)),
      ...request.connect,
    });
    const client = await noteWait(terminal, `an answer of ${request.target}`, opening);
    // A call that has the signal is cancelled first; whatever else waits for the server ends with its connection.
    const interrupt = () => void nextTurn().then(() => client.close());
    terminal.signal.addEventListener("abort", interrupt, { once: true });
    try {
      if (options.log) await client.setLogLevel(options.log as LogLevel);
      return await work(client, resolved);
    } finally {
      terminal.signal.removeEventListener("abort", interrupt);
      stopWatching();
      await client.close();
    }
  } catch (error) {
    const explained = withMissingVariables(withUrl(error, resolved), resolved, terminal.streams.env);
    throw explainUnanswered(questions?.problem ?? explained);
  } finally {
    stopWatching();
  }
}

/** Explains the end of the process while a server of a module has something to answer. */
function watchModule({ kind }: ResolvedTarget, { target, terminal: { signal } }: TargetRequest): () => void {
  if (kind !== "module") return () => {};
  return explainExit({
    path: target,
    during: "before it had answered",
    advice: "A handler must not call process.exit: let it throw an error.",
    code: ExitCode.failed,
    signal,
  });
}

/** The error of a server that answered with no message at all, with its URL. */
function withUrl(error: unknown, { kind, target }: ResolvedTarget): unknown {
  const isUnreadable = error instanceof Error && "code" in error && error.code === "invalid-response";
  if (kind !== "url" || !isUnreadable || error.message.includes(String(target))) return error;
  return new CommandError(`${target}: ${error.message}`, toExitCode(error), { cause: error });
}

/** The library of the project that a module belongs to; undefined for all other targets. */
export async function libraryFor({ target, file }: ResolvedTarget): Promise<Library | undefined> {
  if (file === undefined || !isServable(target)) return undefined;
  const { libraryOf } = await import("./project-library.ts");
  return libraryOf(target, file);
}

/** The options of `connect` that the command line asks for. */
export async function toConnectOptions(
  resolved: ResolvedTarget,
  request: TargetRequest,
): Promise<ConnectOptions> {
  const { terminal, options } = request;
  const headers = { ...resolved.headers, ...readHeaders(options.header ?? []) };
  const questions = new TerminalQuestions(terminal);
  const hasOwnCredentials = Object.keys(headers).some((name) => name.toLowerCase() === "authorization");
  const usesOAuth = resolved.kind === "url" && mayHaveLogin(String(resolved.target)) && !hasOwnCredentials;
  return {
    signal: terminal.signal,
    // A WebSocket takes no headers, not even none.
    ...(resolved.kind === "url" && Object.keys(headers).length > 0 && { headers }),
    ...(usesOAuth && { auth: await openAuth(String(resolved.target), terminal) }),
    ...(options.revision && { revisions: options.revision as NonNullable<ConnectOptions["revisions"]> }),
    ...(options.timeout !== undefined && {
      timeout: toTimeout(options.timeout),
      openTimeout: options.timeout * 1000,
    }),
    ...(terminal.canAsk && {
      elicit: (ask, { server }) => questions.elicit(ask, server),
      sample: (ask, { server }) => questions.sample(ask, server),
    }),
    ...(options.root && { roots: options.root.map((path) => toFileUri(path, terminal)) }),
    consent: (call) => askConsent(call, terminal, options.yes === true),
    ...(needsPins(resolved) && { pin: await openPins(terminal, options.yes === true) }),
    tasks: true,
    onLog: ({ level, logger, data }) => {
      if (options.log === undefined) return;
      const said = typeof data === "string" ? data : JSON.stringify(data);
      terminal.note(terminal.notePaint.dim(escapeLine(`${level}${logger ? ` ${logger}` : ""}: ${said}`)));
    },
    onProblem: createProblemNotes(terminal, options.debug === true),
  };
}

/** Shows what a program writes to its stderr only with `--debug`; an error has its last lines anyway. */
export function withStderr(resolved: ResolvedTarget, { options, terminal }: TargetRequest): ResolvedTarget {
  const { target } = resolved;
  if (typeof target !== "object" || !("command" in target)) return resolved;
  const stderr = (line: string) => terminal.note(terminal.notePaint.dim(escapeLine(line)));
  return { ...resolved, target: { ...target, stderr: options.debug ? stderr : "pipe" } };
}

/** True where tokens may be sent: over https, or on this machine. */
function mayHaveLogin(target: string): boolean {
  const { protocol, hostname } = new URL(target);
  return protocol === "https:" || (protocol === "http:" && isCanonicalLoopbackHost(hostname));
}

async function openAuth(target: string, terminal: Terminal): Promise<NonNullable<ConnectOptions["auth"]>> {
  const { openCredentials } = await import("./credentials.ts");
  return openCredentials(terminal, target);
}

/** A module and a server on this machine are under development: their tools change all the time. */
function needsPins({ kind, target }: ResolvedTarget): boolean {
  if (kind === "command") return true;
  return kind === "url" && !/^\w+:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?:[:/?#]|$)/i.test(String(target));
}

async function openPins(terminal: Terminal, agrees: boolean): Promise<NonNullable<ConnectOptions["pin"]>> {
  const [{ pinTools }, { fileTrustStore }, { askAboutChange }] = await Promise.all([
    import("allspeak/client"),
    import("allspeak/node"),
    import("../terminal/tool-consent.ts"),
  ]);
  return pinTools({
    store: fileTrustStore(join(stateFolder(terminal.streams.env), "tools.json")),
    sharedNames: true,
    approve: (held) => askAboutChange(held, terminal, agrees),
  });
}

function toTimeout(seconds: number): NonNullable<ConnectOptions["timeout"]> {
  return { idle: seconds * 1000, total: seconds * 1000 };
}

function toFileUri(path: string, terminal: Terminal): string {
  return path.startsWith("file:") ? path : pathToFileURL(resolve(terminal.streams.cwd, path)).href;
}
