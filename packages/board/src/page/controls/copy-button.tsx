import type { VNode } from 'preact';
import { useState } from 'preact/hooks';

/** Copies a text; where the browser refuses, it says so. */
export function CopyButton({ label, text }: { label: string; text: string }): VNode {
  const [said, setSaid] = useState('');
  const copy = (): void => {
    Promise.resolve()
      .then(() => navigator.clipboard.writeText(text))
      .then(
        () => setSaid('Copied.'),
        () => setSaid('The browser refused; select the text and copy it.'),
      );
  };
  return (
    <span class="copy">
      <button type="button" onClick={copy}>
        {label}
      </button>
      <span role="status" class="quiet">
        {said}
      </span>
    </span>
  );
}
