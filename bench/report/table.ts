export interface Table {
  readonly title: string;
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A value that the design promises, and what was measured. */
export interface Figure {
  readonly what: string;
  readonly measured: number;
  readonly bound: "at least" | "at most";
  readonly limit: number;
}

export interface Report {
  readonly tables: readonly Table[];
  readonly figures: readonly Figure[];
}

/** Names to the left, numbers to the right. */
export function printTable({ title, header, rows }: Table): void {
  const widths = header.map((_, column) =>
    Math.max(...[header, ...rows].map((row) => row[column]?.length ?? 0)),
  );
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join("   ");
  console.log(`\n${title}\n`);
  console.log(line(header));
  console.log(widths.map((width) => "-".repeat(width)).join("   "));
  for (const row of rows) console.log(line(row));
}

export function printFigures(figures: readonly Figure[]): void {
  if (figures.length === 0) return;
  printTable({
    title: "Figures to hold",
    header: ["what", "figure", "measured", ""],
    rows: figures.map((figure) => [
      figure.what,
      `${figure.bound} ${formatNumber(figure.limit)}`,
      formatNumber(figure.measured),
      isHeld(figure) ? "held" : "missed",
    ]),
  });
}

function isHeld({ bound, measured, limit }: Figure): boolean {
  return bound === "at least" ? measured >= limit : measured <= limit;
}

/** Two decimals for ratios, separated thousands for counts. */
export function formatNumber(value: number): string {
  return value < 100 && !Number.isInteger(value) ? value.toFixed(2) : Math.round(value).toLocaleString("en");
}
