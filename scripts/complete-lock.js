// Adds to package-lock.json the platform packages that npm left out.
//
// npm drops an optional package from the lock when the registry it asked did not have it (a mirror
// often holds the binaries of one platform only), and `npm ci` then refuses that lock on every machine.
// Run this after `npm install` changed the lock; test/package/lock.test.ts tells when it is needed.
import { readFileSync, writeFileSync } from "node:fs";

const lockFile = new URL("../package-lock.json", import.meta.url);
const lock = JSON.parse(readFileSync(lockFile, "utf8"));

/** Words of a package name that say where it runs, by the field of package.json they stand for. */
const words = {
  os: ["aix", "android", "darwin", "freebsd", "linux", "netbsd", "openbsd", "openharmony", "sunos", "win32"],
  cpu: ["arm", "arm64", "ia32", "loong64", "mips64el", "ppc64", "riscv64", "s390x", "wasm32", "x64"],
  libc: ["gnu", "musl"],
};

for (const { optionalDependencies = {} } of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(optionalDependencies)) {
    const path = `node_modules/${name}`;
    if (isOutdated(lock.packages[path], version)) lock.packages[path] = entryOf(name, version);
  }
}

const byPath = ([a], [b]) => a.localeCompare(b, "en");
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(byPath));
writeFileSync(lockFile, `${JSON.stringify(lock, null, 2)}\n`);

/** An entry that is missing, or that an earlier run added for another version. */
function isOutdated(entry, version) {
  return entry === undefined || (entry.integrity === undefined && entry.version !== version);
}

function entryOf(name, version) {
  const parts = name.split(/[/-]/);
  const find = (field) => parts.find((part) => words[field].includes(part));
  const [cpu, libc, os] = [find("cpu"), find("libc"), find("os")];
  if (cpu === undefined) throw new Error(`Cannot tell the platform of ${name} from its name.`);
  return {
    version,
    cpu: [cpu],
    dev: true,
    ...(libc && { libc: [libc === "gnu" ? "glibc" : libc] }),
    optional: true,
    ...(os && { os: [os] }),
  };
}
