import fc from "fast-check";
import { describe, expect } from "vitest";
import { expandUriTemplate, type TemplateValues } from "../../src/protocol/uri-template/expand.ts";
import { parseUriTemplate } from "../../src/protocol/uri-template/uri-template.ts";
import { fuzz } from "../support/fuzz.ts";

/** Text that is hard on an encoder, without what `match` refuses: dot segments, NUL and noncharacters. */
const text = fc
  .oneof(
    fc.string({ unit: "binary", maxLength: 8 }),
    fc.string({
      unit: fc.constantFrom(..."aZ9-._~ /%:?#[]@!$&'()*+,;=<é日😀\t", "%41", "%25", "%2F"),
      maxLength: 8,
    }),
  )
  .filter((value) => {
    const seen = value.replace(/[\t\n\r]/g, "");
    return !/[\0\ufdd0-\ufdef]|(^|[/\\]|%(25)*(2f|5c))(\.|%(25)*2e)/i.test(seen);
  });
const segment = text.filter((value) => !/[/\\]/.test(value));
/** Reserved expansion keeps escapes, so text that looks like one reads as what it stands for. */
const reserved = text.filter((value) => !/%[0-9A-Fa-f]{2}/.test(value));
const path = reserved.filter((value) => !/[?#&]/.test(value));

interface Piece {
  readonly template: string;
  readonly values: TemplateValues;
}

/** Makes a piece of a template, with values, that cannot be confused with what stands around it. */
type Slot = (name: string) => fc.Arbitrary<Piece>;

function slot(template: string, value: fc.Arbitrary<TemplateValues[string]>): Slot {
  return (name) => value.map((made) => ({ template: template.replace("v", name), values: { [name]: made } }));
}

function pair(template: string, second: fc.Arbitrary<string | undefined>): Slot {
  return (name) =>
    fc.tuple(segment, second).map(([first, other]) => ({
      template: template.replace("v", name).replace("w", `${name}w`),
      values: { [name]: first, [`${name}w`]: other },
    }));
}

const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const listOf = (value: fc.Arbitrary<string>) => fc.array(value, { minLength: 1, maxLength: 4 });
const recordOf = (value: fc.Arbitrary<string>) =>
  fc.dictionary(
    value.filter((key) => !/^$|^v\d|^fixed$/.test(key)),
    value,
    { minKeys: 1, maxKeys: 3 },
  );

const inside: readonly Slot[] = [
  slot("/{v}", segment),
  slot("/x-{v}!", segment),
  slot("/{v:30}", segment),
  slot("/{+v}?", fc.constant("a/b")),
  slot(
    "/{v*}",
    listOf(segment).filter((items) => items.join() !== ""),
  ),
  slot("/{v*}", recordOf(segment)),
  slot("/n{;v*}", optional(listOf(segment))),
  slot("/n{;v*}", recordOf(segment)),
  pair("/({v}:{w})", segment),
  pair("/{v,w}", segment),
  pair("/{v}{;w}", optional(segment)),
];
const last: readonly Slot[] = [
  () => fc.constant({ template: "", values: {} }),
  slot("{/v}", optional(segment)),
  slot("{/v*}", optional(listOf(segment))),
  slot("{/v*}", recordOf(segment)),
  slot("/n{.v}", optional(segment)),
  slot("/{+v}", path),
];
const parameters: readonly Slot[] = [
  slot("v", optional(text)),
  slot("v:30", optional(text)),
  slot("v*", optional(listOf(text))),
];
const collectors: readonly Slot[] = [slot("v*", recordOf(text)), slot("v", optional(text))];
const fragments: readonly Slot[] = [
  () => fc.constant({ template: "", values: {} }),
  slot("{#v}", optional(reserved)),
];

const piece = (slots: readonly Slot[], name: string) => fc.constantFrom(...slots).chain((make) => make(name));

const query: fc.Arbitrary<Piece> = fc
  .tuple(
    fc.constantFrom("{?", "?fixed=1{&", "{?v90}{&"),
    fc.oneof(
      fc.tuple(piece(parameters, "v20"), piece(parameters, "v21"), piece(parameters, "v22")),
      fc.tuple(piece(collectors.slice(1), "v20"), piece(collectors, "v21")),
    ),
  )
  .map(([opening, pieces]) => ({
    template: `${opening}${pieces.map(({ template }) => template).join(",")}}`,
    values: join(pieces).values,
  }));

const whole: fc.Arbitrary<Piece> = fc
  .tuple(
    fc.constant({ template: "test://host", values: {} }),
    piece(inside, "v0"),
    piece(inside, "v1"),
    piece(last, "v2"),
    fc.oneof(query, fc.constant({ template: "", values: {} })),
    piece(fragments, "v3"),
  )
  .map(join);

function join(pieces: readonly Piece[]): Piece {
  return {
    template: pieces.map(({ template }) => template).join(""),
    values: Object.assign({}, ...pieces.map(({ values }) => values)),
  };
}

/** Without the prototypes and absent variables that do not matter here. */
function plain(values: object | undefined): unknown {
  return values && JSON.parse(JSON.stringify(values));
}

describe("match", () => {
  const undone = "undoes expand wherever the template tells values apart";
  fuzz("URI template", undone, whole, ({ template, values }) => {
    const parsed = parseUriTemplate(template);
    expect(plain(parsed.match(expandUriTemplate(template, values)))).toEqual(plain(values));
  });

  const queried = fc.record({
    known: fc.record({ a: optional(text), b: optional(text), c: optional(text) }),
    unknown: fc.array(fc.constantFrom("d=1", "d=2", "A=1", "e", "f=a:b/c"), { maxLength: 3 }),
    order: fc.array(fc.nat(), { minLength: 6, maxLength: 6 }),
  });
  const ordered = "reads query parameters in any order, among unknown ones";
  fuzz("URI template", ordered, queried, ({ known, unknown, order }) => {
    const template = parseUriTemplate("test://host/x{?a,b}{&c}");
    const [head, rest = ""] = expandUriTemplate(template.template, known).split(/[?&](.*)/s);
    const pairs = [...(rest === "" ? [] : rest.split("&")), ...unknown];
    const shuffled = pairs
      .map((parameter, index) => [order[index] ?? 0, parameter] as const)
      .sort(([left], [right]) => left - right)
      .map(([, parameter]) => parameter);
    const uri = shuffled.length === 0 ? `${head}` : `${head}?${shuffled.join("&")}`;
    expect(plain(template.match(uri))).toEqual(plain(known));
  });

  const parts = ["{v}", "{v*}", "{+v}", "{/v}", "{/v*}", "{v:2}", "{;v}/", "{#v}", "-", "a", "/", "--a"];
  const value = fc.string({ unit: fc.constantFrom("a", "-", "b"), maxLength: 4 });
  const expanded = fc.tuple(
    fc.array(fc.constantFrom(...parts), { maxLength: 6 }),
    fc.array(optional(value), { minLength: 6, maxLength: 6 }),
  );
  const found = "finds a reading of every expansion, also where several are possible";
  fuzz("URI template", found, expanded, ([chosen, made]) => {
    const template = parseUriTemplate(chosen.map((part, index) => part.replace("v", `v${index}`)).join(""));
    const values = Object.fromEntries(made.map((item, index) => [`v${index}`, item]));
    const uri = expandUriTemplate(template.template, values);
    const reading = template.match(uri);
    expect(reading).toBeDefined();
    expect(expandUriTemplate(template.template, reading ?? {})).toBe(uri);
  });
});
