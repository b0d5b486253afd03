import { useSignal } from '@preact/signals';
import type { VNode } from 'preact';

/** Copies a text; where the browser refuses, it says so. */
export function CopyButton({ label, text }: { label: string; text: string }): VNode {
  const said = useSignal('');
  const copy = (): void => {
    Promise.resolve()
      .then(() => navigator.clipboard.writeText(text))
      .then(
        () => {
          said.value = 'Copied.';
        },
        () => {
          said.value = 'The browser refused; select the text and copy it.';
        },
      );
  };
  return (
    <span class="copy">
      <button type="button" onClick={copy}>
        {label}
      </button>
      <span role="status" class="quiet">
        {said.value}
      </span>
    </span>
  );
}
