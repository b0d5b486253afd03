import { createMemoryBroker } from '@retry/inprocess/broker';
import { createQueue, createWorker, defineTask } from '@retry/worker';

const saved: string[] = [];
const save = defineTask({ name: 'save', run: async (draft: string) => saved.push(draft) });
const broker = createMemoryBroker();
const queue = createQueue({ broker });

// Each submission replaces the one before, which has not started: the last draft is saved, once.
const debounce = { key: 'document-7', onConflict: 'replace' } as const;
const first = await queue.submit(save, 'a', { delay: '50ms', unique: debounce });
const last = await queue.submit(save, 'ab', { delay: '50ms', unique: debounce });
console.log(last.replaced === first.id); // => true

// This one leaves the run that is there, and returns it.
const kept = await queue.submit(save, 'abc', { unique: { key: 'document-7' } });
console.log(kept.isNew, kept.id === last.id); // => false true

const worker = createWorker({ broker, tasks: [save] });
worker.start();
const result = await queue.submitAndWait(save, 'other', { unique: { key: 'document-8', until: '1m' } });
console.log(result > 0); // => true
await new Promise((resolve) => setTimeout(resolve, 300));
console.log([...saved].sort().join(' ')); // => ab other
await worker.stop();
