import type { Examination } from "../../doctor/examine.ts";
import type { Finding } from "../../doctor/finding.ts";
import type { ProviderVerdict } from "../../doctor/tool-check.ts";
import { escapeLine, escapeText } from "../show/escape.ts";
import { showServer } from "../show/server.ts";
import type { Terminal } from "../terminal/terminal.ts";

const mostShown = 12;

/** The report for people: what the server is, how it opened, what it costs, and what to fix first. */
export function showExamination(examination: Examination, terminal: Terminal): string {
  const { server, transport, negotiation, extensions, counts, listMs, tokens, providers, findings } =
    examination;
  const { paint } = terminal;
  const capabilities = Object.keys(server.capabilities).filter((name) => name !== "extensions");
  return [
    showServer(server, terminal),
    `transport: ${escapeLine(transport)}`,
    `capabilities: ${capabilities.map(escapeLine).join(", ") || "none"}`,
    `extensions: ${extensions.map(escapeLine).join(", ") || "none"}`,
    "",
    paint.bold(`Negotiation (${negotiation.ms} ms)`),
    ...negotiation.steps.map(({ atMs, direction, what }) => {
      const arrow = direction === "sent" ? "→" : "←";
      return `  ${String(atMs).padStart(8)} ms ${arrow} ${escapeLine(what)}`;
    }),
    "",
    paint.bold("Revisions"),
    ...examination.revisions.map(({ revision, isSpoken, ms, reason }) =>
      isSpoken
        ? `  ${paint.green("✓")} ${revision} ${paint.dim(`${ms} ms`)}`
        : `  ${paint.red("✗")} ${revision} ${paint.dim(escapeLine(reason ?? ""))}`,
    ),
    "",
    paint.bold(`Offer (${listMs} ms)`),
    `  ${Object.entries(counts)
      .map(([kind, count]) => `${count} ${count === 1 ? kind.replace(/s$/, "") : kind}`)
      .join(", ")}`,
    "",
    paint.bold(`Cost for a model: about ${tokens.total} tokens`),
    "  estimated as one token for four characters of name, description and schema as JSON",
    ...[...tokens.tools]
      .sort((a, b) => b.tokens - a.tokens)
      .slice(0, mostShown)
      .map(({ tool, tokens: cost }) => `  ${String(cost).padStart(6)}  ${escapeLine(tool)}`),
    ...showProviders(providers, paint.bold("Model providers")),
    ...showFindings(findings, terminal),
  ].join("\n");
}

function showProviders(verdicts: readonly ProviderVerdict[], title: string): string[] {
  if (verdicts.length === 0) return ["", title, "  every provider takes every schema as it is"];
  const lines = verdicts.slice(0, mostShown).map(({ tool, provider, problems }) => {
    const more = problems.length > 2 ? `; and ${problems.length - 2} more` : "";
    return `  ${provider}: ${escapeLine(tool)}: ${problems.slice(0, 2).map(escapeLine).join("; ")}${more}`;
  });
  const left = verdicts.length - lines.length;
  return ["", title, ...lines, ...(left > 0 ? [`  and ${left} more; --json shows all`] : [])];
}

function showFindings(findings: readonly Finding[], { paint }: Terminal): string[] {
  if (findings.length === 0) return ["", paint.green("Nothing to fix.")];
  const colour = { unsafe: paint.red, broken: paint.red, advice: paint.yellow };
  return [
    "",
    paint.bold("What to fix, first things first"),
    ...findings.flatMap(({ severity, about, problem, fix }, index) => [
      `  ${index + 1}. ${colour[severity](severity)} ${escapeLine(about)}: ${escapeText(problem)}`,
      `     ${escapeText(fix)}`,
    ]),
  ];
}
