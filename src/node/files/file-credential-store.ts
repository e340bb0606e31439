import { AsyncLocalStorage } from "node:async_hooks";
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { chmod, link, mkdir, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { CompactEncrypt, compactDecrypt } from "jose";
import { type CredentialStore, memoryCredentialStore } from "../../auth/client/tokens/credential-store.ts";
import { assertOptions, assertString, type OptionKinds } from "../../contract/options.ts";
import { UsageError } from "../../errors.ts";
import { errorCode, hasErrorCode } from "../../lib/errno.ts";
import { type FileLockHold, FileLockLostError, withFileLock, writeDurably } from "../../lib/file-lock.ts";

export interface FileCredentialStoreOptions {
  /** Created if it does not exist, for this user only. Nobody else can write in it afterwards, if it is this user's. */
  readonly folder: string;
  /**
   * 32 bytes that the files are encrypted with.
   *
   * Default: a key in a file beside them, which protects the credentials from a program that reads a single
   * file, not from one that reads the folder. A key from the system's key ring is better.
   */
  readonly key?: Uint8Array | undefined;
}

const storeOptionKinds: OptionKinds<FileCredentialStoreOptions> = { folder: "string", key: "object" };
const keyBytes = 32;

/** Keeps credentials in encrypted files that several processes can share. */
export function fileCredentialStore(options: FileCredentialStoreOptions): CredentialStore {
  assertOptions("fileCredentialStore", options, storeOptionKinds);
  assertString("The folder of fileCredentialStore", options.folder);
  if (options.key && options.key.byteLength !== keyBytes)
    throw new UsageError(`The key of a file store has ${keyBytes} bytes, not ${options.key.byteLength}.`);
  return new FileStore(options);
}

class FileStore implements CredentialStore {
  readonly #options: FileCredentialStoreOptions;
  // Callers in this process take turns without touching the disk.
  readonly #turns = memoryCredentialStore();
  /** The lock under which the code that calls runs: without it, what it read may be out of date. */
  readonly #hold = new AsyncLocalStorage<FileLockHold>();
  #opening: Promise<Uint8Array> | undefined;

  constructor(options: FileCredentialStoreOptions) {
    this.#options = options;
  }

  async get(key: string): Promise<string | undefined> {
    const secret = await this.#open();
    const text = await readIfPresent(this.#path(key, "jwe"));
    if (text === undefined) return undefined;
    try {
      const { plaintext, protectedHeader } = await compactDecrypt(text, secret, {
        keyManagementAlgorithms: ["dir"],
        contentEncryptionAlgorithms: ["A256GCM"],
      });
      // A file that was moved to the place of another has another key id.
      return protectedHeader.kid === nameOf(key) ? new TextDecoder().decode(plaintext) : undefined;
    } catch {
      // Damaged, or encrypted with another key: nothing in it could be used.
      return undefined;
    }
  }

  async set(key: string, value: string): Promise<void> {
    const secret = await this.#open();
    const text = await new CompactEncrypt(new TextEncoder().encode(value))
      .setProtectedHeader({ alg: "dir", enc: "A256GCM", kid: nameOf(key) })
      .encrypt(secret);
    const path = this.#path(key, "jwe");
    const hold = this.#currentHold();
    await (hold ? this.#fenced(hold.replace(path, text)) : replaceFile(path, text));
  }

  async delete(key: string): Promise<void> {
    const path = this.#path(key, "jwe");
    const hold = this.#currentHold();
    await (hold ? this.#fenced(hold.remove(path)) : rm(path, { force: true }));
  }

  async exclusive<T>(name: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    await this.#open();
    const lock = this.#path(name, "lock");
    const locked = () => withFileLock(lock, (hold) => this.#hold.run(hold, work), { signal });
    return this.#turns.exclusive(name, locked, signal);
  }

  /** Undefined outside of exclusive work, and in timers and callbacks of work that has ended. */
  #currentHold(): FileLockHold | undefined {
    const hold = this.#hold.getStore();
    return hold?.isReleased ? undefined : hold;
  }

  async #fenced(change: Promise<void>): Promise<void> {
    try {
      await change;
    } catch (cause) {
      if (!(cause instanceof FileLockLostError)) throw cause;
      throw new UsageError(
        `This process stood still for so long that another took its lock in ${this.#options.folder}, so nothing was written; read the credentials again and repeat the work.`,
        { cause },
      );
    }
  }

  #open(): Promise<Uint8Array> {
    this.#opening ??= this.#prepare().catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  async #prepare(): Promise<Uint8Array> {
    const { folder, key } = this.#options;
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await protectFolder(folder);
    } catch (cause) {
      throw new UsageError(
        `${folder} can't be used (${errorCode(cause)}); correct the path or the permissions of the folders above it.`,
        { cause },
      );
    }
    return key ?? readOrMakeKey(join(folder, "key"));
  }

  #path(key: string, kind: "jwe" | "lock"): string {
    return join(this.#options.folder, `${nameOf(key)}.${kind}`);
  }
}

/**
 * Takes the right to write in a folder of this user from all others, who could put a key of their own in the place
 * of ours. A sticky folder, such as /tmp, is meant to be shared.
 */
async function protectFolder(folder: string): Promise<void> {
  const { mode, uid } = await stat(folder);
  const isShared = (mode & 0o022) !== 0 && (mode & 0o1000) === 0;
  if (isShared && uid === process.getuid?.()) await chmod(folder, mode & 0o7755);
}

function nameOf(key: string): string {
  return createHash("sha256").update(key).digest("hex").slice(0, 40);
}

/** A file that is there but can't be read is an error: to log in again would lose what it holds. */
async function readIfPresent(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (cause) {
    if (hasErrorCode(cause, "ENOENT")) return undefined;
    throw new UsageError(
      `${path} can't be read (${errorCode(cause)}), so the credentials in it are unknown; correct its permissions, or remove it and log in again.`,
      { cause },
    );
  }
}

async function readOrMakeKey(path: string): Promise<Uint8Array> {
  const found = await readKey(path);
  if (found) return found;
  const draft = `${path}.${randomUUID()}`;
  await writeDurably(draft, randomBytes(keyBytes));
  try {
    // Unlike a rename, this fails when another process was first.
    await link(draft, path);
  } catch (error) {
    if (!hasErrorCode(error, "EEXIST")) throw error;
  } finally {
    await rm(draft, { force: true });
  }
  const made = await readKey(path);
  if (made) return made;
  throw new UsageError(`${path} can't be read.`);
}

async function readKey(path: string): Promise<Uint8Array | undefined> {
  try {
    const key = await readFile(path);
    if (key.byteLength !== keyBytes) throw new UsageError(`${path} is not a key of a file store.`);
    const { mode } = await stat(path);
    if (process.platform !== "win32" && (mode & 0o077) !== 0) await chmod(path, 0o600);
    return new Uint8Array(key);
  } catch (error) {
    if (error instanceof UsageError) throw error;
    if (hasErrorCode(error, "ENOENT")) return undefined;
    throw new UsageError(
      `${path} can't be read (${errorCode(error)}); correct its permissions. Without it the credentials in its folder are lost.`,
      { cause: error },
    );
  }
}

async function replaceFile(path: string, content: string): Promise<void> {
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeDurably(draft, content);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
