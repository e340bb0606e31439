// Runs the official conformance suite, strictly: a warning counts as a failure.
//
//   npm run conformance              server and client
//   npm run conformance -- server    one of them
//   npm run conformance -- client auth/dpop    only the scenarios that begin so
//
// The suite needs a newer Node.js than we do, so both are installed in a folder of their own.
import { spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildIfStale } from "../../scripts/build.js";

const here = fileURLToPath(new URL(".", import.meta.url));
const root = fileURLToPath(new URL("../..", import.meta.url));
const suite = join(here, "suite");
const node22 = join(suite, "node_modules/.bin/node");
const program = join(suite, "node_modules/@modelcontextprotocol/conformance/dist/index.js");
const clientCommand = `${process.execPath} ${join(root, "build/test/conformance/client.js")}`;
const revisions = ["2025-11-25", "2026-07-28"];
// Extensions belong to no revision, and work with each that there is a set of requirements for.
const isSpoken = (spoken, revision) =>
  spoken.split(",").includes(revision) || (spoken === "extension" && revisions.includes(revision));

// Skills are not there yet; for notifications of tasks the suite itself has no checks.
const isLeftOut = (scenario) => scenario === "tasks-status-notifications" || scenario.startsWith("sep-2640");
// These end in an error of the client when all goes well.
const mayFail = new Set(["http-invalid-tool-headers"]);
// The suite counts these as passed when it skips them, so nothing was shown.
const isEmpty = (checks) => !checks.some(({ status }) => status === "SUCCESS");

const [only, prefix = ""] = process.argv.slice(2);
await buildIfStale();
if (!existsSync(node22))
  spawnSync("npm", ["ci", "--loglevel=error"], { cwd: suite, stdio: ["ignore", 2, 2] });

let failures = 0;
let passes = 0;
if (only !== "client") await withServer(runServerScenarios);
if (only !== "server") await runClientScenarios();
console.log(`conformance: ${passes} passed, ${failures} failed`);
process.exit(failures > 0 ? 1 : 0);

async function runServerScenarios(url) {
  for (const revision of revisions) {
    await inFolder(async (folder) => {
      await runSuite(["server", "--url", url, "--requirements", revision, "-o", folder]);
      for (const { scenario, checks } of await readResults(folder, "server-")) {
        if (!isLeftOut(scenario) && scenario.startsWith(prefix))
          report(`server ${revision} ${scenario}`, problemsOf(checks));
      }
    });
  }
}

async function runClientScenarios() {
  const [, listed = ""] =
    /Client scenarios([\s\S]*?)Authorization server/.exec((await runSuite(["list"])).stdout) ?? [];
  const scenarios = [...listed.matchAll(/^\s+- (\S+) \[([^\]]*)\]/gm)];
  const runs = ["2025-03-26", ...revisions].flatMap((revision) =>
    scenarios
      .filter(([, scenario, spoken]) => isSpoken(spoken, revision) && !isLeftOut(scenario))
      .map(([, scenario]) => ({ scenario, revision }))
      .filter(({ scenario }) => scenario.startsWith(prefix)),
  );
  // Each has a server and a client of its own, and keeps about one core busy.
  const takeTurns = async () => {
    for (let run = runs.shift(); run; run = runs.shift()) await runClientScenario(run);
  };
  await Promise.all(Array.from({ length: availableParallelism() }, takeTurns));
}

async function runClientScenario({ scenario, revision }) {
  await inFolder(async (folder) => {
    const args = ["--command", clientCommand, "--scenario", scenario, "--spec-version", revision, "--force"];
    const { code } = await runSuite(["client", ...args, "--timeout", "120000", "-o", folder]);
    const checks = (await readResults(folder, "")).flatMap((result) => result.checks);
    const exit = code === 0 || mayFail.has(scenario) ? [] : [`exit code ${code}`];
    report(`client ${revision} ${scenario}`, [...exit, ...problemsOf(checks)]);
  });
}

function problemsOf(checks) {
  if (isEmpty(checks)) return ["nothing was checked"];
  const bad = checks.filter(({ status }) => status === "FAILURE" || status === "WARNING");
  return bad.map(({ status, id, errorMessage }) => `${status} ${id}: ${errorMessage ?? ""}`);
}

function report(what, problems) {
  if (problems.length === 0) passes++;
  else failures++;
  console.log(
    `${problems.length === 0 ? "ok  " : "FAIL"} ${what}${problems.map((problem) => `\n       ${problem}`).join("")}`,
  );
}

/** Each scenario leaves a folder of its own with a list of checks. */
async function readResults(folder, prefix) {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith("checks.json"));
  return Promise.all(
    names.map(async (name) => ({
      scenario: name.replace(prefix, "").replace(/-\d{4}-\d\d-\d\dT.*$/, ""),
      checks: JSON.parse(await readFile(join(folder, name), "utf8")),
    })),
  );
}

async function inFolder(run) {
  const folder = await mkdtemp(join(tmpdir(), "allspeak-conformance-"));
  try {
    await run(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function runSuite(args) {
  const child = spawn(node22, [program, ...args], { cwd: root, stdio: ["ignore", "pipe", "ignore"] });
  let stdout = "";
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
  });
  return new Promise((resolve) => child.on("close", (code) => resolve({ code, stdout })));
}

async function withServer(run) {
  const args = [join(root, "build/examples/everything/main.js"), "--http", "0"];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const url = await new Promise((resolve, reject) => {
      child.stdout.on("data", (chunk) => {
        const found = /http:\/\/127\.0\.0\.1:(\d+)\/mcp/.exec(String(chunk));
        if (found) resolve(`http://localhost:${found[1]}/mcp`);
      });
      child.on("close", (code) => reject(new Error(`The everything server ended with ${code}.`)));
    });
    await run(url);
  } finally {
    child.kill();
  }
}
