import { createCircuitBreaker, tryRetry } from '@retry/inprocess';

const circuitBreaker = createCircuitBreaker({
  failureRatio: 0.5,
  minimumThroughput: 8,
  breakDuration: '50ms',
  onStateChange: ({ from, to }) => console.log(`${from} -> ${to}`),
});

let isDown = true;
const load = () => (isDown ? Promise.reject(new Error('down')) : Promise.resolve('done'));
const call = () => tryRetry(load, { maxAttempts: 5, backoff: { type: 'none' } }, { circuitBreaker });

for (let count = 1; count <= 3; count += 1) {
  const { attempts, ...result } = await call();
  console.log(`call ${count}: ${attempts} attempts,`, result.ok || result.reason);
}
// => call 1: 5 attempts, exhausted
// => closed -> open
// => call 2: 3 attempts, circuit-open
// => call 3: 0 attempts, circuit-open

isDown = false;
await new Promise((resolve) => setTimeout(resolve, 60));
console.log((await call()).ok, circuitBreaker.state);
// => open -> half-open
// => half-open -> closed
// => true closed
