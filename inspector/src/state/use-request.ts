import { useEffect, useState } from "preact/hooks";
import type { Failure } from "../../../src/inspector/messages/reply.ts";
import type { RequestParams, RequestResult, RequestType } from "../../../src/inspector/messages.ts";
import { request, toFailure } from "./link.ts";

interface Loaded<Type extends RequestType> {
  readonly result?: RequestResult<Type>;
  readonly failure?: Failure;
  readonly isLoading: boolean;
}

/** The reply to a request that is sent when it is first shown, and again when `version` or the params change. */
export function useRequest<Type extends RequestType>(
  type: Type,
  params: RequestParams<Type> | undefined,
  version: unknown = 0,
): Loaded<Type> {
  const [loaded, setLoaded] = useState<Loaded<Type>>({ isLoading: params !== undefined });
  const key = JSON.stringify(params);
  useEffect(() => {
    if (params === undefined) return;
    let isCurrent = true;
    setLoaded((before) => ({ ...before, isLoading: true }));
    request(type, params).then(
      (result) => isCurrent && setLoaded({ result, isLoading: false }),
      (error: unknown) => isCurrent && setLoaded({ failure: toFailure(error), isLoading: false }),
    );
    return () => {
      isCurrent = false;
    };
  }, [type, key, version]);
  return loaded;
}
