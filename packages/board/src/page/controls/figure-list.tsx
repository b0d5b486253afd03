import type { ComponentChildren, VNode } from 'preact';

/** A figure with its name; `undefined` is left out. */
export type Figure = readonly [name: string, value: ComponentChildren | undefined];

/** Figures side by side. @param wrong - the name of one that must not be so */
export function FigureList({ of, wrong }: { of: readonly Figure[]; wrong?: string | undefined }): VNode {
  return (
    <dl class="figures">
      {of.map(([name, value]) =>
        value === undefined ? null : (
          <div key={name} class={name === wrong ? 'error' : ''}>
            <dt>{name}</dt>
            <dd dir="auto">{value}</dd>
          </div>
        ),
      )}
    </dl>
  );
}
