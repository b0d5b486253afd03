import type { SqlClient } from '@retry/postgres';
import { createPostgresBroker } from '@retry/postgres';
import { createQueue, defineTask } from '@retry/worker';
import { describe, expect, it } from 'vitest';

const ANSWERS: readonly (readonly [string, unknown])[] = [
  ['{ rows: [] }', { rows: [] }],
  ['nothing', undefined],
  ['null', null],
  ['a list, as postgres.js', [{ answer: 'x' }]],
  ['rows that are lists', { rows: [['x']] }],
  ['rows that are nothing', { rows: [undefined] }],
  ['rows without the column', { rows: [{}] }],
  ['a number', 7],
];

const task = defineTask({ name: 'task', run: () => {} });

describe.each(ANSWERS)('a client that answers %s', (_name, answer) => {
  const client: SqlClient = { query: async () => answer as never };
  const broker = createPostgresBroker({ client });

  it('is one typed error as the tx of submit', async () => {
    const queue = createQueue({ broker });

    await expect(queue.submit(task, null, { tx: client })).rejects.toMatchObject({ code: 'CHANGED_REPLY' });
  });

  it('is one typed error of a broker', async () => {
    await expect(broker.submit([{ id: 'a', lane: 'l', payload: '1' }])).rejects.toMatchObject({
      code: 'CHANGED_REPLY',
    });
    await expect(broker.ready()).rejects.toMatchObject({ code: 'CHANGED_REPLY' });
  });
});
