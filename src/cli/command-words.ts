/** The words of the library for its options, and those of the command for the same. */
const rewordings: readonly (readonly [code: string, library: RegExp, command: string])[] = [
  ["timeout", /; raise [\w.]+ if it may\./, "; --timeout SECONDS allows more."],
  [
    "http",
    /(?<=(https?:\S+) was answered with .*)connect with auth: oauth\(\) to log in.*$/,
    "allspeak login $1 logs in, and --header 'Authorization: Bearer TOKEN' sends a token.",
  ],
  [
    "authorization",
    /(?<=register a client there, and) pass it as client\.$/,
    " give its id with --client-id.",
  ],
  [
    "authorization",
    /(?<=^The authorization server did not register this client: .*)\.$/,
    ".\nRegister a client there, with http://127.0.0.1/callback as its redirect address, and give its id with --client-id.",
  ],
  [
    "usage",
    /; answer it in the input option\.$/,
    `; run it at a terminal, which asks for it, or write \${env:NAME} in its place.`,
  ],
  ["usage", /; pass websocketTransport\(.*$/, "; the command needs Node 22 or newer for it."],
  [
    "usage",
    /^The platform's WebSocket sends no headers; .*$/,
    "A WebSocket sends no headers; leave out --header, or give the server's URL with http.",
  ],
  ["process", / \(more of its stderr is in "stderr" of this error\)\.$/, ".\n--debug shows all of it."],
  [
    "server-held",
    / Look at the difference .*$/,
    " Run it at a terminal, which shows the difference and asks, or agree with --yes.",
  ],
  ["tool-held", / Look at the difference .*$/, " --yes accepts it as it is now."],
  [
    "consent-refused",
    /^The host did not allow the tool (".*") to run.*$/,
    "The tool $1 was not allowed to run.",
  ],
];

/** The message of an error for the user of the command: it names options of the command, and not of the library. */
export function toCommandWords(error: Error): string {
  const code = "code" in error ? error.code : undefined;
  let { message } = error;
  for (const [of, library, command] of rewordings)
    if (of === code) message = message.replace(library, command);
  return message;
}
