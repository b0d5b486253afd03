import type { GetOptions, Run } from '@retry/core/broker';
import { copyRun } from '@retry/core/broker/kit';
import { textReader } from '../record/apart.ts';
import { hasPayloadApart } from '../record/body.ts';
import { decodeRun, hasResultApart } from '../record/decode-record.ts';
import { hasFlag } from '../record/layout.ts';
import { UnreadableError, unreadableRun } from '../record/unreadable.ts';
import { getScript } from '../scripts/lua-code.ts';
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
export interface ReadOptions extends GetOptions {
  /** `omit`: `payload` is `''` and `result` is absent. @default 'include' */
  readonly payloads?: 'include' | 'omit' | undefined;
}

/** Reads the runs of these ids, each of them atomically, in as many replies as they need. */
export async function readKept(
  store: Store,
  ids: readonly string[],
  { collect = false, payloads = 'include' }: ReadOptions = {},
): Promise<{ readonly now: number; readonly kept: readonly (KeptRun | undefined)[] }> {
  const kept: (KeptRun | undefined)[] = [];
  let now = 0;
  while (kept.length < ids.length) {
    const left = kept.length === 0 ? ids : ids.slice(kept.length);
    const asked = pack([left, payloads, collect ? 'collect' : '']);
    const reply = await runListScript(store, getScript, [...store.retention, asked]);
    const [at, read] = reply as readonly [number, ReadReply]; // what our own script returns
    now = at;
    kept.push(...decodeKept(left, read, payloads));
  }
  return { now, kept };
}

/** Returns the runs of these ids. */
export async function getRuns(
  store: Store,
  ids: readonly string[],
  options?: ReadOptions,
): Promise<readonly (Run | undefined)[]> {
  if (ids.length === 0) return [];
  if (options?.collect === true && options.answer === 'none') {
    await runScript(store, getScript, [...store.retention, pack([[...new Set(ids)], 'none', 'collect'])]);
    return [];
  }
  return (await readKept(store, ids, options)).kept.map((found) => found?.run);
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
