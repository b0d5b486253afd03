import { createPostgresBroker } from '@retry/postgres';
import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { passTime } from '../support/pass-time.ts';
import { describeOnPostgres } from '../support/servers/describe-on-postgres.ts';
import { replaceSql } from '../support/sql-text.ts';
import type { RetentionMutant } from '../support/telling-scenes/retention.ts';
import { playCase } from '../support/telling-scenes/retention.ts';
import type { MutableSchema } from './clocked-schema.ts';
import { createMutableSchema } from './clocked-schema.ts';
import { openPool } from './open-broker.ts';

const OLDEST_FIRST =
  'keepCompleted.bytes deletes the long payloads of the runs that ended first, and keeps the runs';

/** How long each step of a case takes: the case waits for a trim of up to a hundred steps. */
const LEAST_STEP_MS = 12;

/** Mistakes in the functions that forget runs, and delete long texts. */
const MUTANTS: readonly RetentionMutant[] = [
  {
    name: 'no run is forgotten by its age',
    right: 'exit when v_young = 1;',
    wrong: 'exit;',
    case: 'keepCompleted.for forgets runs when others end',
  },
  {
    name: 'the texts of the latest runs are deleted first',
    right: 'sum(bytes) over (order by ord desc) as upto from long_finished',
    wrong: 'sum(bytes) over (order by ord) as upto from long_finished',
    case: OLDEST_FIRST,
  },
  {
    name: 'one text more than is allowed is kept',
    right: 'upto > p_keep_bytes',
    wrong: 'upto > p_keep_bytes + 10000',
    case: OLDEST_FIRST,
  },
  {
    name: 'bytes of discarded runs stay counted',
    right: 'where l.ord = any (p_ords)',
    wrong: 'where false',
    case: 'keepCompleted.bytes counts what is discarded no more',
  },
  {
    name: 'a result is kept where the payload is deleted',
    right: 'result = case when',
    wrong: 'result = case when false and',
    case: 'keepCompleted.bytes deletes payload and result of a run together',
  },
];

describeOnPostgres('a case about retention', (server) => {
  let pool: pg.Pool | undefined;
  let schema: MutableSchema | undefined;
  beforeAll(async () => {
    pool = openPool(server().url, 1);
    schema = await createMutableSchema(pool);
  });
  afterAll(async () => {
    await schema?.drop();
    await pool?.end();
  });

  it.each(MUTANTS)('fails when $name, and else passes', async ({ right, wrong, case: name }) => {
    if (pool === undefined || schema === undefined) throw new Error('there is no schema');
    const { name: ofSchema, setTime: setClock, clear, withMutated } = schema;
    const client = pool;
    const play = async () => {
      await clear();
      const openBroker = async (options = {}) =>
        createPostgresBroker({ client, schema: ofSchema, listen: false, ...options });
      // A broker trims at most once a second of its own clock, whatever the schema's says.
      const setTime = async (at: number): Promise<void> => {
        await setClock(at);
        await passTime(LEAST_STEP_MS);
      };
      return playCase(name, { openBroker, setTime });
    };

    const withoutMistake = await play();
    const played = await withMutated(replaceSql(right, wrong), play);

    expect({ isApplied: played !== undefined, withoutMistake }).toEqual({
      isApplied: true,
      withoutMistake: undefined,
    });
    expect(played?.result).toBeInstanceOf(Error);
    expect(String(played?.result)).not.toMatch(/syntax error|does not exist/i);
  });
});
