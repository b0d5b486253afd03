/** Commands that show a mistake in a broker, where random ones seldom do. They throw where the mistake is seen at once. */
import type { Real } from './broker-commands.ts';
import { settlementOf } from './settle.ts';

/** A repeated claim returns nothing of a run that was released, and claimed by another request since. */
export async function claimAgainAfterRelease({ broker }: Real): Promise<void> {
  await broker.submit([{ id: 'a', lane: 'l', payload: '1' }]);
  const claim = { worker: 'w', limit: 1, lanes: new Map([['l', 1]]), leaseMs: 1_000 };
  const { claimed, now } = await broker.settleAndClaim({ claim: { ...claim, requestId: '1' } });
  const settle = claimed.map(({ run }) => settlementOf(run, { type: 'release', at: now }));
  await broker.settleAndClaim({ settle });
  await broker.settleAndClaim({ claim: { ...claim, requestId: '2' } });
  const again = await broker.settleAndClaim({ claim: { ...claim, requestId: '1', lanes: new Map() } });
  if (again.claimed.some(({ run }) => run.epoch > 1)) throw new Error('a repeated claim got a later epoch');
}

/** A run that is claimed over the limit of its key takes no slot: the next one starts when the first has ended. */
export async function claimOverTheLimit({ broker }: Real): Promise<void> {
  const limit = { key: 'k', limit: 1 };
  const over = { id: 'over', lane: 'l', payload: '1', concurrency: { ...limit, whenFull: 'claim' as const } };
  const waits = {
    id: 'waits',
    lane: 'l',
    payload: '1',
    concurrency: { ...limit, whenFull: 'wait' as const },
  };
  await broker.submit([{ ...waits, id: 'first' }, over, waits]);
  const claim = { worker: 'w', lanes: new Map([['l', 2]]), limit: 2, leaseMs: 1_000 };
  const { claimed, now } = await broker.settleAndClaim({ claim: { ...claim, requestId: '1' } });
  const first = claimed.filter(({ run }) => run.id === 'first');
  const settle = first.map(({ run }) => settlementOf(run, { type: 'complete', at: now }));
  await broker.settleAndClaim({ settle, claim: { ...claim, requestId: '2' } });
}

/** Runs of two lanes expire; a cleaner asks for those of one. */
export async function findExpiredOfOneLane({ broker, advance }: Real): Promise<void> {
  await broker.submit(['l', 'm'].map((lane) => ({ id: `of ${lane}`, lane, payload: '1' })));
  const lanes = new Map([
    ['l', 1],
    ['m', 1],
  ]);
  await broker.settleAndClaim({ claim: { worker: 'w', requestId: 'r', limit: 2, lanes, leaseMs: 1_000 } });
  await advance(2_000);
  await broker.findExpired(10, { lanes: ['l'] });
}

/** A short heartbeat does not shorten a lease: a cleaner that is too early is fenced. */
export async function settleAfterShortHeartbeat({ broker, advance }: Real): Promise<void> {
  await broker.submit([{ id: 'a', lane: 'l', payload: '1' }]);
  const claim = { worker: 'w', requestId: 'r', limit: 1, lanes: new Map([['l', 1]]), leaseMs: 1_000 };
  const { claimed, now } = await broker.settleAndClaim({ claim });
  await broker.heartbeat([{ id: 'a', epoch: 1 }], 10);
  await advance(500);
  const settle = claimed.map(({ run }) =>
    settlementOf(run, { type: 'stall', at: now }, { onlyIfExpired: true }),
  );
  await broker.settleAndClaim({ settle });
}
