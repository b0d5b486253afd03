import type { GetOptions, Reading, Run, SeenRun } from '@retry/core/broker';
import { copyRun } from '@retry/core/broker/kit';
import { textReader } from '../record/apart.ts';
import { hasPayloadApart, UnreadableError, unreadableRun } from '../record/body.ts';
import { TRIMMED_MARK } from '../record/changes.ts';
import { hasFlag } from '../record/layout.ts';
import { decodeRun, hasResultApart, stateOfRecord } from '../record/record.ts';
import { getScript, readScript } from '../scripts/lua-code.ts';
import { pack } from '../store/pack.ts';
import type { Store } from '../store/store.ts';
import { runListScript, runScript } from '../store/store.ts';

type Texts = readonly (string | null)[];

/** What a script reads of runs: how many fit into its reply, and their texts. */
export type ReadReply = readonly [count: number, bodies: Texts, records: Texts, stacks: Texts, large: Texts];

/** A run, with the text of its record for a later comparison. */
export interface KeptRun {
  readonly run: Run;
  readonly record: string | null;
  /** The broker did not write its body or its record. */
  readonly isUnreadable: boolean;
}

/** How to read runs. */
interface ReadOptions extends GetOptions {
  /** `omit`: `payload` is `''` and `result` is absent. @default 'include' */
  readonly payloads?: 'include' | 'omit' | undefined;
}

/** Returns the runs of these ids, each of them read atomically, in as many replies as they need. */
export async function getRuns(
  store: Store,
  ids: readonly string[],
  { collect = false, answer, payloads = 'include' }: ReadOptions = {},
): Promise<readonly (Run | undefined)[]> {
  if (ids.length === 0) return [];
  if (collect && answer === 'none') {
    await runScript(store, getScript, [...store.retention, pack([[...new Set(ids)], 'none', 'collect'])]);
    return [];
  }
  const runs: (Run | undefined)[] = [];
  while (runs.length < ids.length) {
    const left = runs.length === 0 ? ids : ids.slice(runs.length);
    const asked = pack([left, payloads, collect ? 'collect' : '']);
    const reply = await runListScript(store, getScript, [...store.retention, asked]);
    const [, read] = reply as readonly [now: number, read: ReadReply]; // what our own script returns
    runs.push(...decodeKept(left, read, payloads).map((kept) => kept?.run));
  }
  return runs;
}

/** Returns the runs that a script read, as many as fit into its reply. */
export function decodeKept(
  ids: readonly string[],
  [count, bodies, records, stacks, large]: ReadReply,
  payloads: 'include' | 'omit',
): readonly (KeptRun | undefined)[] {
  const nextStack = textReader(stacks);
  const nextLarge = textReader(large);
  return ids.slice(0, count).map((id, index) => {
    const body = bodies[index] ?? null;
    const record = records[index] ?? null;
    if (body === null) return undefined;
    const stack = record !== null && hasFlag(record, 'hasStack') ? nextStack() : undefined;
    if (payloads === 'omit') return decodeOne(id, { body, record, stack, payload: '' }, withoutPayload);
    const payload = hasPayloadApart(body) ? nextLarge() : undefined;
    const result = record !== null && hasResultApart(record) ? nextLarge() : undefined;
    return decodeOne(id, { body, record, stack, payload, result }, (run) => run);
  });
}

function decodeOne(id: string, texts: Parameters<typeof decodeRun>[1], then: (run: Run) => Run): KeptRun {
  const { record } = texts;
  try {
    return { run: then(decodeRun(id, texts)), record, isUnreadable: false };
  } catch (error) {
    if (!(error instanceof UnreadableError)) throw error;
    return { run: unreadableRun(id, error.message), record, isUnreadable: true };
  }
}

function withoutPayload(run: Run): Run {
  const copy = copyRun(run);
  copy.payload = '';
  copy.result = undefined;
  copy.trimmed = undefined;
  return copy;
}

type ReadSeen = readonly [now: number, read: ReadReply, seen: readonly (string | null)[]];

/** Reads runs without their payloads, each of them atomically, in as many replies as they need. */
export async function readRuns(store: Store, ids: readonly string[]): Promise<Reading> {
  const runs: (SeenRun | undefined)[] = [];
  let now = 0;
  do {
    const left = runs.length === 0 ? ids : ids.slice(runs.length);
    const reply = await runListScript(store, readScript, [...store.retention, pack(left)]);
    const [at, read, seen] = reply as ReadSeen; // what our own script returns
    now = at;
    runs.push(...decodeKept(left, read, 'omit').map((kept, index) => kept && seenRun(kept, seen[index])));
  } while (runs.length < ids.length);
  return { now, runs };
}

function seenRun({ run, record, isUnreadable }: KeptRun, seen: string | null | undefined): SeenRun {
  const isTrimmed = seen?.endsWith(TRIMMED_MARK) === true;
  if (!isUnreadable) return { run: isTrimmed ? { ...run, trimmed: ['payload'] } : run, seen: seen ?? '' };
  const inState: Run = { ...run, state: stateOfRecord(record) };
  return { run: inState, seen: seen ?? '', isUnreadable };
}
