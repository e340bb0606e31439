import { examine } from "../../../doctor/examine.ts";
import { showExamination } from "../../doctor/show-examination.ts";
import { ExitCode } from "../../exit-code.ts";
import { jsonOption } from "../../target/target-options.ts";
import { defineTargetVerb, type TargetVerb } from "../../target/target-verb.ts";

const options = { json: jsonOption } as const;

export const doctor: TargetVerb<typeof options> = defineTargetVerb({
  arguments: [],
  options,
  examples: [
    [
      "allspeak doctor https://example.com/mcp",
      "how it opens, what it speaks, what it costs, what to fix first",
    ],
    ["allspeak doctor ./server.ts --json", "the same for machines"],
  ],
  notes:
    "Ends with 1 if something is unsafe or broken. A command is started once for each revision. Over HTTP, two requests\nare sent that a server must refuse: from a foreign web page, and for another host name.",
  async run({ options, terminal, withClient }) {
    const examination = await examine({
      signal: terminal.signal,
      visit: (connect, work) => withClient(work, connect),
    });
    if (options.json) terminal.printJson(examination);
    else terminal.print(showExamination(examination, terminal));
    const isIll = examination.findings.some(({ severity }) => severity !== "advice");
    return isIll ? ExitCode.failed : ExitCode.ok;
  },
});
