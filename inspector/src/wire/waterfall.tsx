import { type Signal, useSignal } from "@preact/signals";
import { useRef, useState } from "preact/hooks";
import type { CallSpan, WireFilter } from "../../../src/inspector/messages/wire.ts";
import { toBytes, toDuration } from "../parts/format.ts";
import { VirtualList } from "../parts/virtual-list.tsx";
import { connectionOf } from "../state/session.ts";
import { useCalls } from "./wire-lists.ts";

interface WaterfallProps {
  readonly filter: WireFilter;
  readonly chosen: number | undefined;
  readonly onChoose: (seq: number) => void;
}

interface Scale {
  readonly start: number;
  readonly length: number;
}

/** Calls as bars over time. The scale is that of the calls in view, so that short ones stay visible in a long history. */
export function Waterfall({ filter, chosen, onChoose }: WaterfallProps) {
  const calls = useCalls(filter);
  // The rows of a drawing take the scale at once; the axis follows by itself.
  const axis = useSignal<Scale>({ start: 0, length: 1 });
  const scale = useRef(axis.peek());
  const [place, setPlace] = useState(-1);
  const rescale = (first: number, last: number) => {
    const next = scaleOf(Array.from({ length: last - first }, (_, at) => calls.at(first + at)));
    if (next) scale.current = next;
    queueMicrotask(() => {
      axis.value = scale.current;
    });
    return null;
  };
  calls.version.value;
  return (
    <div class="waterfall">
      <div class="waterfall-head tiny faint" aria-hidden="true">
        <span class="waterfall-name">Call</span>
        <Axis scale={axis} />
        <span class="waterfall-ms">Latency</span>
      </div>
      <VirtualList
        label="Calls over time"
        count={calls.count.value}
        rowRem={1.75}
        chosen={chosen !== undefined && calls.at(place)?.request === chosen ? place : -1}
        followsEnd
        backdrop={rescale}
        row={(at) => <CallRow call={calls.at(at)} scale={scale.current} />}
        onChoose={(at) => {
          const call = calls.at(at);
          setPlace(at);
          if (call) onChoose(call.request);
        }}
      />
    </div>
  );
}

function Axis({ scale }: { readonly scale: Signal<Scale> }) {
  const { length } = scale.value;
  return (
    <span class="waterfall-axis">
      <span>0</span>
      <span>{toDuration(length / 2)}</span>
      <span>{toDuration(length)}</span>
    </span>
  );
}

function scaleOf(calls: readonly (CallSpan | undefined)[]): Scale | undefined {
  const known = calls.filter((call) => call !== undefined);
  if (known.length === 0) return;
  const start = Math.min(...known.map(({ startedAt }) => startedAt));
  const end = Math.max(...known.map(({ startedAt, ms }) => startedAt + (ms ?? 1)));
  return { start, length: Math.max(1, end - start) };
}

function CallRow({ call, scale }: { readonly call: CallSpan | undefined; readonly scale: Scale }) {
  if (!call) return <span class="faint">…</span>;
  const left = Math.max(0, Math.min(100, ((call.startedAt - scale.start) * 100) / scale.length));
  const width = call.ms === undefined ? 100 - left : Math.min(100 - left, (call.ms * 100) / scale.length);
  const size = `${toBytes(call.requestBytes)} sent${call.answerBytes === undefined ? "" : `, ${toBytes(call.answerBytes)} back`}`;
  return (
    <span class="call" title={`${connectionOf(call.connection)?.label ?? call.connection}, ${size}`}>
      <span class="waterfall-name clip mono">
        {call.from === "server" && <span class="received">asks </span>}
        {call.name ? `${call.method} ${call.name}` : call.method}
      </span>
      <span class="waterfall-track">
        <span class={`bar ${call.outcome}`} style={{ left: `${left}%`, width: `max(3px, ${width}%)` }} />
      </span>
      <span class="waterfall-ms number">
        {call.ms !== undefined && toDuration(call.ms)}
        {call.outcome === "open" && "open"}
        {call.outcome !== "result" && call.outcome !== "open" && <span class="bad"> {call.outcome}</span>}
      </span>
    </span>
  );
}
