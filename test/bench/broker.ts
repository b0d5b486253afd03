/** `npm run bench -- broker`: what a run costs on its way through the memory broker, beside a bare deque and Map. */
import type { Run, Settlement } from '@retry/core/broker';
import { transition } from '@retry/core/lifecycle';
import { createMemoryBroker } from '@retry/inprocess';
import { isWanted, printTable, rounds } from './report.ts';
import { timeInRounds } from './rounds.ts';

const BATCH = 100;
const LANES = new Map([['no-op@1', BATCH]]);

let ids = 0;
function nextId(): string {
  ids += 1;
  return `${ids}`;
}

/** Claims and settles a batch, then submits as many again, so that the broker neither fills up nor runs dry. */
async function createThrough(): Promise<() => Promise<void>> {
  const broker = createMemoryBroker({ keepCompleted: 0 });
  const submit = async (): Promise<void> => {
    await broker.submit(
      Array.from({ length: BATCH }, () => ({ id: nextId(), lane: 'no-op@1', payload: 'null' })),
    );
  };
  await submit();
  return async () => {
    const requestId = nextId();
    const claim = { worker: 'bench', requestId, limit: BATCH, lanes: LANES, leaseMs: 30_000 };
    const { claimed, now } = await broker.exchange({ claim });
    await broker.exchange({ settle: claimed.map(({ run }) => completed(run, now)) });
    await submit();
  };
}

function completed(run: Run<'started'>, at: number): Settlement {
  const moved = transition(run, { type: 'complete', at });
  if (moved.type === 'rejected') throw new Error('a started run completes');
  return { id: run.id, epoch: run.epoch, event: 'complete', next: moved.run };
}

/** As little as it takes to hand out each run once and to know which are out. */
function createSketch(): () => void {
  const waiting: string[] = [];
  const started = new Map<string, number>();
  return () => {
    for (let count = 0; count < BATCH; count += 1) waiting.push(nextId());
    const claimed = waiting.splice(0, BATCH);
    for (const id of claimed) started.set(id, 1);
    for (const id of claimed) started.delete(id);
  };
}

if (isWanted('memory broker')) {
  const rows = [
    { name: 'bare deque and Map', run: createSketch() },
    { name: 'memory broker: submit, claim, settle', run: await createThrough() },
  ];
  const results = await timeInRounds(rows, { rounds });
  printTable(`memory broker, ${BATCH} no-op runs per batch`, `ns per ${BATCH} runs`, results);
}
