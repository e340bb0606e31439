export interface Tab<Name extends string> {
  readonly name: Name;
  readonly title: string;
  readonly count?: number;
}

interface TabsProps<Name extends string> {
  readonly label: string;
  readonly tabs: readonly Tab<Name>[];
  readonly chosen: Name;
  readonly onChoose: (name: Name) => void;
}

/** A row of choices of which one holds; arrow keys move between them. */
export function Tabs<Name extends string>({ label, tabs, chosen, onChoose }: TabsProps<Name>) {
  const onKeyDown = (event: KeyboardEvent) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (step === 0) return;
    event.preventDefault();
    const at = tabs.findIndex((tab) => tab.name === chosen);
    const next = tabs[(at + step + tabs.length) % tabs.length];
    if (!next) return;
    onChoose(next.name);
    const buttons = (event.currentTarget as HTMLElement).querySelectorAll("button");
    buttons[tabs.indexOf(next)]?.focus();
  };
  return (
    <div class="tabs" role="radiogroup" aria-label={label} onKeyDown={onKeyDown}>
      {tabs.map((tab) => (
        // biome-ignore lint/a11y/useSemanticElements: a button looks and acts the same in every browser.
        <button
          type="button"
          role="radio"
          key={tab.name}
          aria-checked={tab.name === chosen}
          tabIndex={tab.name === chosen ? 0 : -1}
          onClick={() => onChoose(tab.name)}
        >
          {tab.title}
          {tab.count !== undefined && <span class="count number">{tab.count.toLocaleString("en")}</span>}
        </button>
      ))}
    </div>
  );
}
