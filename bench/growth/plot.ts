/** The cost of one thing at several sizes. */
export interface Curve {
  readonly name: string;
  readonly points: readonly { readonly size: number; readonly cost: number }[];
}

const width = 760;
const height = 400;
const area = { left: 60, right: 500, top: 50, bottom: 340 };
const colours = ["#1f6feb", "#d1242f", "#1a7f37", "#9a6700", "#8250df", "#57606a"];
const maxSize = 10_000;

/** Draws the cost of each curve as a multiple of its first point, over sizes from 1 to 10,000. */
export function plot(title: string, curves: readonly Curve[]): string {
  const relative = curves.map(({ name, points }) => ({
    name,
    points: points.map(({ size, cost }) => ({ size, times: cost / (points[0]?.cost ?? 1) })),
  }));
  const highest = Math.max(2, ...relative.flatMap(({ points }) => points.map(({ times }) => times)));
  const scale = toScale(Math.ceil(highest * 2) / 2);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">`,
    `<title>${title}</title>`,
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    `<text x="${area.left}" y="28" font-size="15" fill="#1f2328">${title}</text>`,
    ...drawGrid(scale),
    ...relative.flatMap((curve, at) => drawCurve(curve, at, scale)),
    "</svg>",
    "",
  ].join("\n");
}

interface Scale {
  readonly highest: number;
  x(size: number): string;
  y(times: number): string;
}

function toScale(highest: number): Scale {
  return {
    highest,
    x: (size) => (area.left + ((area.right - area.left) * Math.log10(size)) / Math.log10(maxSize)).toFixed(1),
    y: (times) => (area.bottom - ((area.bottom - area.top) * times) / highest).toFixed(1),
  };
}

function drawGrid({ highest, x, y }: Scale): string[] {
  const lines = [];
  for (let times = 0; times <= highest; times += 0.5) {
    lines.push(
      `<line x1="${area.left}" x2="${area.right}" y1="${y(times)}" y2="${y(times)}" stroke="#d8dee4"/>`,
      `<text x="${area.left - 8}" y="${y(times)}" text-anchor="end" dominant-baseline="middle" fill="#57606a">${times}</text>`,
    );
  }
  for (let size = 1; size <= maxSize; size *= 10)
    lines.push(
      `<text x="${x(size)}" y="${area.bottom + 20}" text-anchor="middle" fill="#57606a">${size.toLocaleString("en")}</text>`,
    );
  return lines;
}

function drawCurve(
  { name, points }: { name: string; points: readonly { readonly size: number; readonly times: number }[] },
  at: number,
  { x, y }: Scale,
): string[] {
  const colour = colours[at % colours.length];
  const path = points.map(({ size, times }) => `${x(size)},${y(times)}`).join(" ");
  const label = area.top + 10 + at * 22;
  return [
    `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="2"/>`,
    ...points.map(({ size, times }) => `<circle cx="${x(size)}" cy="${y(times)}" r="3" fill="${colour}"/>`),
    `<line x1="${area.right + 16}" x2="${area.right + 36}" y1="${label}" y2="${label}" stroke="${colour}" stroke-width="2"/>`,
    `<text x="${area.right + 42}" y="${label}" dominant-baseline="middle" fill="#1f2328">${name}</text>`,
  ];
}
