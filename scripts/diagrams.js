// Draws docs/diagrams/*.mmd as SVG, with Mermaid in a headless Chromium:
//   npm install --no-save mermaid@11 && node scripts/diagrams.js
//
// The pictures are part of the repository, because not every reader's program draws Mermaid. Each one carries the hash
// of its source; test/docs/diagrams.test.ts tells when one has to be drawn again.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

const folder = fileURLToPath(new URL("../docs/diagrams", import.meta.url));

const settings = {
  startOnLoad: false,
  theme: "base",
  themeVariables: {
    fontFamily: "system-ui, sans-serif",
    background: "#ffffff",
    primaryColor: "#eef3fb",
    primaryBorderColor: "#3b6ea8",
    primaryTextColor: "#1b2733",
    lineColor: "#3b6ea8",
    noteBkgColor: "#fff6dd",
    noteBorderColor: "#c9a227",
    clusterBkg: "#f8fafc",
    clusterBorder: "#9fb3c8",
  },
  // Programs that show pictures leave HTML in them out.
  htmlLabels: false,
  flowchart: { htmlLabels: false, rankSpacing: 90 },
  sequence: { mirrorActors: false },
};

for (const name of readdirSync(folder).filter((one) => one.endsWith(".mmd"))) {
  const source = readFileSync(join(folder, name), "utf8");
  const hash = createHash("sha256").update(source).digest("hex").slice(0, 16);
  const comment = `<!-- drawn by scripts/diagrams.js from ${name}, ${hash} -->`;
  writeFileSync(join(folder, name.replace(/\.mmd$/, ".svg")), `${draw(source)}\n${comment}\n`);
}

/** Lets Mermaid draw in a page, and takes the picture out of it. */
function draw(source) {
  const { resolve } = createRequire(import.meta.url);
  const mermaid = join(dirname(resolve("mermaid/package.json")), "dist", "mermaid.min.js");
  const work = mkdtempSync(join(tmpdir(), "diagram-"));
  const page = join(work, "page.html");
  writeFileSync(
    page,
    `<!doctype html><meta charset="utf-8"><body><script src="${pathToFileURL(mermaid)}"></script><script>
      mermaid.initialize(${JSON.stringify(settings)});
      mermaid.render("diagram", ${JSON.stringify(source)}).then(({ svg }) => {
        document.body.innerHTML = "<main>" + svg + "</main>";
      }, (error) => { document.body.innerHTML = "<pre>" + error + "</pre>"; });
    </script>`,
  );
  const options = ["--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=10000"];
  const args = [
    ...options,
    `--user-data-dir=${join(work, "profile")}`,
    "--dump-dom",
    pathToFileURL(page).href,
  ];
  const dom = execFileSync("chromium", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  rmSync(work, { recursive: true, force: true });
  const [, svg] = /<main>(<svg[\s\S]*<\/svg>)<\/main>/.exec(dom) ?? [];
  if (svg === undefined) throw new Error(`Mermaid drew nothing: ${dom.slice(0, 2_000)}`);
  // As HTML some tags stay open that XML must close. A white ground makes it readable on dark pages, too.
  return svg.replaceAll("<br>", "<br/>").replace('style="', 'style="background-color: #ffffff; ');
}
