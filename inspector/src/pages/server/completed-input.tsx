import { useId, useRef, useState } from "preact/hooks";
import type { CompletionReference } from "../../../../src/protocol/model/completion.ts";
import { request } from "../../state/link.ts";

interface CompletedInputProps {
  readonly connection: string;
  readonly target: CompletionReference;
  readonly name: string;
  readonly help?: string | undefined;
  readonly isRequired?: boolean | undefined;
  readonly value: string;
  /** The other values of the form, as context. */
  readonly others: Readonly<Record<string, string>>;
  readonly onChange: (value: string) => void;
}

/** The pause after a key before the server is asked. */
const pauseMs = 150;

/** A text that the server helps to complete. A server that can't says so once, and is asked no more. */
export function CompletedInput(props: CompletedInputProps) {
  const id = useId();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [offers, setOffers] = useState<readonly string[]>([]);
  const [isUseless, setUseless] = useState(false);
  const ask = (value: string) => {
    clearTimeout(timer.current);
    if (isUseless) return;
    const { [props.name]: _, ...context } = props.others;
    timer.current = setTimeout(() => {
      request("complete", {
        connection: props.connection,
        ref: props.target,
        argument: { name: props.name, value },
        ...(Object.keys(context).length > 0 && { context }),
      }).then(
        ({ completion }) => setOffers(completion.values.slice(0, 100)),
        () => setUseless(true),
      );
    }, pauseMs);
  };
  return (
    <div class="field">
      <label class="field-label" for={id}>
        <span class="field-name">{props.name}</span>{" "}
        {props.isRequired && <span class="field-required">required</span>}{" "}
        {offers.length > 0 && <span class="field-kind">{offers.length} offered</span>}
      </label>
      {props.help && (
        <p class="field-help" id={`${id}-help`}>
          {props.help.slice(0, 1000)}
        </p>
      )}
      <input
        id={id}
        type="text"
        list={`${id}-offers`}
        autocomplete="off"
        aria-describedby={props.help && `${id}-help`}
        value={props.value}
        onFocus={() => ask(props.value)}
        onInput={(event) => {
          props.onChange(event.currentTarget.value);
          ask(event.currentTarget.value);
        }}
      />
      <datalist id={`${id}-offers`}>
        {offers.map((offer) => (
          <option key={offer} value={offer} />
        ))}
      </datalist>
    </div>
  );
}
