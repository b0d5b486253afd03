import { definePolicy } from '@retry/core';
import { fingerprint, replay, summarizeReplays } from '@retry/core/failures';

for (const order of [17, 42]) {
  console.log(fingerprint(new Error(`order ${order} of bob@example.com: "pen" is sold out`)).title);
}
// => Error: order # of <email>: '…' is sold out
// => Error: order # of <email>: '…' is sold out

/** Two stored runs: one met a busy server three times, the other a wrong address. */
const busy = { name: 'HttpError', message: 'busy', status: 503 };
const wrong = { name: 'HttpError', message: 'not found', status: 404 };
const runs = [[busy, busy, busy], [wrong]].map((errors) => ({
  errors: errors.map((error, index) => ({ ...error, startedAt: index * 1_100, at: index * 1_100 + 100 })),
}));

const policy = definePolicy({ maxAttempts: 5, retryOn: [{ status: 503 }], jitter: 'none' });
for (const run of runs) {
  const { isRetried, attempt, reason, missing } = replay(policy, run);
  console.log(isRetried ? 'retried after' : 'ended at', `attempt ${attempt}`, reason, missing);
}
// => retried after attempt 3 undefined []
// => ended at attempt 1 unexpected []

const { retried, unchanged } = summarizeReplays(runs.map((run) => replay(policy, run)));
console.log(`${retried} would have been retried, ${unchanged} would not`);
// => 1 would have been retried, 1 would not
