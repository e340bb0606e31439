import { useEffect, useRef } from "preact/hooks";
import { Button } from "../parts/button.tsx";
import { isHelpOpen, keys, places } from "../state/shortcuts.ts";

export function Help() {
  const dialog = useRef<HTMLDialogElement>(null);
  const isOpen = isHelpOpen.value;
  useEffect(() => {
    if (isOpen) dialog.current?.showModal();
    else dialog.current?.close();
  }, [isOpen]);
  return (
    <dialog
      ref={dialog}
      class="dialog"
      aria-labelledby="help-title"
      onClose={() => (isHelpOpen.value = false)}
    >
      <div class="row apart">
        <h2 id="help-title">Keyboard</h2>
        <Button look="quiet" icon="close" label="Close" onPress={() => (isHelpOpen.value = false)} />
      </div>
      <dl class="keys">
        {keys.map(([key, does]) => (
          <div key={key}>
            <dt>
              <kbd>{key}</kbd>
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
        {Object.entries(places).map(([letter, [title]]) => (
          <div key={letter}>
            <dt>
              <kbd>g</kbd> <kbd>{letter}</kbd>
            </dt>
            <dd>{title}</dd>
          </div>
        ))}
      </dl>
    </dialog>
  );
}
