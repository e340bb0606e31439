import { createServer, type Tool } from "allspeak";
import type { Client, ConnectOptions } from "allspeak/client";
import { type Finding, sortFindings } from "./finding.ts";
import { checkHttp } from "./http-check.ts";
import { type HttpProbe, streamProbe, toDiscover, toInitialize } from "./http-probe.ts";
import { NegotiationRecorder, type NegotiationStep } from "./negotiation.ts";
import { checkTemplates } from "./template-check.ts";
import { estimateTokens, type ToolCost } from "./token-cost.ts";
import { checkProviders, checkTools, type ProviderVerdict } from "./tool-check.ts";

export interface RevisionCheck {
  readonly revision: string;
  readonly isSpoken: boolean;
  readonly ms: number;
  readonly reason?: string;
}

/** Everything that the doctor finds out about a server. */
export interface Examination {
  readonly server: Client["server"];
  readonly transport: string;
  readonly negotiation: { readonly ms: number; readonly steps: readonly NegotiationStep[] };
  readonly revisions: readonly RevisionCheck[];
  readonly extensions: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
  readonly listMs: number;
  readonly tokens: { readonly total: number; readonly tools: readonly ToolCost[] };
  readonly providers: readonly ProviderVerdict[];
  readonly findings: readonly Finding[];
}

/** The way to a server, as often as the doctor wants to see it. */
export interface Patient {
  /** Connects with these options, does the work, and closes the connection whatever happens. */
  visit<Result>(
    options: ConnectOptions,
    work: (client: Client, place: VisitedPlace) => Promise<Result>,
  ): Promise<Result>;
  readonly signal: AbortSignal;
  /** Called with each thing that the doctor does. */
  onStep?(what: string): void;
}

export interface VisitedPlace {
  readonly kind: string;
  readonly target: unknown;
}

type Visit = Omit<Examination, "revisions" | "findings"> & {
  readonly findings: Finding[];
  readonly url: string | undefined;
};

export async function examine(patient: Patient): Promise<Examination> {
  const { url, findings, ...visit } = await visitServer(patient);
  const revisions = await checkRevisions(patient);
  const probes = visit.transport === "HTTP+SSE" ? [streamProbe] : toProbes(revisions);
  const safety = url === undefined ? [] : await checkSafety(new URL(url), probes, patient);
  return {
    ...visit,
    revisions,
    findings: sortFindings([...safety, ...findings, ...judgeRevisions(revisions)]),
  };
}

/** A probe for each way to open a connection that the server speaks. */
function toProbes(revisions: readonly RevisionCheck[]): HttpProbe[] {
  const isSpoken = ({ version }: { readonly version: string }) =>
    revisions.some((check) => check.isSpoken && check.revision === version);
  const [handshake] = supported().opening("handshake").filter(isSpoken);
  const [eachRequest] = supported().opening("each-request").filter(isSpoken);
  return [
    ...(handshake ? [toInitialize(handshake.version)] : []),
    ...(eachRequest ? [toDiscover(eachRequest.version)] : []),
  ];
}

async function checkSafety(url: URL, probes: readonly HttpProbe[], patient: Patient): Promise<Finding[]> {
  patient.onStep?.("sends what a hostile web page would");
  return checkHttp(url, probes, patient.signal);
}

async function visitServer(patient: Patient): Promise<Visit> {
  const recorder = new NegotiationRecorder();
  const problems: Error[] = [];
  const connect: ConnectOptions = {
    onMessage: recorder.record,
    onProblem: (problem) => void problems.push(problem),
  };
  patient.onStep?.("connects and reads all lists");
  return patient.visit(connect, async (client, { kind, target }) => {
    const negotiation = { ms: recorder.elapsedMs, steps: [...recorder.steps] };
    const listedAt = performance.now();
    const { tools, templates, counts } = await readLists(client);
    const listMs = Math.round(performance.now() - listedAt);
    const costs = tools.map((tool) => ({ tool: tool.name, tokens: estimateTokens(tool) }));
    const { extensions } = client.server.capabilities;
    return {
      server: client.server,
      transport: describeTransport(client.hint.shape, kind),
      negotiation,
      extensions: Object.keys(extensions ?? {}),
      counts,
      listMs,
      tokens: { total: costs.reduce((sum, { tokens }) => sum + tokens, 0), tools: costs },
      providers: checkProviders(tools),
      findings: [...problems.map(toFinding), ...(await checkTools(tools)), ...checkTemplates(templates)],
      url: kind === "url" && /^https?:/i.test(String(target)) ? String(target) : undefined,
    };
  });
}

/** The transport by its usual name. Of URLs, only those over HTTP have a shape. */
function describeTransport(shape: string | undefined, kind: string): string {
  if (shape !== undefined) return shape === "sse" ? "HTTP+SSE" : "Streamable HTTP";
  if (kind === "command") return "stdio";
  return kind === "url" ? "WebSocket" : "in memory";
}

interface Lists {
  readonly tools: readonly Tool[];
  readonly templates: readonly string[];
  readonly counts: Readonly<Record<string, number>>;
}

async function readLists(client: Client): Promise<Lists> {
  const { capabilities } = client.server;
  const tools = capabilities.tools ? await client.tools.list().all() : [];
  const resources = capabilities.resources ? await client.resources.list().all() : [];
  const templates = capabilities.resources ? await client.resources.templates().all() : [];
  const prompts = capabilities.prompts ? await client.prompts.list().all() : [];
  const counts = {
    tools: tools.length,
    resources: resources.length,
    templates: templates.length,
    prompts: prompts.length,
  };
  return { tools, templates: templates.map(({ uriTemplate }) => uriTemplate), counts };
}

function toFinding({ message }: Error): Finding {
  return {
    severity: "broken",
    about: "messages",
    problem: message,
    fix: "send what the specification's schema allows",
  };
}

/** Connects once for each revision, as a client would that knows no other. */
async function checkRevisions(patient: Patient): Promise<RevisionCheck[]> {
  const checks: RevisionCheck[] = [];
  for (const revision of knownRevisions()) {
    patient.onStep?.(`connects as a client of ${revision}`);
    const startedAt = performance.now();
    const elapsed = () => Math.round(performance.now() - startedAt);
    try {
      await patient.visit({ revisions: [revision], onProblem: () => {} }, async () => {});
      checks.push({ revision, isSpoken: true, ms: elapsed() });
    } catch (error) {
      patient.signal.throwIfAborted();
      const reason = error instanceof Error ? error.message : String(error);
      checks.push({ revision, isSpoken: false, ms: elapsed(), reason });
    }
  }
  return checks;
}

type RevisionName = NonNullable<ConnectOptions["revisions"]>[number];

/** The revisions that this library knows, newest first. */
function knownRevisions(): readonly RevisionName[] {
  return supported().names as readonly RevisionName[];
}

function supported() {
  return createServer({ name: "doctor", version: "0" })["~service"]().supported;
}

function judgeRevisions(revisions: readonly RevisionCheck[]): Finding[] {
  const [newest] = revisions;
  if (newest === undefined || newest.isSpoken) return [];
  return [
    {
      severity: "advice",
      about: "revision",
      problem: `it does not speak ${newest.revision}, the newest`,
      fix: "update its library; older clients are not affected",
    },
  ];
}
