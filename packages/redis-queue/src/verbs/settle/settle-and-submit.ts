import type { ExchangeReply, Settlement, Submission } from '@retry/core/broker';
import type { Argument } from '../../driver/redis-link.ts';
import { readAnswers } from '../../record/answers.ts';
import { isKeptApart } from '../../record/apart.ts';
import { encodeBody } from '../../record/body.ts';
import { EXCHANGE } from '../../record/requests.ts';
import { packOneByOne } from '../../record/settlements.ts';
import { settleAndSubmitScript } from '../../scripts/settle/settle-and-submit.ts';
import { pack } from '../../store/pack.ts';
import type { LaneList, Store } from '../../store/store.ts';
import { createLaneList, runScript } from '../../store/store.ts';

/** Settles runs each of which submits another one, in one script: settlements are rarely of this kind. */
export async function settleAndSubmit(
  store: Store,
  settle: readonly Settlement[],
): Promise<Pick<ExchangeReply, 'settled' | 'now'>> {
  const submissions = settle.flatMap(({ submit }) => submit ?? []);
  const lanes = createLaneList();
  const { others, texts } = packOneByOne(settle, lanes);
  const numbers = submissions.map(({ lane }) => lanes.numberOf(lane));
  const exchange: Readonly<Record<(typeof EXCHANGE)[number], Argument>> = {
    keepCompleted: store.retention[0],
    keepKeysMs: store.retention[1],
    firsts: '0',
    moves: '0',
    movesLane: '',
    movesHash: '',
    claimLanes: '-1',
    others: pack([lanes.tags, others]),
  };
  const args: Argument[] = [...EXCHANGE.map((name) => exchange[name]), ...texts];
  const submitsAt = args.length + 1;
  args.push(packSubmissions(submissions, numbers, lanes));
  for (const submission of submissions) {
    const { id, payload } = submission;
    args.push(id, encodeBody(submission), isKeptApart(payload) ? payload : '');
  }
  args.push(`${submitsAt}`);
  const reply = await runScript(store, settleAndSubmitScript, args, lanes.tags);
  const [now, letters] = reply as readonly [now: number, letters: string]; // what our own script returns
  return { settled: readAnswers('settle', letters), now };
}

function packSubmissions(
  submissions: readonly Submission[],
  numbers: readonly number[],
  { tags }: LaneList,
): Buffer {
  return pack([tags, numbers, submissions.flatMap(({ runAt = 0, delayMs = 0 }) => [runAt, delayMs])]);
}
