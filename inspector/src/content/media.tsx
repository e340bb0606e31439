import { useEffect, useMemo, useState } from "preact/hooks";
import { Note } from "../parts/badge.tsx";
import { Button } from "../parts/button.tsx";
import { toBytes } from "../parts/format.ts";

/** Characters of base64 that become a picture or a sound. */
const maxLength = 28_000_000;
const images = new Set([
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
  "image/avif",
  "image/svg+xml",
  "image/bmp",
]);
const sounds = /^audio\/[\w.+-]+$/;

interface MediaProps {
  /** Base64. */
  readonly data: string;
  readonly mimeType: string;
  readonly label: string;
}

/** A picture or a sound out of the message itself; an SVG is drawn as a picture, where its scripts never run. */
export function Media({ data, mimeType, label }: MediaProps) {
  const type = mimeType.toLowerCase().split(";", 1)[0] ?? "";
  const [isWanted, setWanted] = useState(false);
  const isSlow = useMemo(() => type === "image/svg+xml" && isSlowDrawing(data), [data, type]);
  const isImage = images.has(type) && (isWanted || !isSlow);
  const isSound = sounds.test(type);
  const [address, problem] = useObjectAddress(data, type, isImage || isSound);
  const size = toBytes(Math.floor((data.length * 3) / 4));
  if (problem) return <Note tone="warn">{problem}</Note>;
  return (
    <figure class="media">
      {address && isImage && <img src={address} alt={label} />}
      {/* biome-ignore lint/a11y/useMediaCaption: a server sends a sound without captions. */}
      {address && isSound && <audio controls src={address} aria-label={label} />}
      <figcaption class="tiny faint">
        {mimeType}, {size}
        {address && !isImage && !isSound && (
          <a href={address} download="content">
            {" "}
            Save as a file
          </a>
        )}
      </figcaption>
      {isSlow && !isWanted && (
        <p class="small soft">
          This drawing repeats parts of itself, and may keep the page from working for a long time.{" "}
          <Button look="quiet" onPress={() => setWanted(true)}>
            Draw it
          </Button>
        </p>
      )}
    </figure>
  );
}

/** References, filters, and characters that can hide them: parts that use other parts many times take endless work. */
const reference = /[<:]use\b|url\(|\\|<!ENTITY|[<:]fe[A-Z]/gi;
const maxReferences = 20;

function isSlowDrawing(data: string): boolean {
  const bytes = data.length > maxLength ? undefined : toBytesOf(data);
  // The text may be in UTF-16.
  const text = new TextDecoder("latin1").decode(bytes ?? new Uint8Array()).replaceAll("\0", "");
  return (text.match(reference)?.length ?? 0) > maxReferences;
}

function useObjectAddress(
  data: string,
  type: string,
  isShown: boolean,
): readonly [string | undefined, string | undefined] {
  const [address, setAddress] = useState<string>();
  const [problem, setProblem] = useState<string>();
  useEffect(() => {
    if (data.length > maxLength) return setProblem(`${toBytes(data.length)} of base64 are too much to show.`);
    const bytes = toBytesOf(data);
    if (!bytes) return setProblem("The data is not base64.");
    const made = URL.createObjectURL(
      new Blob([bytes], { type: isShown ? type : "application/octet-stream" }),
    );
    setAddress(made);
    setProblem(undefined);
    return () => URL.revokeObjectURL(made);
  }, [data, type, isShown]);
  return [address, problem];
}

function toBytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return;
  }
}
