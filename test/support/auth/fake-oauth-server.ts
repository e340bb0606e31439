import { createHash, randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";
import { createServer, tool } from "../../../src/index.ts";
import { createNodeHandler } from "../../../src/node.ts";

// biome-ignore lint/suspicious/noExplicitAny: documents are changed by tests in ways that no type allows.
type Document = Record<string, any>;

export interface RecordedRequest {
  readonly where: "server" | "issuer";
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage["headers"];
  /** The body of a form, or of JSON. */
  readonly body: Document;
}

export interface FakeOAuthServerOptions {
  /** What the 401 says, beside the scheme. Default: where the resource metadata is. */
  challenge?: (world: FakeOAuthServer) => string;
  /** Undefined for none. */
  resourceMetadata?: (world: FakeOAuthServer) => Document | undefined;
  serverMetadata?: (world: FakeOAuthServer) => Document | undefined;
  /** Where the server metadata is. */
  serverMetadataPath?: string;
  /** What is sent back to the client beside code and state. */
  callback?: (world: FakeOAuthServer) => Record<string, string>;
  /** Answers a request in place of the world. */
  intercept?: (
    seen: RecordedRequest,
    response: ServerResponse,
    world: FakeOAuthServer,
  ) => boolean | undefined;
  /** Whether a message needs no token. */
  isOpen?: (message: Document) => boolean;
  /** The scopes that a call of a tool needs. */
  needs?: (tool: string) => readonly string[];
  expiresIn?: number;
  /** Whether refresh tokens work once; a second use ends everything that came of them. */
  rotates?: boolean;
  issuesRefreshTokens?: boolean;
  issuerPath?: string;
}

interface Issued {
  readonly family: string;
  readonly scopes: readonly string[];
}

/** A protected server, and the authorization server that it names, each on a port of its own. */
export class FakeOAuthServer {
  readonly seen: RecordedRequest[] = [];
  readonly accessTokens = new Map<string, Issued>();
  readonly refreshTokens = new Map<string, Issued>();
  readonly registered = new Map<string, Document>();
  readonly #codes = new Map<string, Document>();
  readonly #spent = new Map<string, string>();
  readonly options: FakeOAuthServerOptions;
  /** How often a refresh token was used that had been used before. */
  reuses = 0;
  url = "";
  issuer = "";

  constructor(options: FakeOAuthServerOptions) {
    this.options = options;
  }

  get resourceMetadataUrl(): string {
    return `${new URL(this.url).origin}/.well-known/oauth-protected-resource/mcp`;
  }

  /** The requests that one path got. */
  at(path: string): RecordedRequest[] {
    return this.seen.filter((seen) => seen.path.split("?")[0] === path);
  }

  /** What grants were asked for at the token endpoint. */
  get grants(): string[] {
    return this.at("/token").map(({ body }) => body.grant_type);
  }

  /** Lets go of all access tokens, as if they had ended. */
  endAccessTokens(): void {
    this.accessTokens.clear();
  }

  /** A user who agrees at once: the address that they are sent back to. */
  readonly authorize = async (url: URL): Promise<string> => {
    const response = await fetch(url, { redirect: "manual" });
    const location = response.headers.get("location");
    if (location === null) throw new Error(`The authorization server answered with ${response.status}.`);
    return location;
  };

  async answer(seen: RecordedRequest, response: ServerResponse): Promise<boolean> {
    this.seen.push(seen);
    if (this.options.intercept?.(seen, response, this)) return true;
    return seen.where === "server"
      ? this.#answerAsServer(seen, response)
      : this.#answerAsIssuer(seen, response);
  }

  #answerAsServer({ path, headers, body }: RecordedRequest, response: ServerResponse): boolean {
    const metadata = this.options.resourceMetadata ?? defaultResourceMetadata;
    if (path === "/.well-known/oauth-protected-resource/mcp") return document(response, metadata(this));
    if (path.startsWith("/.well-known/")) return document(response, undefined);
    if (this.options.isOpen?.(body)) return false;
    const token = /^Bearer (.+)$/.exec(headers.authorization ?? "")?.[1];
    const issued = this.accessTokens.get(token ?? "");
    if (issued === undefined) return this.challenge(response, 401, this.#challenge());
    const needed = body.method === "tools/call" ? (this.options.needs?.(body.params.name) ?? []) : [];
    if (needed.every((scope) => issued.scopes.includes(scope))) return false;
    const scope = needed.join(" ");
    return this.challenge(response, 403, `error="insufficient_scope", scope="${scope}"`);
  }

  challenge(response: ServerResponse, status: number, parameters: string): true {
    response.writeHead(status, { "www-authenticate": `Bearer ${parameters}` }).end();
    return true;
  }

  #challenge(): string {
    return this.options.challenge?.(this) ?? `resource_metadata="${this.resourceMetadataUrl}"`;
  }

  #answerAsIssuer({ path, body, headers }: RecordedRequest, response: ServerResponse): boolean {
    const { serverMetadata = defaultServerMetadata, serverMetadataPath } = this.options;
    const [place, query = ""] = path.split("?");
    if (place === (serverMetadataPath ?? "/.well-known/oauth-authorization-server"))
      return document(response, serverMetadata(this));
    if (place === "/register") return document(response, this.#register(body), 201);
    if (place === "/authorize") return this.#authorize(new URLSearchParams(query), response);
    if (place === "/token") {
      const answer = this.#token(body, headers.authorization);
      return document(response, answer, "error" in answer ? 400 : 200);
    }
    return document(response, undefined);
  }

  #register(body: Document): Document {
    const client = { ...body, client_id: `client-${randomUUID()}` };
    this.registered.set(client.client_id, client);
    return client;
  }

  #authorize(query: URLSearchParams, response: ServerResponse): true {
    const code = randomUUID();
    this.#codes.set(code, Object.fromEntries(query));
    const back = new URL(query.get("redirect_uri") ?? "");
    const parameters = { code, state: query.get("state") ?? "", ...this.options.callback?.(this) };
    for (const [name, value] of Object.entries(parameters)) back.searchParams.set(name, value);
    response.writeHead(302, { location: back.href }).end();
    return true;
  }

  #token(body: Document, authorization: string | undefined): Document {
    switch (body.grant_type) {
      case "authorization_code": {
        const asked = this.#codes.get(body.code);
        this.#codes.delete(body.code);
        const challenge = createHash("sha256").update(String(body.code_verifier)).digest("base64url");
        if (asked?.code_challenge !== challenge || asked.redirect_uri !== body.redirect_uri)
          return { error: "invalid_grant" };
        return this.#issue({ family: randomUUID(), scopes: String(asked.scope ?? "").split(" ") });
      }
      case "refresh_token":
        return this.#refresh(body.refresh_token);
      case "client_credentials":
        if (authorization === undefined && body.client_assertion === undefined)
          return { error: "invalid_client" };
        return this.#issue({ family: randomUUID(), scopes: String(body.scope ?? "").split(" ") });
      default:
        return { error: "unsupported_grant_type" };
    }
  }

  #refresh(token: string): Document {
    const issued = this.refreshTokens.get(token);
    if (issued === undefined) {
      const family = this.#spent.get(token);
      if (family !== undefined) {
        this.reuses++;
        this.#revoke(family);
      }
      return { error: "invalid_grant" };
    }
    if (this.options.rotates ?? true) {
      this.refreshTokens.delete(token);
      this.#spent.set(token, issued.family);
    }
    return this.#issue(issued);
  }

  #revoke(family: string): void {
    for (const tokens of [this.accessTokens, this.refreshTokens])
      for (const [token, issued] of tokens) if (issued.family === family) tokens.delete(token);
  }

  #issue(issued: Issued): Document {
    const { expiresIn = 3600, rotates = true, issuesRefreshTokens = true } = this.options;
    const accessToken = `access-${randomUUID()}`;
    const refreshToken = `refresh-${randomUUID()}`;
    this.accessTokens.set(accessToken, issued);
    const isNew = issuesRefreshTokens && (rotates || this.refreshTokens.size === 0);
    if (isNew) this.refreshTokens.set(refreshToken, issued);
    return {
      access_token: accessToken,
      token_type: "Bearer",
      expires_in: expiresIn,
      scope: issued.scopes.join(" "),
      ...(isNew && { refresh_token: refreshToken }),
    };
  }
}

