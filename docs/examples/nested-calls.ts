import { retry } from '@retry/inprocess';

const policy = { maxAttempts: 3, backoff: { type: 'none' }, totalTimeout: '1m' } as const;
let requests = 0;

/** Retries by itself, unless an outer call does. */
const request = (parent: Parameters<Parameters<typeof retry>[0]>[0]) =>
  retry(
    () => {
      requests += 1;
      throw new Error('down');
    },
    policy,
    { parent, nested: 'once' },
  );

await retry(request, policy).catch((error: unknown) => console.log(`${error}`)); // => Error: down
console.log(requests); // => 3

await retry(
  (parent) =>
    retry(() => 'fine', policy, {
      parent,
      onNested: ({ totalAttempts }) => console.log(`up to ${totalAttempts} attempts`), // => up to 9 attempts
    }),
  policy,
);
