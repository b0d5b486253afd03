import { readOptions } from '@retry/core/fields';
import { describe, expect, it } from 'vitest';
import { refusalOf } from '../../support/wrong-input.ts';

/** Reads `{ url | client }`, of which one is required. */
const problemsOf = async (input: unknown) => {
  const { problems } = await refusalOf(() =>
    readOptions(
      input,
      { subject: 'broker', keys: ['url', 'client'], synonyms: [[/^pool$/, 'client']] },
      (fields) => {
        if (fields.value('url') === undefined) fields.fail('', 'needs a url', 'Use url.');
      },
    ),
  );
  return problems.map(({ path, value, cure }) => ({ path, value, cure }));
};

describe('a problem of the object itself', () => {
  it('shows the object', async () => {
    expect(await problemsOf({ client: 5 })).toEqual([{ path: '', value: { client: 5 }, cure: 'Use url.' }]);
  });

  it('is not reported beside an unknown key, which was perhaps meant to be what is missing', async () => {
    expect(await problemsOf({ pool: 5 })).toEqual([{ path: 'pool', value: 5, cure: 'Use client.' }]);
  });
});
