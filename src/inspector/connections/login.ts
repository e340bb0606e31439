import { type AuthHop, type CredentialStore, type OpenLogin, oauth } from "allspeak/auth";
import type { ConnectOptions } from "allspeak/client";
import { loopbackLogin } from "../../node/login/loopback-login.ts";
import type { ConnectChoice } from "../messages/connection.ts";
import type { Answer, QuestionBody } from "../messages/question.ts";

export interface LoginParts {
  readonly store: CredentialStore;
  /** Shows the address of a login until the signal is aborted; rejects if the person gives up. */
  ask(body: QuestionBody, signal: AbortSignal): Promise<Answer>;
  /** Called whenever steps were taken. */
  onHops(hops: readonly AuthHop[]): void;
}

type Auth = NonNullable<ConnectOptions["auth"]>;

/** OAuth whose logins are shown on the page. The page opens none by itself, and neither does this process. */
export function createAuth(choice: ConnectChoice["oauth"], parts: LoginParts): Auth {
  const { clientId, clientSecret, scope } = choice ?? {};
  const report = () => parts.onHops(auth.explain());
  const auth = oauth({
    store: parts.store,
    login: shownLogin(parts, report),
    ...(clientId !== undefined && {
      client: { id: clientId, ...(clientSecret !== undefined && { secret: clientSecret }) },
    }),
    ...(scope !== undefined && { scopes: scope.split(/\s+/).filter(Boolean) }),
  });
  return {
    authorize: (request) => reporting(() => auth.authorize(request), report),
    onResponse: (response, request) => reporting(() => auth.onResponse(response, request), report),
    explain: () => auth.explain(),
  };
}

async function reporting<T>(work: () => T | Promise<T>, report: () => void): Promise<T> {
  try {
    return await work();
  } finally {
    report();
  }
}

/** A login on loopback whose address becomes a question; the question closes when the login is done. */
function shownLogin({ ask }: LoginParts, report: () => void): OpenLogin {
  return async (known) => {
    const login = await loopbackLogin({ open: () => {} })(known);
    return {
      redirectUri: login.redirectUri,
      async authorize(url, signal) {
        // The person sees the steps that led here before they decide.
        report();
        const done = new AbortController();
        const gaveUp = new AbortController();
        const shown = ask(
          { kind: "login", url: url.href, origin: url.origin },
          AbortSignal.any([signal, done.signal]),
        );
        void shown.then(
          (answer) => {
            if (answer.kind !== "decide" || !answer.isAllowed) gaveUp.abort();
          },
          () => gaveUp.abort(),
        );
        try {
          return await login.authorize(url, AbortSignal.any([signal, gaveUp.signal]));
        } finally {
          done.abort();
        }
      },
      close: () => login.close?.(),
    };
  };
}
