import { useState } from "preact/hooks";
import { Button } from "./button.tsx";

export function CopyButton({ text, label = "Copy" }: { readonly text: string; readonly label?: string }) {
  const [outcome, setOutcome] = useState<"copied" | "failed">();
  const copy = () => {
    navigator.clipboard.writeText(text).then(
      () => setOutcome("copied"),
      () => setOutcome("failed"),
    );
  };
  const said = outcome === "copied" ? "Copied" : outcome === "failed" ? "The browser refused to copy" : label;
  return <Button look="quiet" icon={outcome === "copied" ? "check" : "copy"} label={said} onPress={copy} />;
}
