import type { RpcRequest } from "../../../../protocol/message.ts";
import type { HttpErrorResponse } from "../fetch/error-response.ts";
import { HttpSseShape } from "./http-sse-2024.ts";
import type { OpenRequest } from "./open-request.ts";
import type { HttpShape, ShapeParts } from "./shape-interface.ts";
import { StreamableHttpShape } from "./streamable-http.ts";

/** The way to reach a server: Streamable HTTP, or HTTP+SSE of 2024-11-05. */
export type ShapeName = "streamable" | "sse";

/** Statuses by which a server without Streamable HTTP refuses a POST to its endpoint. */
const noEndpointStatuses: readonly number[] = [400, 404, 405];

/** The shape of a connection, which `initialize` chooses. */
export class ShapeChoice {
  readonly #parts: ShapeParts;
  #name: ShapeName;
  #shape: HttpShape;

  /** `hint` names the shape that the server had before. */
  constructor(parts: ShapeParts, hint: string | undefined) {
    this.#parts = parts;
    this.#name = hint === "sse" ? "sse" : "streamable";
    this.#shape = new StreamableHttpShape(parts);
  }

  get name(): ShapeName {
    return this.#name;
  }

  get shape(): HttpShape {
    return this.#shape;
  }

  /**
   * Sends `initialize` in the shape of the hint, then in the other one.
   *
   * basic/transports#backwards-compatibility (2025-11-25)
   */
  async initialize(
    text: string,
    message: RpcRequest,
    request: OpenRequest,
  ): Promise<HttpErrorResponse | undefined> {
    if (this.#name === "sse" && (await this.#useSse(request)) === "used")
      return this.#shape.request(text, message, request);
    if (!(this.#shape instanceof StreamableHttpShape)) this.#shape = new StreamableHttpShape(this.#parts);
    this.#name = "streamable";
    const errorResponse = await this.#shape.request(text, message, request);
    const isAnswer = errorResponse?.failure?.id === message.id;
    if (errorResponse === undefined || isAnswer || !noEndpointStatuses.includes(errorResponse.status))
      return errorResponse;
    const refusal = await this.#useSse(request);
    if (refusal === "used") return this.#shape.request(text, message, request);
    // A GET that is refused for a reason of its own says that there is an endpoint, and what it wants.
    return refusal && !noEndpointStatuses.includes(refusal.status) ? refusal : errorResponse;
  }

  /** Goes over to HTTP+SSE; the response of a server that refuses it, if there is one. */
  async #useSse({ signal }: OpenRequest): Promise<"used" | HttpErrorResponse | undefined> {
    const opened = await HttpSseShape.open(this.#parts, signal);
    if (opened?.kind !== "open") return opened?.errorResponse;
    await this.#shape.close();
    this.#shape = opened.shape;
    this.#name = "sse";
    return "used";
  }
}
