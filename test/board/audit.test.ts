import type { Audit, Broker } from '@retry/core/broker';
import { createMemoryBroker } from '@retry/inprocess/broker';
import { createQueue, defineTask } from '@retry/worker';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createBoard } from '../../packages/board/src/create-board.ts';
import { ALL, ask, send } from './board-client.ts';

const mail = defineTask({ name: 'mail', run: () => {} });

/** How an audit that takes long ends. */
type Ending = 'counted' | 'failed';

/** A board whose audits take until they are let go, over a broker that counts them. */
function openBoard() {
  const broker = createMemoryBroker();
  const waiting: ((ending: Ending) => void)[] = [];
  const audit = async (): Promise<Audit> => {
    const ending = await new Promise<Ending>((resolve) => waiting.push(resolve));
    if (ending === 'failed') throw new Error('the server is busy');
    return broker.audit();
  };
  const slow: Broker = { ...broker, audit };
  const board = createBoard({ broker: slow, access: () => ALL, onError: () => {} });
  const created = async () => (await ask(board, 'GET overview')).audit.created;
  return { board, queue: createQueue({ broker }), waiting, created };
}

describe('the audit of the overview', () => {
  let now: number;
  beforeEach(() => {
    now = 7_666.077; // 3 s later the difference to it is a little more than 3 s
    vi.spyOn(performance, 'now').mockImplementation(() => now);
  });
  afterEach(() => vi.restoreAllMocks());

  /** Opens a board whose first audit took this long. */
  async function openCounted(tookMs: number) {
    const opened = openBoard();
    const first = opened.created();
    await expect.poll(() => opened.waiting.length).toBe(1);
    now += tookMs;
    opened.waiting[0]?.('counted');
    expect(await first).toBe(0);
    await opened.queue.submit(mail, undefined);
    return opened;
  }

  it('is that of before while the next one is under way, which is counted once', async () => {
    const { waiting, created } = await openCounted(1);
    now += 10_000;

    expect([await created(), await created()]).toEqual([0, 0]);
    expect(waiting).toHaveLength(2);
    waiting[1]?.('counted');

    await expect.poll(created).toBe(1);
    expect(waiting).toHaveLength(2);
  });

  it('is counted anew only after twenty times as long as it took', async () => {
    const { waiting, created } = await openCounted(3_000);

    now += 59_999;
    await created();
    expect(waiting).toHaveLength(1);
    now += 1;
    await created();

    expect(waiting).toHaveLength(2);
  });

  it('fails where it cannot be counted, and is counted anew at the next request', async () => {
    const { board, waiting, created } = await openCounted(1);
    now += 10_000;
    await created();
    waiting[1]?.('failed');
    await new Promise((resolve) => setImmediate(resolve)); // it has failed
    const failing = send(board, 'GET overview');
    await expect.poll(() => waiting.length).toBe(3);
    waiting[2]?.('failed');

    expect((await failing).status).toBe(502);
    const again = created();
    await expect.poll(() => waiting.length).toBe(4);
    waiting[3]?.('counted');
    expect(await again).toBe(1);
  });
});
