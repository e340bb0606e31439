/**
 * The base class of every error that allspeak throws; `code` distinguishes them.
 *
 * `switch (error.code)` over `AnyMcpError` narrows to the class.
 */
export abstract class McpError extends Error {
  abstract readonly code: string;

  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
  }
}
