/** Templates of RFC 6570 with the operators that servers use; the inspector's server reads whatever comes out. */
const expression = /\{([+#./;?&]?)([^{}]{1,200})\}/g;

export function variablesOf(template: string): readonly string[] {
  const names = [...template.matchAll(expression)].flatMap(([, , list = ""]) => namesOf(list));
  return [...new Set(names)].slice(0, 30);
}

function namesOf(list: string): readonly string[] {
  return list.split(",").map((name) => name.replace(/\*$|:\d+$/, "").trim());
}

const starts: Readonly<Record<string, string>> = {
  "#": "#",
  ".": ".",
  "/": "/",
  ";": ";",
  "?": "?",
  "&": "&",
};

export function expand(template: string, values: Readonly<Record<string, string>>): string {
  return template.replaceAll(expression, (_, operator: string, list: string) => {
    const given = namesOf(list).filter((name) => values[name]);
    const isNamed = operator === "?" || operator === "&" || operator === ";";
    const isPlain = operator === "+" || operator === "#";
    const parts = given.map((name) => {
      const value = values[name] ?? "";
      const text = isPlain ? encodeURI(value) : encodeURIComponent(value);
      return isNamed ? `${name}=${text}` : text;
    });
    if (parts.length === 0) return "";
    const between = operator === "?" || operator === "&" ? "&" : (starts[operator] ?? ",");
    return (starts[operator] ?? "") + parts.join(operator === "#" || operator === "+" ? "," : between);
  });
}
