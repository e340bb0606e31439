export { type HttpServing, type ServeHttpOptions, serveHttp } from "./serve-http.ts";
export { type ServeStdioOptions, type StdioServing, serveStdio } from "./serve-stdio.ts";
export { type StdioCommand, stdioTransport } from "./transports/stdio/stdio-transport.ts";
