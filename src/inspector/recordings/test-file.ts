import type { RecordingView } from "../messages/recording.ts";

/** A vitest test that replays a recording, and the recording beside it. */
export function toTestFiles(
  { name, server = "the server" }: RecordingView,
  fileName: string,
  text: string,
): { fileName: string; text: string }[] {
  const test = `import { readFileSync } from "node:fs";
import { replay } from "allspeak/testing";
import { test } from "vitest";
import { server } from "./server.ts";

test(${JSON.stringify(`${server} answers as in the recording ${name}`)}, async () => {
  const transcript = readFileSync(new URL(${JSON.stringify(`./${fileName}`)}, import.meta.url), "utf8");
  const report = await replay(transcript).toServer(server);
  report.assertSame();
});
`;
  return [
    { fileName: fileName.replace(/\.jsonl$/, ".test.ts"), text: test },
    { fileName, text },
  ];
}