/** Opens a world for the length of one test. */
export async function startFakeOAuthServer(options: FakeOAuthServerOptions = {}): Promise<FakeOAuthServer> {
  const world = new FakeOAuthServer(options);
  const echo = tool("echo", { input: { type: "object" } }, () => "hello");
  const write = tool("write", { input: { type: "object" } }, () => "written");
  const handler = createNodeHandler(createServer({ name: "world", version: "1", tools: [echo, write] }));
  const listen = async (where: RecordedRequest["where"]): Promise<number> => {
    const listener = createHttpServer((request, response) => {
      void read(request, where).then(async ({ seen, text }) => {
        if (await world.answer(seen, response)) return;
        Object.assign(request, { body: text === "" ? undefined : JSON.parse(text) });
        handler(request, response);
      });
    });
    listener.listen(0, "127.0.0.1");
    await once(listener, "listening");
    onTestFinished(async () => {
      await handler.close(0);
      listener.closeAllConnections();
      listener.close();
    });
    return (listener.address() as AddressInfo).port;
  };
  world.url = `http://127.0.0.1:${await listen("server")}/mcp`;
  world.issuer = `http://127.0.0.1:${await listen("issuer")}${options.issuerPath ?? ""}`;
  return world;
}

export function defaultResourceMetadata(world: FakeOAuthServer): Document {
  return { resource: world.url, authorization_servers: [world.issuer] };
}

export function defaultServerMetadata({ issuer }: FakeOAuthServer): Document {
  const { origin } = new URL(issuer);
  return {
    issuer,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none", "client_secret_basic"],
  };
}

function document(response: ServerResponse, value: Document | undefined, status = 200): true {
  response.writeHead(value ? status : 404, { "content-type": "application/json" });
  response.end(JSON.stringify(value ?? {}));
  return true;
}

async function read(
  request: IncomingMessage,
  where: RecordedRequest["where"],
): Promise<{ seen: RecordedRequest; text: string }> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  const isForm = request.headers["content-type"]?.startsWith("application/x-www-form-urlencoded");
  const body = isForm ? Object.fromEntries(new URLSearchParams(text)) : text === "" ? {} : JSON.parse(text);
  const { method = "", url: path = "", headers } = request;
  return { seen: { where, method, path, headers, body }, text };
}
