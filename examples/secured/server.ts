import { type AuditEntry, audit, createServer, rateLimit, scopes, tool } from "allspeak";
import { z } from "zod";

const orders = new Map<string, string[]>();

const addOrder = tool(
  "add-order",
  { description: "Orders something", input: z.object({ what: z.string() }), access: scopes("orders:write") },
  ({ what }, ctx) => {
    const mine = ordersOf(ctx.principal?.subject);
    mine.push(what);
    return `You have ${mine.length} orders.`;
  },
);

const listOrders = tool(
  "list-orders",
  { description: "Lists your own orders", annotations: { readOnlyHint: true } },
  (_, ctx) => ordersOf(ctx.principal?.subject).join(", ") || "none",
);

/** The orders of one user. The principal comes from the token, never from an argument. */
function ordersOf(subject = ""): string[] {
  const known = orders.get(subject) ?? [];
  orders.set(subject, known);
  return known;
}

export const auditLog: AuditEntry[] = [];

/** A shop where each user sees only their own orders. */
export const server = createServer({ name: "shop", version: "1.0.0", tools: [addOrder, listOrders] });
server.use(audit((entry) => auditLog.push(entry)));
server.use(rateLimit({ calls: 3, tools: ["add-order"], by: "principal" }));
