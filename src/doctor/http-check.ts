import type { Finding } from "./finding.ts";
import { type HttpProbe, sendProbe } from "./http-probe.ts";

/** Tries what a hostile web page or network would: each request should be refused. */
export async function checkHttp(
  url: URL,
  probes: readonly HttpProbe[],
  signal: AbortSignal,
): Promise<Finding[]> {
  const isLocal = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
  const findings: Finding[] = [];
  if (url.protocol === "http:" && !isLocal) {
    findings.push({
      severity: "unsafe",
      about: "transport",
      problem: "http sends everything in clear, tokens too",
      fix: "serve it over https",
    });
  }
  const probe = await findAccepted(url, probes, signal);
  if (probe === undefined) return findings;
  const origin = await sendProbe(url, probe, { origin: "https://attacker.example" }, signal);
  if (isAccepted(origin)) {
    findings.push({
      severity: isLocal ? "unsafe" : "advice",
      about: "transport",
      problem: `a request of a foreign web page (Origin) is answered with ${origin}, not 403`,
      fix: "check the Origin header; without that, any web page can reach a server on the machine of its visitor",
    });
  }
  const host = isLocal ? await sendProbe(url, probe, { host: "attacker.example" }, signal) : undefined;
  if (isAccepted(host)) {
    findings.push({
      severity: "unsafe",
      about: "transport",
      problem: `a request for another host name is answered with ${host}, not 403 (DNS rebinding)`,
      fix: "check the Host header",
    });
  }
  return findings;
}

/** The first probe that is accepted as it is. A server that refuses it for another reason, such as a missing token, refuses web pages too. */
async function findAccepted(
  url: URL,
  probes: readonly HttpProbe[],
  signal: AbortSignal,
): Promise<HttpProbe | undefined> {
  for (const probe of probes) if (isAccepted(await sendProbe(url, probe, {}, signal))) return probe;
  return undefined;
}

/** No answer is a refusal, too. */
function isAccepted(status: number | undefined): boolean {
  return status !== undefined && status >= 200 && status < 300;
}
