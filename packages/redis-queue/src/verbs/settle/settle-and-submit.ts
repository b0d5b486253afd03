import type { ExchangeReply, Settlement } from '@retry/core/broker';
import type { Argument } from '../../driver/redis-link.ts';
import { readAnswers } from '../../record/answers.ts';
import { EXCHANGE } from '../../record/requests.ts';
import { packOneByOne, packOthers } from '../../record/settlements.ts';
import { duesOf, encodeSubmissions } from '../../record/submissions.ts';
import { settleAndSubmitScript } from '../../scripts/lua-code.ts';
import { pack } from '../../store/pack.ts';
import type { Store } from '../../store/store.ts';
import { createLaneList, runListScript } from '../../store/store.ts';

/** Settles runs each of which submits another one, in one script: settlements are rarely of this kind. */
export async function settleAndSubmit(
  store: Store,
  settle: readonly Settlement[],
): Promise<Pick<ExchangeReply, 'settled' | 'now'>> {
  const submissions = settle.flatMap(({ submit }) => submit ?? []);
  const lanes = createLaneList();
  const packed = packOneByOne(settle, lanes);
  const numbers = submissions.map(({ lane }) => lanes.numberOf(lane));
  const exchange: Readonly<Record<(typeof EXCHANGE)[number], Argument>> = {
    keepCompleted: store.retention[0],
    keepKeysMs: store.retention[1],
    firsts: '0',
    moves: '0',
    movesLane: '',
    movesHash: '',
    claimLanes: '-1',
    others: packOthers(lanes, packed),
  };
  const first: readonly Argument[] = [...EXCHANGE.map((name) => exchange[name]), ...packed.texts];
  const request = pack([lanes.tags, numbers, duesOf(submissions)]);
  const args = [...first, request, ...encodeSubmissions(submissions), `${first.length + 1}`];
  const reply = await runListScript(store, settleAndSubmitScript, args, lanes.tags);
  const [now, letters] = reply as readonly [now: number, letters: string]; // what our own script returns
  return { settled: readAnswers('settle', letters), now };
}
