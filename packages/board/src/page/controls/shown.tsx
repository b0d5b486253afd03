import type { VNode } from 'preact';
import type { ShownError, ShownText } from '../../api.ts';
import { count } from '../charts/figures.ts';

/** A text as it is stored; says where it was cut or masked. */
export function Shown({
  label,
  text: { text, length, isCut, isMasked },
}: {
  label: string;
  text: ShownText;
}): VNode {
  const notes = [
    ...(isCut ? [`the first ${count(text.length)} of ${count(length)} characters`] : []),
    ...(isMasked ? ['masked'] : []),
  ];
  return (
    <div class="shown">
      <h3>
        {label} {notes.length === 0 ? null : <span class="quiet">{`(${notes.join(', ')})`}</span>}
      </h3>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keys scroll it */}
      <pre tabIndex={0} dir="auto">
        {text}
      </pre>
    </div>
  );
}

/** Whether the mask hides a part of an error. */
export function isMaskedError({ message, stack }: ShownError): boolean {
  return message.isMasked || stack?.isMasked === true;
}

/** An error with its facts and its stack. */
export function ErrorView({ error }: { error: ShownError }): VNode {
  const { name, message, stack, code, causeCode, status, retryAfterMs } = error;
  const facts = Object.entries({
    code,
    'code of its cause': causeCode,
    status,
    'retry after, ms': retryAfterMs,
  });
  return (
    <div>
      <Shown label={name} text={message} />
      <p class="quiet">
        {facts.flatMap(([key, value]) => (value === undefined ? [] : [`${key} ${value}`])).join(' · ')}
      </p>
      {stack === undefined ? null : (
        <details>
          <summary>Stack</summary>
          <Shown label="Stack" text={stack} />
        </details>
      )}
    </div>
  );
}
