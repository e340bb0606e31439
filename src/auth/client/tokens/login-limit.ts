import { AuthorizationError } from "../../../errors.ts";

const maxLogins = 8;
const refillMs = 60_000;

/**
 * Limits the logins that one server can cause: eight, and one more each minute.
 *
 * A hostile server can accept a token once, or ask for other scopes each time, and so open a window with every call.
 */
export class LoginLimit {
  #left = maxLogins;
  #refilledAt = Date.now();

  /** Counts a login. Throws when the server has caused too many. */
  begin(server: URL): void {
    this.#refill();
    if (this.#left === 0) {
      const seconds = Math.ceil((this.#refilledAt + refillMs - Date.now()) / 1000);
      const { origin, pathname } = server;
      throw new AuthorizationError(
        `${origin}${pathname} has asked for ${maxLogins} logins in a short time, so no other window is opened for it. Try again in ${seconds} s, or call forget() of oauth() to log in now.`,
        "refused",
      );
    }
    this.#left--;
  }

  #refill(): void {
    const now = Date.now();
    const refills = Math.floor(Math.max(0, now - this.#refilledAt) / refillMs);
    this.#left = Math.min(maxLogins, this.#left + refills);
    this.#refilledAt = this.#left === maxLogins ? now : this.#refilledAt + refills * refillMs;
  }
}
