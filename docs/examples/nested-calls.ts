import { retry } from '@retry/inprocess';

const policy = { maxAttempts: 3, backoff: { type: 'none' }, deadline: '1m' } as const;
let requests = 0;

/** Retries by itself, unless an outer call does. */
const request = (parent: Parameters<Parameters<typeof retry>[1]>[0]) =>
  retry(
    policy,
    () => {
      requests += 1;
      throw new Error('down');
    },
    { parent, nested: 'once' },
  );

await retry(policy, request).catch((error: unknown) => console.log(`${error}`)); // => Error: down
console.log(requests); // => 3

await retry(policy, (parent) =>
  retry(policy, () => 'fine', {
    parent,
    onNested: ({ totalAttempts }) => console.log(`up to ${totalAttempts} attempts`), // => up to 9 attempts
  }),
);
