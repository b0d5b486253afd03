import { withRetry } from '@retry/inprocess';

let calls = 0;

/** Anything that may fail; here it fails twice. */
function loadGreeting(name: string): string {
  calls += 1;
  if (calls < 3) throw new Error('busy');
  return `hello ${name}`;
}

const loadGreetingWithRetry = withRetry(loadGreeting, {
  maxAttempts: 5,
  backoff: { type: 'exponential', base: '10ms' },
});

console.log(await loadGreetingWithRetry('Ada')); // => hello Ada
console.log(calls); // => 3
