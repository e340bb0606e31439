/** Words that do not describe what is looked for. */
const stopWords: ReadonlySet<string> = new Set(
  "a about an and any are as at be by can could did do does down for from give has have how i in into is it its let many me much my new now of on or our out please some something than that the their them then there they this to today tomorrow up us use using want was we were what when which why will with you your".split(
    " ",
  ),
);

/** Actions with their other names: a question in one word finds tools with the others. */
const actions = toGroups([
  "create add make insert open write",
  "book reserve schedule create",
  "delete remove drop erase destroy clear empty forget",
  "get read fetch show view retrieve load describe open",
  "list enumerate browse show",
  "search find query lookup look locate where",
  "update edit change modify set patch rename move",
  "send post publish notify tell write",
  "message text sms",
  "mail email inbox",
  "run execute start launch invoke trigger",
  "stop cancel abort kill end terminate pause",
  "download export save pull",
  "upload import push attach",
  "answer reply respond comment",
]);

/** Things with their other names. */
const things = toGroups([
  "folder directory",
  "file document",
  "size big large space",
  "issue ticket bug defect",
  "error crash exception failure",
  "picture image photo screenshot",
  "people person user member contact",
  "meeting event appointment invitation",
  "todo task reminder remind",
  "note page document",
  "web internet online website site",
  "news headline article",
  "chart graph plot diagram",
  "merge combine join",
  "deploy release rollout",
  "container docker pod",
  "invoice bill payment charge money cost spend",
  "price quote rate",
  "currency euro dollar money",
  "route direction drive way",
  "place location restaurant shop address",
  "temperature warm cold heat thermostat",
  "language translate french german english spanish",
  "domain subdomain dns",
  "late delay status",
  "history past earlier log",
]);

const actionBoost = 0.7;
const otherActionBoost = 0.45;
const otherThingBoost = 0.5;

/** Letters of scripts that put no spaces between words, or none between a word and its particles. */
const unspaced =
  "\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\u30fc\\p{sc=Hangul}\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}";
const unspacedRun = new RegExp(`^[${unspaced}]`, "u");
const run = new RegExp(`[${unspaced}]+|(?:(?![${unspaced}])[\\p{L}\\p{N}])+`, "gu");

/**
 * The stems of a text, in order: `listPullRequests` has `list`, `pull` and `request`. Where there are no spaces, each
 * two letters are a term.
 */
export function toTerms(text: string, max: number): string[] {
  const plain = text.normalize("NFKD").replace(/\p{M}/gu, "").normalize("NFC");
  const terms: string[] = [];
  for (const [word] of plain.matchAll(run)) {
    for (const part of unspacedRun.test(word) ? toPairs(word.slice(0, 2 * max)) : toParts(word)) {
      if (terms.length >= max) return terms;
      if (!stopWords.has(part)) terms.push(toStem(part));
    }
  }
  return terms;
}

function toParts(word: string): readonly string[] {
  const parts = word
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1 $2")
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .toLowerCase()
    .split(" ");
  // `GitHub` is also `github`.
  return parts.length > 1 ? [...parts, word.toLowerCase()] : parts;
}

function toPairs(letters: string): readonly string[] {
  const all = [...letters];
  return all.length === 1 ? all : all.slice(1).map((letter, index) => `${all[index]}${letter}`);
}

/** The weight of a term in a question, and of those with the same meaning. What is acted on counts more than the action. */
export function boostsOf(term: string): ReadonlyMap<string, number> {
  const boosts = new Map<string, number>();
  for (const other of things.get(term) ?? []) boosts.set(other, otherThingBoost);
  for (const other of actions.get(term) ?? []) boosts.set(other, otherActionBoost);
  return boosts.set(term, actions.has(term) ? actionBoost : 1);
}

/** The words of each line by each of them. */
function toGroups(lines: readonly string[]): ReadonlyMap<string, ReadonlySet<string>> {
  const groups = new Map<string, Set<string>>();
  for (const line of lines) {
    const stems = line.split(" ").map(toStem);
    for (const stem of stems) groups.set(stem, new Set([...(groups.get(stem) ?? []), ...stems]));
  }
  return groups;
}

/** An English word without its ending: `creates`, `created` and `creating` are one term. */
function toStem(word: string): string {
  if (word.length < 4 || word === "news") return word;
  const singular = word.endsWith("ies")
    ? `${word.slice(0, -3)}y`
    : word.replace(/(?<=s|x|z|ch|sh)es$|(?<=[^su])s$/, "");
  const plain = singular.length > 5 ? singular.replace(/(?:ing|ed)$/, "") : singular;
  // `running` and `run`, `create` and `creating`.
  return plain.replace(/([bdgmnprt])\1$/, "$1").replace(/(?<=..)e$/, "");
}
