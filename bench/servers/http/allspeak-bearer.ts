import { generateKeyPairSync, sign } from "node:crypto";
import { createServer, tool } from "allspeak";
import { bearer } from "allspeak/auth";
import { serveHttp } from "allspeak/node";
import { z } from "zod";
import { announceUrl } from "../shared/announce.ts";

const issuer = "https://login.example.com";
const { publicKey, privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
const keys = [{ ...publicKey.export({ format: "jwk" }), kid: "one", alg: "ES256", use: "sig" }];

const input = z.object({ text: z.string() });
const echo = tool("echo", { description: "Says it again", input }, ({ text }) => text);
const server = createServer({ name: "echo", version: "1.0.0", tools: [echo] });
const { url } = await serveHttp(server, { auth: bearer({ issuer, jwks: { keys } }) });
announceUrl(`${url}#${issueToken(url)}`);

/** An access token for one hour. */
function issueToken(audience: string): string {
  const now = Math.floor(Date.now() / 1000);
  const header = { alg: "ES256", typ: "at+jwt", kid: "one" };
  const claims = { iss: issuer, aud: audience, sub: "bench", client_id: "bench", iat: now, exp: now + 3600 };
  const text = [header, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".");
  const signature = sign("sha256", Buffer.from(text), { key: privateKey, dsaEncoding: "ieee-p1363" });
  return `${text}.${signature.toString("base64url")}`;
}
