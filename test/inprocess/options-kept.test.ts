import { createRetryGroup, retry, retryIterable, tryRetry, withRetry } from '@retry/inprocess';
import { createRetryFetch } from '@retry/inprocess/fetch';
import { describe, expect, it } from 'vitest';
import { failing } from './failing.ts';

const AT_ONCE = { maxAttempts: 3, backoff: { type: 'none' } } as const;

/** Options of a caller who changes them afterwards to what would have been refused. */
function setOptions() {
  const group = createRetryGroup();
  const retries: number[] = [];
  const options: Record<string, unknown> = {
    group,
    onRetry: ({ attempt }: { readonly attempt: number }) => void retries.push(attempt),
  };
  const spoil = (): void => {
    delete options['group'];
    options['onRetry'] = 5;
    options['retryIfResult'] = 'no function';
    options['clock'] = {};
  };
  return { options, spoil, group, retries };
}

it('names an iterable by its function where the name is undefined', async () => {
  const names: string[] = [];
  const fail = failing('one');
  async function rows() {
    await fail();
    return (async function* () {
      yield 1;
    })();
  }
  const onRetry = ({ name }: { readonly name: string }) => void names.push(name);
  for await (const _ of retryIterable(rows, AT_ONCE, { name: undefined, onRetry }));

  expect(names).toEqual(['rows']);
});

describe('options that the caller changes after they were checked', () => {
  it.each([['withRetry', (fn: () => unknown, options: object) => withRetry(fn, AT_ONCE, options)]])(
    'change nothing: %s',
    async (_, wrap) => {
      const { options, spoil, group, retries } = setOptions();

      const wrapped = wrap(failing('one', 'two'), options);
      spoil();
      await wrapped();

      expect(retries).toEqual([1, 2]);
      expect(group.active()).toBe(0);
    },
  );

  it.each([
    ['retry', (fn: () => unknown, options: object) => retry(fn, AT_ONCE, options)],
    ['tryRetry', (fn: () => unknown, options: object) => tryRetry(fn, AT_ONCE, options)],
  ])('while it runs change nothing: %s', async (_, call) => {
    const { options, spoil, group, retries } = setOptions();
    const fail = failing('one', 'two');

    await call(() => {
      spoil();
      return fail();
    }, options);

    expect(retries).toEqual([1, 2]);
    expect(group.active()).toBe(0);
  });

  it('change nothing: retryIterable', async () => {
    const { options, spoil, group, retries } = setOptions();
    const fail = failing('one', 'two');
    const items = retryIterable(
      async () => {
        await fail();
        return (async function* () {
          yield 1;
        })();
      },
      AT_ONCE,
      options,
    );
    spoil();
    for await (const item of items) expect(item).toBe(1);

    expect(retries).toEqual([1, 2]);
    expect(group.active()).toBe(0);
  });

  it('change nothing: createRetryFetch', async () => {
    const { options, spoil, group, retries } = setOptions();
    const fail = failing(new TypeError('fetch failed'), new TypeError('fetch failed'));
    const fetch = async () => {
      await fail();
      return new Response('done');
    };
    const retryFetch = createRetryFetch(AT_ONCE, { ...options, fetch });
    const spoilt = createRetryFetch(AT_ONCE, Object.assign(options, { fetch }));
    spoil();
    delete options['fetch'];

    expect(await (await retryFetch('http://localhost/')).text()).toBe('done');
    expect(await (await spoilt('http://localhost/')).text()).toBe('done');
    expect(retries).toEqual([1, 2]);
    expect(group.active()).toBe(0);
  });

  it('may be read from a getter once: what it answers later was not checked', async () => {
    let reads = 0;
    const options = {
      get onRetry() {
        reads += 1;
        return reads > 1 ? (5 as never) : () => {};
      },
    };

    await withRetry(failing('one'), AT_ONCE, options)();

    expect(reads).toBe(1);
  });
});
