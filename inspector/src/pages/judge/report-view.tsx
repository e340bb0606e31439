import { useState } from "preact/hooks";
import type { Finding } from "../../../../src/doctor/finding.ts";
import type { DoctorReport } from "../../../../src/inspector/messages/judge.ts";
import { Badge, type Tone } from "../../parts/badge.tsx";
import { toDuration } from "../../parts/format.ts";

const tones: Readonly<Record<Finding["severity"], Tone>> = { unsafe: "bad", broken: "warn", advice: "info" };

export function ReportView({ report }: { readonly report: DoctorReport }) {
  return (
    <div class="report">
      <section class="card stack" aria-label="Summary">
        <h2>
          {report.server.name ?? "The server"} <span class="faint mono small">{report.server.version}</span>
        </h2>
        <div class="tiles">
          <Tile value={report.server.revision} label={`revision, over ${report.transport}`} />
          <Tile value={toDuration(report.negotiation.ms)} label="to negotiate" />
          <Tile value={toDuration(report.listMs)} label="to list everything" />
          <Tile value={report.tokens.total.toLocaleString("en")} label="tokens of tools" />
          {Object.entries(report.counts).map(([what, count]) => (
            <Tile key={what} value={count.toLocaleString("en")} label={what} />
          ))}
        </div>
        <ul class="row wraps">
          {report.revisions.map(({ revision, isSpoken, ms, reason }) => (
            <li key={revision} title={reason}>
              <Badge tone={isSpoken ? "good" : "plain"}>
                {revision} {isSpoken ? toDuration(ms) : "not spoken"}
              </Badge>
            </li>
          ))}
        </ul>
      </section>
      <Findings findings={report.findings} />
      <TokenChart tokens={report.tokens} />
      <Providers providers={report.providers} />
    </div>
  );
}

function Tile({ value, label }: { readonly value: string; readonly label: string }) {
  return (
    <div class="tile">
      <span class="tile-value number">{value}</span>
      <span class="tiny faint">{label}</span>
    </div>
  );
}

function Findings({ findings }: { readonly findings: readonly Finding[] }) {
  return (
    <section class="card stack" aria-label="Findings">
      <h2>Findings</h2>
      {findings.length === 0 && <p class="good">Nothing to mend.</p>}
      <ul class="rows">
        {findings.slice(0, 300).map((finding) => (
          <li key={`${finding.about} ${finding.problem}`} class="stack tight">
            <div class="row wraps">
              <Badge tone={tones[finding.severity]}>{finding.severity}</Badge>
              <strong class="wrap">{finding.about}</strong>
            </div>
            <p class="small wrap">{finding.problem}</p>
            <p class="small soft wrap">{finding.fix}</p>
          </li>
        ))}
      </ul>
    </section>
  );
}

const shownAtFirst = 25;

/** The cost of each tool in the context of a model, dearest first. */
export function TokenChart({ tokens }: { readonly tokens: DoctorReport["tokens"] }) {
  const [isWhole, setWhole] = useState(false);
  const sorted = [...tokens.tools].sort((one, other) => other.tokens - one.tokens);
  const most = Math.max(1, sorted[0]?.tokens ?? 1);
  const shown = isWhole ? sorted.slice(0, 1000) : sorted.slice(0, shownAtFirst);
  return (
    <section class="card stack" aria-label="Token cost">
      <div class="row">
        <h2 class="grow">What the tools cost a model</h2>
        <span class="small soft number">{tokens.total.toLocaleString("en")} tokens in each request</span>
      </div>
      <table class="bars">
        <caption class="hidden-text">Tokens of each tool</caption>
        <colgroup>
          <col class="bars-name" />
          <col />
          <col class="bars-number" />
        </colgroup>
        <tbody>
          {shown.map(({ tool, tokens: cost }) => (
            <tr key={tool}>
              <th scope="row" class="mono clip" title={tool}>
                {tool}
              </th>
              <td class="bar-cell">
                <span class="bar-fill" style={{ width: `${(cost * 100) / most}%` }} />
              </td>
              <td class="number small">{cost.toLocaleString("en")}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {sorted.length > shown.length && (
        <button type="button" class="button quiet" onClick={() => setWhole(true)}>
          Show all {sorted.length.toLocaleString("en")}
        </button>
      )}
    </section>
  );
}

function Providers({ providers }: { readonly providers: DoctorReport["providers"] }) {
  const names = [...new Set(providers.map(({ provider }) => provider))];
  return (
    <section class="card stack" aria-label="Trouble by model provider">
      <h2>Schemas, by model provider</h2>
      {providers.length === 0 && <p class="good">Every provider takes every schema.</p>}
      {names.map((name) => (
        <details key={name} class="more">
          <summary>
            {name} <Badge tone="warn">{providers.filter(({ provider }) => provider === name).length}</Badge>
          </summary>
          <ul class="bullets small">
            {providers
              .filter(({ provider }) => provider === name)
              .slice(0, 200)
              .map(({ tool, problems }) => (
                <li key={tool} class="wrap">
                  <code>{tool}</code>: {problems.join("; ")}
                </li>
              ))}
          </ul>
        </details>
      ))}
    </section>
  );
}
