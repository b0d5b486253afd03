import type { EndAnswer, EndRequest, ErrorGroupName } from '@retry/core/broker';
import { endBytes, groupOf, withOutcome } from '@retry/core/broker/kit';
import { transition } from '@retry/core/lifecycle';
import { chunksOf } from '../driver/chunks.ts';
import { readAnswers } from '../record/answers.ts';
import type { EncodedRecord } from '../record/encode-record.ts';
import { encodeRecord } from '../record/encode-record.ts';
import { BODY, UNREADABLE_MARK, widthOf } from '../record/layout.ts';
import { endScript } from '../scripts/end.ts';
import { pack } from '../store/pack.ts';
import type { Store } from '../store/store.ts';
import { runScript } from '../store/store.ts';
import type { KeptRun } from './get.ts';
import { readKept } from './get.ts';

/**
 * Ends waiting runs as an operator decides. Core computes the end of the run that was read; the script writes it only if the run is
 * still the same, otherwise it is read again. A started run gets a cancel request.
 */
export async function endRuns(store: Store, requests: readonly EndRequest[]): Promise<readonly EndAnswer[]> {
  const answers: EndAnswer[] = [];
  let left: readonly Numbered[] = requests.map((request, index) => ({ request, index }));
  while (left.length > 0) {
    const changed: Numbered[] = [];
    for (const chunk of chunksOf(left, ({ request }) => endBytes(request))) {
      const ended = await endChunk(store, chunk);
      for (const [at, numbered] of chunk.entries()) {
        const answer = ended[at] ?? 'gone';
        if (answer === 'changed') changed.push(numbered);
        else answers[numbered.index] = answer;
      }
    }
    left = changed;
  }
  return answers;
}

interface Numbered {
  readonly request: EndRequest;
  /** Among all requests of the call. */
  readonly index: number;
}

async function endChunk(
  store: Store,
  chunk: readonly Numbered[],
): Promise<readonly (EndAnswer | 'changed')[]> {
  const ids = chunk.map(({ request }) => request.id);
  const { now, kept } = await readKept(store, ids, { payloads: 'omit' });
  const next = chunk.map(({ request }, index) => endOf(kept[index], request, now));
  const groups = next.flatMap(({ group }) => (group === undefined ? [] : [group.id, group.title]));
  const request = pack([
    ids,
    kept.map(markOf),
    next.map(({ text }) => text),
    next.map(({ stack = '' }) => stack),
    next.map(({ result = '' }) => result),
    groups,
  ]);
  return readAnswers('end', await runScript(store, endScript, [...store.retention, request]));
}

const CREATED_AT_DIGITS = widthOf(BODY, 'createdAt');

/** What the script recognizes the run by that was read. */
function markOf(kept: KeptRun | undefined): string {
  return kept?.record ?? String(kept?.run.createdAt ?? '').padStart(CREATED_AT_DIGITS, '0');
}

/** What the record of a run is to be that does not wait: it is not written. */
const NONE: EncodedRecord = { text: '', stack: undefined };

/** A record, and what the run is counted under if it is a dead letter. */
interface Ended extends EncodedRecord {
  readonly group?: ErrorGroupName | undefined;
}

function endOf(kept: KeptRun | undefined, request: EndRequest, at: number): Ended {
  if (kept === undefined) return NONE;
  if (kept.isUnreadable) return { ...NONE, text: UNREADABLE_MARK };
  const moved = transition(kept.run, { type: 'end', at, as: request.as });
  if (moved.type === 'rejected') return NONE;
  const ended = withOutcome(moved.run, request, at);
  const group = groupOf(ended, request.as === 'failed' ? request.group : undefined);
  return { ...encodeRecord(ended, ended.settledBy ?? '', group?.id), group };
}
