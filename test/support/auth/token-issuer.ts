import type { JsonWebKeyInput } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { exportJWK, generateKeyPair, type JWTHeaderParameters, SignJWT } from "jose";
import { onTestFinished } from "vitest";

/** Signs tokens and tells its keys, as an authorization server does; everything else is up to the test. */
export class TokenIssuer {
  readonly url: string;
  /** Paths that were asked for, in order. */
  readonly asked: string[] = [];
  /** Answers instead of the issuer itself. */
  readonly answers = new Map<string, (request: IncomingMessage, response: ServerResponse) => void>();
  readonly keys: SigningKey[] = [];

  constructor(url: string) {
    this.url = url;
  }

  /** A token that is good for an audience, but for what is given. */
  async mint(audience: string | undefined, claims: Claims = {}, header: Partial<JWTHeaderParameters> = {}) {
    const key = this.keys.at(-1) as SigningKey;
    const now = Math.floor(Date.now() / 1000);
    const payload = {
      iss: this.url,
      sub: "alice",
      client_id: "app",
      iat: now,
      exp: now + 300,
      ...(audience !== undefined && { aud: audience }),
      ...claims,
    };
    return new SignJWT(payload)
      .setProtectedHeader({ alg: key.alg, kid: key.kid, typ: "at+jwt", ...header })
      .sign(key.privateKey);
  }

  async rotate(alg = "ES256"): Promise<SigningKey> {
    const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
    const kid = `key-${this.keys.length + 1}`;
    const jwk = { ...(await exportJWK(publicKey)), kid, alg, use: "sig" } as JsonWebKeyInput["key"];
    const key = { alg, kid, privateKey, jwk };
    this.keys.push(key);
    return key;
  }

  handle(request: IncomingMessage, response: ServerResponse): void {
    const path = request.url ?? "/";
    this.asked.push(path);
    const answer = this.answers.get(path);
    if (answer) return answer(request, response);
    const documents: Record<string, object> = {
      "/.well-known/oauth-authorization-server": {
        issuer: this.url,
        jwks_uri: `${this.url}/jwks`,
        introspection_endpoint: `${this.url}/introspect`,
        token_endpoint: `${this.url}/token`,
      },
      "/jwks": { keys: this.keys.map(({ jwk }) => jwk) },
    };
    const document = documents[path];
    response.writeHead(document ? 200 : 404, { "content-type": "application/json" });
    response.end(JSON.stringify(document ?? {}));
  }
}

/** What is undefined is left out. */
type Claims = Readonly<Record<string, unknown>>;

interface SigningKey {
  readonly alg: string;
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly jwk: JsonWebKeyInput["key"];
}

/** An issuer that listens for the length of one test. */
export async function openIssuer(): Promise<TokenIssuer> {
  const http = createServer((request, response) => issuer.handle(request, response));
  await once(http.listen(0, "127.0.0.1"), "listening");
  const issuer = new TokenIssuer(`http://127.0.0.1:${(http.address() as AddressInfo).port}`);
  await issuer.rotate();
  onTestFinished(async () => {
    http.closeAllConnections();
    await new Promise((resolve) => http.close(resolve));
  });
  return issuer;
}
