import { createCircuitBreaker, tryRetry } from '@retry/inprocess';
import { createTestClock } from '@retry/inprocess/testing';

const clock = createTestClock(); // seconds pass immediately
const circuitBreaker = createCircuitBreaker({
  failureRatio: 0.5,
  minimumThroughput: 8,
  breakDuration: '5s',
  clock,
  onStateChange: ({ from, to }) => console.log(`${from} -> ${to}`),
});

const load = () => (clock.now() < 5_000 ? Promise.reject(new Error('down')) : Promise.resolve('done'));
const call = () => tryRetry(load, { maxAttempts: 5, backoff: { type: 'none' } }, { circuitBreaker });

for (let count = 1; count <= 3; count += 1) {
  const { attempts, ...result } = await call();
  console.log(`call ${count}: ${attempts} attempts,`, result.ok || result.reason);
}
// => call 1: 5 attempts, exhausted
// => closed -> open
// => call 2: 3 attempts, circuit-open
// => call 3: 0 attempts, circuit-open

await clock.advance('6s');
console.log((await call()).ok, circuitBreaker.state);
// => open -> half-open
// => half-open -> closed
// => true closed
