import type { VNode } from 'preact';
import { useState } from 'preact/hooks';

interface CopyButtonProps {
  readonly label: string;
  readonly text: string;
  /** The key that presses it. */
  readonly keyName?: string;
}

/** Copies a text; where the browser refuses, it says so. */
export function CopyButton({ label, text, keyName }: CopyButtonProps): VNode {
  const [said, setSaid] = useState('');
  const copy = (): void => {
    Promise.resolve()
      .then(() => navigator.clipboard.writeText(text))
      .then(
        () => setSaid('Copied.'),
        () => setSaid(`The browser refused; copy it from here: ${text}`),
      );
  };
  return (
    <span class="copy">
      <button type="button" data-key={keyName} title={text} onClick={copy}>
        {label}
      </button>
      <span role="status" class="quiet">
        {said}
      </span>
    </span>
  );
}
