import { createMemoryBroker } from '@retry/inprocess/broker';
import { createQueue, createWorker, defineTask } from '@retry/worker';
import { createTestClock } from '@retry/worker/testing';

const clock = createTestClock(); // seconds pass immediately
const save = defineTask({ name: 'save', run: async (draft: string) => console.log('saved', draft) });
const broker = createMemoryBroker({ clock });
const queue = createQueue({ broker, clock });

// Each submission replaces the one before, which has not started: the last draft is saved, once.
const debounce = { key: 'document-7', onConflict: 'replace' } as const;
const first = await queue.submit(save, 'a', { delay: '5s', unique: debounce });
const last = await queue.submit(save, 'ab', { delay: '5s', unique: debounce });
console.log(last.replaced === first.id); // => true

// This one leaves the run that is there, and returns it.
const kept = await queue.submit(save, 'abc', { unique: { key: 'document-7' } });
console.log(kept.isNew, kept.id === last.id); // => false true

const worker = createWorker({ broker, tasks: [save], clock });
worker.start();
await clock.advance('1m'); // => saved ab

// A throttle: one run in a minute, however soon it has ended.
for (const draft of ['x', 'y']) await queue.submit(save, draft, { unique: { key: 'other', until: '1m' } });
await clock.advance('1s'); // => saved x
await worker.stop();
