import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { Finding } from "./finding.ts";

const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
const answerMs = 5_000;

/** Tries what a hostile web page or network would: each request should be refused. */
export async function checkHttp(url: URL, signal: AbortSignal): Promise<Finding[]> {
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
  const origin = await post(url, { origin: "https://attacker.example" }, signal);
  if (isAccepted(origin)) {
    findings.push({
      severity: isLocal ? "unsafe" : "advice",
      about: "transport",
      problem: `a request of a foreign web page (Origin) is answered with ${origin}, not 403`,
      fix: "check the Origin header; without that, any web page can reach a server on the machine of its visitor",
    });
  }
  const host = isLocal ? await post(url, { host: "attacker.example" }, signal) : undefined;
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

/** Anything but a refusal: the request itself is invalid in some revisions, which is another matter. */
function isAccepted(status: number | undefined): boolean {
  return status !== undefined && status >= 200 && status < 300;
}

function post(
  url: URL,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
): Promise<number | undefined> {
  const send = url.protocol === "https:" ? requestHttps : requestHttp;
  return new Promise((resolve) => {
    const sent = send(url, {
      method: "POST",
      signal: AbortSignal.any([signal, AbortSignal.timeout(answerMs)]),
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...headers,
      },
    });
    sent.on("response", (response) => {
      response.destroy();
      resolve(response.statusCode);
    });
    // No answer is a refusal.
    sent.on("error", () => resolve(undefined));
    sent.end(body);
  });
}
