/** The names in the expressions of a template: `{id}`, `{?from,to*}`. */
export function variablesOf(template: string): readonly string[] {
  return expressionsOf(template).flatMap(({ names }) => names);
}

/** Those without which the template names no resource: the others are left out of a query. */
export function requiredVariablesOf(template: string): readonly string[] {
  return expressionsOf(template).flatMap(({ operator, names }) => (/[?&]/.test(operator) ? [] : names));
}

function expressionsOf(template: string) {
  return [...template.matchAll(/\{([+#./;?&]?)([^{}]*)\}/g)].map(([, operator = "", names = ""]) => ({
    operator,
    names: names.split(",").map((name) => name.replace(/[*:].*$/, "")),
  }));
}
