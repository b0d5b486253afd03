import type { ComponentChildren, VNode } from 'preact';
import type { Loaded } from '../api/loaded.ts';

interface ReadyProps<Data> {
  readonly of: Loaded<Data>;
  readonly children: (data: Data) => ComponentChildren;
}

/** Shows what was loaded; before that says so, and when it fails says why and what to do. */
export function Ready<Data>({ of: { data, problem }, children }: ReadyProps<Data>): VNode {
  return (
    <>
      {problem === undefined ? null : (
        <p class="error" role="alert">
          {problem} {data === undefined ? hintOf(problem) : 'Below is what was read before.'}
        </p>
      )}
      {data === undefined && problem === undefined ? <p class="quiet">Loading …</p> : null}
      {data === undefined ? null : children(data)}
    </>
  );
}

function hintOf(problem: string): string {
  return problem.endsWith('Reload the page.') ? '' : 'Reload the page to try again.';
}

/** What stands where there is nothing, and what to do next. */
export function Empty({ children }: { children: ComponentChildren }): VNode {
  return <p class="empty quiet">{children}</p>;
}
