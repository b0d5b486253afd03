import type { Change, Run } from '@retry/core/broker';
import { groupOf } from '@retry/core/broker/kit';
import { isEnd } from '@retry/core/lifecycle';
import type { Packed } from '../store/pack.ts';
import { createLaneList } from '../store/store.ts';
import { encodeRecord } from './record.ts';

/** What is sent in place of a record. No state has these letters. */
export const CHANGE_MARKS = { forget: '-', requestCancel: '+' } as const;

/** What the script replies in place of answers when a note is not what was seen. */
export const NOTES_CHANGED = 'fenced';

/** What ends `seen` of a run whose payload retention has deleted. */
export const TRIMMED_MARK = '-';

/** What the script of changes gets of a call, and the tags of the lanes whose keys it needs. */
interface EncodedChanges {
  readonly tags: readonly string[];
  readonly values: readonly Packed[];
}

/** Encodes changes, in the order in which the script reads them. */
export function encodeChanges(changes: readonly Change[]): EncodedChanges {
  const lanes = createLaneList();
  const numbers = changes.map(({ next }) => (waits(next) ? lanes.numberOf(next.lane) : 0));
  const encoded = changes.map(encodeChange);
  const values = [
    lanes.tags,
    changes.map(({ id }) => id),
    numbers,
    changes.map(({ seen }) => seen),
    encoded.map(({ text }) => text),
    encoded.map(({ stack = '' }) => stack),
    encoded.map(({ result = '' }) => result),
    encoded.flatMap(({ group = [] }) => group),
  ];
  return { tags: lanes.tags, values };
}

interface EncodedChange {
  readonly text: string;
  readonly stack?: string | undefined;
  readonly result?: string | undefined;
  /** Id and title of the error group of a dead letter. */
  readonly group?: readonly [string, string] | undefined;
}

function encodeChange({ next, group: given }: Change): EncodedChange {
  if (next === 'forget') return { text: CHANGE_MARKS.forget };
  if (next.state === 'started') return { text: CHANGE_MARKS.requestCancel };
  const group = groupOf(next, given);
  const record = encodeRecord(next, next.settledBy ?? '', group?.id);
  return { ...record, group: group && [group.id, group.title] };
}

function waits(next: Change['next']): next is Run {
  return next !== 'forget' && next.state !== 'started' && !isEnd(next.state);
}
