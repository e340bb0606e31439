import { spawnSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { findFreePort } from "../../free-port.ts";
import { StoreProcess, type StoreProgram } from "./store-process.ts";

/** The stores that run as a process of their own. */
export const storeNames = ["redis", "postgres", "nats"] as const;
export type StoreName = (typeof storeNames)[number];

const programs: Readonly<Record<StoreName, string>> = {
  redis: "redis-server",
  postgres: "postgres",
  nats: "nats-server",
};

/** Whether the program of a store can be started here. */
export function hasStore(name: StoreName): boolean {
  return spawnSync(programs[name], ["--version"], { stdio: "ignore" }).status === 0;
}

/** Starts a store on a free port with settings that keep what it acknowledged, and its data in a folder of its own. */
export async function startStore(name: StoreName, folder: string): Promise<StoreProcess> {
  const port = await findFreePort();
  const data = join(folder, name);
  mkdirSync(data, { recursive: true });
  const store = create(name, port, data);
  await store.start();
  return store;
}

function create(name: StoreName, port: number, data: string): StoreProcess {
  switch (name) {
    case "redis":
      return new StoreProcess(`redis://127.0.0.1:${port}`, redisProgram(port, data));
    case "postgres":
      return new StoreProcess(`postgres://postgres@127.0.0.1:${port}/postgres`, postgresProgram(port, data));
    case "nats":
      return new StoreProcess(`nats://127.0.0.1:${port}`, natsProgram(port, data));
  }
}

function redisProgram(port: number, data: string): StoreProgram {
  const settings = {
    bind: "127.0.0.1",
    port: `${port}`,
    dir: data,
    save: "",
    appendonly: "yes",
    appendfsync: "always",
    "maxmemory-policy": "noeviction",
  };
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value]);
  return { command: programs.redis, args, ready: /Ready to accept connections/ };
}

function postgresProgram(port: number, data: string): StoreProgram {
  // It refuses to run as root.
  const user = process.getuid?.() === 0 ? readUser("postgres") : undefined;
  if (user) {
    chownSync(data, user.uid, user.gid);
    chmodSync(dirname(data), 0o711);
  }
  const options = { ...user, cwd: data };
  const made = spawnSync(
    "initdb",
    ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync"],
    { ...options, encoding: "utf8" },
  );
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);
  const settings = [`port=${port}`, "listen_addresses=127.0.0.1", `unix_socket_directories=${data}`];
  return {
    command: programs.postgres,
    args: ["-D", data, ...settings.flatMap((setting) => ["-c", setting])],
    options,
    ready: /database system is ready to accept connections/,
  };
}

function natsProgram(port: number, data: string): StoreProgram {
  const config = join(data, "nats.conf");
  writeFileSync(config, `listen: "127.0.0.1:${port}"\njetstream { store_dir: "${data}" }\n`);
  return { command: programs.nats, args: ["-c", config], ready: /Server is ready/ };
}

function readUser(name: string): { readonly uid: number; readonly gid: number } {
  const id = (flag: string) => Number(spawnSync("id", [flag, name], { encoding: "utf8" }).stdout);
  return { uid: id("-u"), gid: id("-g") };
}
