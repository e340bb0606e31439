import type { Operation } from "../../../src/inspector/messages/revisions.ts";
import { useKept } from "./kept.ts";
import { route, setQuery } from "./route.ts";

/** An operation with what of it may stand in an address. */
interface Typed {
  readonly operation: Operation;
  readonly inAddress: string;
}

/** The operation that the address names, with the secrets that were typed here and that no address has. */
export function useOperation(
  connection: string,
): readonly [operation: Operation, set: (operation: Operation, withoutSecrets: Operation) => void] {
  const [typed, setTyped] = useKept<Typed | undefined>(`operation on ${connection}`, undefined);
  const named = route.value.query.get("operation");
  const set = (operation: Operation, withoutSecrets: Operation) => {
    const inAddress = JSON.stringify(withoutSecrets);
    setTyped({ operation, inAddress });
    setQuery({ operation: inAddress, server: connection });
  };
  const isTyped = typed !== undefined && (named === null || named === typed.inAddress);
  return [isTyped ? typed.operation : toOperation(named), set];
}

function toOperation(text: string | null): Operation {
  if (text === null) return { kind: "list-tools" };
  try {
    return JSON.parse(text) as Operation;
  } catch {
    // An address that was cut off while it was copied.
    return { kind: "list-tools" };
  }
}
