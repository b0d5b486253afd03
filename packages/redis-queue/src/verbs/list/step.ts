import type { ListQuery } from '@retry/core/broker';
import type { Position } from '@retry/core/broker/kit';
import type { Store } from '../../store/store.ts';

/** An id where runs of a state are kept, and the position behind it. */
export interface Entry {
  readonly id: string;
  readonly position: Position;
  /** The lane that the run has to be in. */
  readonly lane?: string;
}

/** What one step of a page has read. */
export interface Step {
  readonly entries: readonly Entry[];
  /** How many entries it has looked at. */
  readonly look: number;
  /** Where the next step begins; `undefined` when everything is read. */
  readonly end: Position | undefined;
}

/** The reading of one page. */
export interface Walk {
  readonly store: Store;
  readonly query: ListQuery;
  /** The tags of the lanes that may have waiting runs, in order, once they are read. */
  tags?: readonly string[];
}

/** How many of the last entries of a list a position has: one of them is still there, as a rule, when others have been removed. */
const ANCHORS = 4;

/** Entries of a list with the epochs of their runs, and the anchors in front of them. */
export interface ListPart {
  readonly entries: readonly string[];
  readonly epochs: readonly string[];
  readonly before: readonly string[];
}

/** Returns the anchors behind an entry of a list: the last ones, the latest first, each followed by its epoch. */
export function anchorsAt({ entries, epochs, before }: ListPart, index: number): readonly string[] {
  const anchors: string[] = [];
  for (let at = index; at >= 0 && at > index - ANCHORS; at -= 1)
    anchors.push(entries[at] ?? '', epochs[at] ?? '');
  return [...anchors, ...before].slice(0, 2 * ANCHORS);
}
