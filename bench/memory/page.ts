import { readFileSync } from "node:fs";
import { createServer, tool } from "allspeak";
import { type Inspector, serveInspector } from "allspeak/inspector";
import { type Browser, chromium, type Page } from "playwright-core";
import { WebSocket } from "ws";
import { type Figure, formatNumber, type Report } from "../report/table.ts";

const messages = 100_000;
const atOnce = 100;
const flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-sync"];

/** The page of the inspector with a long history: how soon it opens, how smoothly it scrolls, what it holds. */
export async function benchPage(): Promise<Report> {
  const demo = createServer({ name: "demo", version: "1.0.0", tools: [tool("echo", {}, () => "hello")] });
  const inspector = await serveInspector({ servers: { demo: { target: demo } } });
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: flags });
  try {
    await fillHistory(inspector);
    const measured = await measure(inspector, browser);
    const rows = measured.map(({ what, measured: value }) => [what, formatNumber(value)]);
    const title = `the page of the inspector with ${formatNumber(messages)} messages`;
    return { tables: [{ title, header: ["what", "measured"], rows }], figures: measured };
  } finally {
    await browser.close();
    await inspector.close();
  }
}

/** Calls a tool over the socket of a page until the history is full: two messages a call. */
async function fillHistory(inspector: Inspector): Promise<void> {
  const { token, socket } = await openSocket(inspector);
  let lastId = 0;
  const waiting = new Map<number, (result: unknown) => void>();
  socket.on("message", (data) => {
    const { id, result } = JSON.parse(String(data)) as { id?: number; result?: unknown };
    if (id !== undefined) waiting.get(id)?.(result);
  });
  const send = (type: string, params: object): Promise<unknown> => {
    lastId += 1;
    socket.send(JSON.stringify({ type, id: lastId, params }));
    return new Promise((resolve) => waiting.set(lastId, resolve));
  };
  await send("open-session", { token });
  const opened = await send("connect", { target: { kind: "offered", name: "demo" } });
  const { id } = (opened as { connection: { id: string } }).connection;
  for (let sent = 0; sent < messages / 2; sent += atOnce) {
    const calls = Array.from({ length: atOnce }, () =>
      send("call-tool", { connection: id, name: "echo", arguments: {} }),
    );
    await Promise.all(calls);
  }
  socket.close();
}

async function openSocket(
  inspector: Inspector,
): Promise<{ readonly token: string; readonly socket: WebSocket }> {
  const address = new URL(inspector.createUrl());
  const socket = new WebSocket(`ws://${address.host}/socket`, { origin: address.origin });
  await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
  return { token: address.hash.slice("#token=".length), socket };
}

async function measure(inspector: Inspector, browser: Browser): Promise<Figure[]> {
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
  await page.addInitScript(() => {
    Object.assign(globalThis, { longTasks: [] as number[] });
    new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries())
        (globalThis as unknown as { longTasks: number[] }).longTasks.push(duration);
    }).observe({ entryTypes: ["longtask"] });
  });
  await page.goto(inspector.createUrl());
  await page.getByRole("link", { name: "Wire" }).waitFor();
  // The session is in the tab now: the reload opens the list as a person would.
  await page.evaluate(() => {
    location.hash = "#/wire";
  });
  await page.reload({ waitUntil: "commit" });
  await page.locator(".entry-seq").first().waitFor();
  const opened = await page.evaluate(() => performance.now());
  const figures = [atMost("opened after, ms", opened, 2000)];
  for (const look of ["List", "Sequence", "Waterfall"]) {
    await page.getByRole("radio", { name: look }).click();
    await page.locator(".virtual-row").first().waitFor();
    const longest = `longest task of scrolling the ${look.toLowerCase()}`;
    figures.push(atMost(`${longest}, ms`, await scroll(page), 50));
    figures.push(atMost(`${longest}, ms of work`, await workOf(page, () => scroll(page)), 50));
  }
  return [...figures, atMost("memory of the page's process, MB", await memoryOf(page, browser), 300)];
}

function atMost(what: string, measured: number, limit: number): Figure {
  return { what, measured, bound: "at most", limit };
}

/** Scrolls from the top to the end and back in jumps of all sizes, a jump a frame. */
async function scroll(page: Page): Promise<number> {
  return page.evaluate(async () => {
    const state = globalThis as unknown as { longTasks: number[] };
    const list = document.querySelector(".virtual");
    if (!list) return Number.NaN;
    const frame = () => new Promise(requestAnimationFrame);
    await frame();
    state.longTasks.length = 0;
    for (let at = 0; at < 300; at += 1) {
      list.scrollTop = at % 10 === 9 ? (list.scrollHeight * at) / 300 : list.scrollTop + 400;
      await frame();
    }
    return Math.max(0, ...state.longTasks);
  });
}

interface TraceEvent {
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds in which the processor worked for it: a busy machine does not change them. */
  readonly tdur?: number;
  readonly args: { readonly name?: string };
}

/** The processor time of the longest task of the page's thread, in milliseconds. */
async function workOf(page: Page, act: () => Promise<unknown>): Promise<number> {
  const tab = await page.context().newCDPSession(page);
  const events: TraceEvent[] = [];
  tab.on("Tracing.dataCollected", ({ value }) => events.push(...(value as unknown as TraceEvent[])));
  await tab.send("Tracing.start", { traceConfig: { includedCategories: ["toplevel"] } });
  await act();
  const ended = new Promise<void>((resolve) => tab.once("Tracing.tracingComplete", () => resolve()));
  await tab.send("Tracing.end");
  await ended;
  await tab.detach();
  const threads = events.filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain");
  const isOfPage = ({ pid, tid }: TraceEvent) =>
    threads.some((thread) => thread.pid === pid && thread.tid === tid);
  const tasks = events.filter((event) => event.name.endsWith("RunTask") && isOfPage(event));
  return Math.max(...tasks.map(({ tdur = 0 }) => tdur)) / 1000;
}

async function memoryOf(page: Page, browser: Browser): Promise<number> {
  const tab = await page.context().newCDPSession(page);
  await tab.send("HeapProfiler.collectGarbage");
  const session = await browser.newBrowserCDPSession();
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  const renderers = processInfo.filter(({ type }) => type === "renderer");
  return Math.max(...renderers.map(({ id }) => residentOf(id))) / 1e6;
}

function residentOf(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) * 1024;
}
