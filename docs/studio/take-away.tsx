import type { VNode } from 'preact';
import { CopyButton } from '../../packages/board/src/page/controls/copy-button.tsx';
import type { Draft } from './studio-state.ts';
import { writeCode, writeJson } from './write-code.ts';

/** The policy as a JSON file, and as a TypeScript module. */
export function TakeAway({ draft }: { draft: Draft }): VNode | null {
  if (draft.inspection.value?.curve === undefined || !isJson(draft.text.value)) return null;
  const json = writeJson(draft.text.value);
  const code = writeCode(draft.text.value);
  return (
    <details class="take-away">
      <summary>Take it away</summary>
      <p class="row">
        <CopyButton label="Copy JSON" text={json} />
        <button type="button" onClick={() => download('policy.json', json)}>
          Save policy.json
        </button>
        <CopyButton label="Copy TypeScript" text={code} />
      </p>
      {/* A scrollable region that no key reaches cannot be read without a mouse. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll it */}
      <pre tabIndex={0}>{code}</pre>
    </details>
  );
}

/** The text may be newer than the inspection. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function download(name: string, text: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
