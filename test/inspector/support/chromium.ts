import { fileURLToPath } from "node:url";
import type { Inspector, InspectorOptions } from "allspeak/inspector";
import { serveInspector } from "allspeak/inspector";
import axe from "axe-core";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { expect } from "vitest";
import { onFileFinished } from "../../support/on-file-finished.ts";
import { chromium as program } from "../../support/runtimes/chromium.ts";

export { program };

/** Where Debian has the browser; playwright-core wants a whole path. */
const executablePath = "/usr/bin/chromium";

const flags = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];
const shots = fileURLToPath(new URL("../../../coverage/screenshots/", import.meta.url));

let browser: Promise<Browser> | undefined;

/** One browser for all pages of a file. */
function launch(): Promise<Browser> {
  const launched = chromium.launch({ executablePath, args: flags });
  onFileFinished(async () => {
    browser = undefined;
    await (await launched).close();
  });
  return launched;
}

/** The inspector in a real browser: what the person sees, and what the browser had to complain about. */
export class InspectorPage {
  readonly page: Page;
  readonly inspector: Inspector;
  /** Errors of scripts, breaches of the content security policy, and requests to another host. */
  readonly complaints: string[] = [];

  private constructor(page: Page, inspector: Inspector) {
    this.page = page;
    this.inspector = inspector;
    const { host } = new URL(inspector.url);
    page.on("pageerror", (error) => this.complaints.push(String(error)));
    page.on("console", (message) => {
      if (message.type() === "error") this.complaints.push(message.text());
    });
    page.on("request", (request) => {
      const url = new URL(request.url());
      if (url.protocol !== "blob:" && url.host !== host) this.complaints.push(`request to ${request.url()}`);
    });
    page.on("popup", (popup) => this.complaints.push(`a tab was opened: ${popup.url()}`));
    page.setDefaultTimeout(15_000);
  }

  static async open(options: InspectorOptions, view: BrowserContextOptions = {}): Promise<InspectorPage> {
    browser ??= launch();
    const inspector = await serveInspector(options);
    const context = await (await browser).newContext({ viewport: { width: 1440, height: 900 }, ...view });
    const opened = new InspectorPage(await context.newPage(), inspector);
    await opened.page.goto(inspector.url);
    return opened;
  }

  async close(): Promise<void> {
    await this.page.context().close();
    await this.inspector.close();
  }

  /** Goes to a place of the page, by its address. */
  async go(place: string): Promise<void> {
    await this.page.evaluate((hash) => {
      location.hash = hash;
    }, place);
  }

  get place(): string {
    return new URL(this.page.url()).hash;
  }

  /** The servers in the sidebar. */
  get servers() {
    return this.page.getByRole("list", { name: "Servers", exact: true });
  }

  /** Connects to a server that the inspector offers. */
  async connect(title: string): Promise<void> {
    const before = this.place;
    await this.servers.getByRole("button", { name: title }).click();
    await this.page.waitForURL(({ hash }) => hash !== before && /^#\/server\/\w+\/tools$/.test(hash));
    await this.page.getByRole("listbox").waitFor();
  }

  async tool(name: string): Promise<void> {
    await this.page.getByRole("option", { name: new RegExp(`^${name}`) }).click();
    await this.page.getByRole("heading", { name, exact: true }).waitFor();
  }

  async run(): Promise<void> {
    await this.page.getByRole("button", { name: "Run", exact: true }).click();
  }

  button(name: string | RegExp) {
    return this.page.getByRole("button", { name });
  }

  /** A picture of the page, for people: in `coverage/screenshots`. */
  async shot(name: string): Promise<void> {
    await this.page.screenshot({ path: `${shots}${name}.png` });
  }

  /** Expects that a screen reader can make sense of what is shown, and that the browser has nothing to complain about. */
  async expectSound(): Promise<void> {
    await this.page.evaluate(axe.source);
    const found = await this.page.evaluate(async () => {
      // @ts-expect-error axe has just been put into the page.
      const { violations } = await globalThis.axe.run();
      return violations
        .filter(({ impact }: { impact: string }) => impact === "serious" || impact === "critical")
        .map(({ id, nodes }: { id: string; nodes: { html: string }[] }) => `${id}: ${nodes[0]?.html}`);
    });
    expect(found).toEqual([]);
    expect(this.complaints).toEqual([]);
  }
}
