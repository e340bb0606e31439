export { type ServeStdioOptions, type StdioServing, serveStdio } from "./serve-stdio.ts";
export { type StdioCommand, stdioTransport } from "./transports/stdio/stdio-transport.ts";
