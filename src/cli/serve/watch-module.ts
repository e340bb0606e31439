import { type FSWatcher, statSync, watch } from "node:fs";
import { register } from "node:module";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { MessageChannel } from "node:worker_threads";

const quietMs = 100;

/**
 * Node keeps each module that it has loaded by its URL. This hook passes the version in the URL of a module on to
 * those that it imports, packages excepted, so that a new version of the first loads all of them anew. It reports
 * their files.
 */
const hook = `
let port;
export async function initialize(data) { port = data.port; }
export async function resolve(specifier, context, next) {
  const found = await next(specifier, context);
  const version = context.parentURL && /[?&]version=(\\d+)/.exec(context.parentURL);
  const isOwn = /^(?:\\.|\\/|file:)/.test(specifier) && !found.url.includes("/node_modules/");
  if (!version || !isOwn || !found.url.startsWith("file:")) return found;
  port.postMessage(found.url);
  if (/[?&]version=/.test(found.url)) return found;
  return { ...found, url: found.url + (found.url.includes("?") ? "&" : "?") + "version=" + version[1] };
}`;

/** Watches a module and the files that it imports, from now on: create it before the module is loaded. */
export class ModuleWatcher {
  readonly #files = new Set<string>();
  readonly #folders = new Map<string, FSWatcher>();
  readonly #channel = new MessageChannel();
  readonly #onChange: () => void;
  readonly #startedAt = Date.now();
  #timer: NodeJS.Timeout | undefined;

  /** `onChange` is called once for changes in a row. */
  constructor(file: string, onChange: () => void) {
    this.#onChange = onChange;
    const { port1, port2 } = this.#channel;
    port1.on("message", (url: string) => this.#add(fileURLToPath(url.replace(/[?#].*$/, ""))));
    port1.unref();
    register(`data:text/javascript,${encodeURIComponent(hook)}`, {
      parentURL: import.meta.url,
      data: { port: port2 },
      transferList: [port2],
    });
    this.#add(file);
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#channel.port1.close();
    for (const watcher of this.#folders.values()) watcher.close();
  }

  #add(file: string): void {
    if (this.#files.has(file)) return;
    this.#files.add(file);
    const folder = dirname(file);
    // Editors replace files: the folder is watched, since a watched file would be lost with the old one.
    if (!this.#folders.has(folder)) {
      this.#folders.set(
        folder,
        watch(folder, (_event, name) => {
          if (name === null || this.#files.has(join(folder, basename(name)))) this.#schedule();
        }),
      );
    }
    const changedAt = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (changedAt > this.#startedAt) this.#schedule();
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#onChange, quietMs);
  }
}
