import type { Finding } from "./finding.ts";

/** Templates that are looked at. */
const maxTemplates = 1_000;

/** Looks for templates whose variables can't be told apart, and for those that match what another one matches. */
export function checkTemplates(templates: readonly string[]): Finding[] {
  const shapes = new Map<string, string>();
  return templates.slice(0, maxTemplates).flatMap((template) => {
    const shape = toShape(template);
    const twin = shapes.get(shape);
    if (twin === undefined) shapes.set(shape, template);
    return [
      ...(isAmbiguous(template)
        ? [
            advice(
              template,
              "two variables stand side by side, so that nobody can tell where one ends",
              'write something between them, such as "/"',
            ),
          ]
        : []),
      ...(twin === undefined
        ? []
        : [
            advice(
              template,
              `it matches the same URIs as ${JSON.stringify(twin)}, so that one of the two is never read`,
              "give one of them another path",
            ),
          ]),
    ];
  });
}

/** Two variables without an operator that begins with a character, which would separate them. `{a:3}` has an end of its own. */
const sideBySide = /\{\+?\w[^{}:]*\}\{\+?\w/;

function isAmbiguous(template: string): boolean {
  return sideBySide.test(template);
}

/** The template without the names of variables, where these are not a part of the URI. */
function toShape(template: string): string {
  return template.replace(/\{([+#./]?)([\w%.,:*]*)\}/g, (_, operator: string, variables: string) => {
    const modifiers = variables.split(",").map((variable) => /(?:\*|:\d+)?$/.exec(variable)?.[0]);
    return `{${operator}${modifiers.join(",")}}`;
  });
}

function advice(template: string, problem: string, fix: string): Finding {
  return { severity: "advice", about: `template ${JSON.stringify(template)}`, problem, fix };
}
