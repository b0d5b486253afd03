import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Completion } from './completion.ts';

interface CompletionListProps {
  readonly id: string;
  readonly text: string;
  readonly completion: Completion;
}

/** The choices below the caret; the chosen one with its sentence from the schema. */
export function CompletionList({ id, text, completion }: CompletionListProps): VNode | null {
  const { offered, chosen, take } = completion;
  const list = useRef<HTMLDivElement>(null);
  useEffect(() => list.current?.children[chosen]?.scrollIntoView?.({ block: 'nearest' }));
  if (offered === undefined) return null;
  const lines = text.slice(0, offered.from).split('\n');
  const top = `calc(var(--line) * ${lines.length} + var(--editor-padding))`;
  const left = `calc(1ch * ${Math.min(lines.at(-1)?.length ?? 0, 24)} + var(--gutter))`;
  return (
    <div class="choices" style={{ top, left }}>
      <div id={id} role="listbox" aria-label="Completions" ref={list}>
        {offered.choices.map((choice, index) => (
          <div
            key={choice.insert}
            id={`${id}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            onMouseDown={(event) => {
              event.preventDefault();
              take(choice);
            }}
          >
            {choice.label}
          </div>
        ))}
      </div>
      <p>{offered.choices[chosen]?.description}</p>
    </div>
  );
}
