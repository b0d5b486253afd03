import { createSharedBudget, tryRetry } from '@retry/inprocess';
import { createMemoryBroker } from '@retry/inprocess/broker'; // or Redis, or Postgres, for several processes

const policy = { maxAttempts: 5, backoff: { type: 'none' } } as const;
const broker = createMemoryBroker();
const budgetOfProcess = () =>
  createSharedBudget({ broker, key: 'payments', perSecond: 0.001, burst: 8, localShare: 0.5 });

/** A dependency that is down. */
const call = (budget: ReturnType<typeof budgetOfProcess>) =>
  tryRetry(() => Promise.reject(new Error('down')), policy, { budget });

let retries = 0;
for (let count = 1; count <= 20; count += 1) {
  const budget = budgetOfProcess();
  budget.record({ type: 'request' }); // each takes a lease of its own
  await new Promise((resolve) => setTimeout(resolve, 10));
  retries += (await call(budget)).attempts - 1;
}
console.log(`20 processes, ${retries <= 8 ? 'at most 8' : retries} retries`);
// => 20 processes, at most 8 retries
