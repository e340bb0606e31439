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
  os: wordsFor("aix android darwin freebsd linux netbsd openbsd openharmony sunos win32", {
    windows: "win32",
  }),
  cpu: wordsFor("arm arm64 ia32 loong64 mips64el ppc64 riscv64 s390x wasm32 x64", {
    64: "x64",
    aarch64: "arm64",
  }),
  libc: wordsFor("glibc musl", { gnu: "glibc" }),
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
  const find = (field) => parts.map((part) => words[field].get(part)).find(Boolean);
  const [cpu, libc, os] = [find("cpu"), find("libc"), find("os")];
  if (cpu === undefined) throw new Error(`Cannot tell the platform of ${name} from its name.`);
  return {
    version,
    cpu: [cpu],
    dev: true,
    ...(libc && { libc: [libc] }),
    optional: true,
    ...(os && { os: [os] }),
  };
}

/** The words of a field: npm's own, and those that packages use instead. */
function wordsFor(names, others) {
  return new Map([...names.split(" ").map((name) => [name, name]), ...Object.entries(others)]);
}
