import { bearer } from "allspeak/auth";
import { serveDevAuth } from "allspeak/auth/dev";
import { serveOverHttp } from "./over-http.ts";

/** Serves behind a login, at an authorization server for development. */
export async function serveBehindLogin(port: number): Promise<void> {
  const users = [
    { subject: "alice", name: "Alice" },
    { subject: "bob", name: "Bob" },
  ];
  const login = await serveDevAuth({ users });
  const url = await serveOverHttp({ port, auth: bearer({ issuer: login.issuer }) });
  const token = await login.issueToken({ resource: url, expiresInSeconds: 60 * 60 });
  console.log(
    `Clients find the login at ${login.issuer} by themselves. Without one, this is good for an hour:`,
  );
  console.log(`  Authorization: Bearer ${token}`);
}
